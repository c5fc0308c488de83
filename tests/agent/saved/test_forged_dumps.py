"""Dumps by strangers, who can compute a checksum: refused with a sentence, or agents that go on.

Numbers, arrays and fields of dumps of every policy are replaced, deleted and repeated at random.
"""

from __future__ import annotations

import base64
import copy
import functools
import math
import random
import signal
import tracemalloc
import zlib

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.agent.saved.dump import seal, unseal
from factored_bandits.core.packing import pack
from factored_bandits.errors import DumpError
from factored_bandits.policies.limits import SUM, Within
from golden.cases import labels

LABELS = labels()
SECONDS = 20  # until a call counts as hanging; calls take milliseconds
QUICK = 2  # forgeries of each policy
LONG = 400
NUMBERS = [0, 1, -1, 2, 7, 0.5, 1e-300, 1e30, -1e30, 1e100, 1e308, 2**53, 2**62, -(2**62), 10**9]
WORDS = ["", "x", "1", "nan", None, True, [], {}, [[]], [1, "x"], {"x": 1}]


@functools.cache
def genuine(label: str) -> str:
    """A dump to forge."""
    return problems.busy_agent(label, told=40).dump()


def unpacked(packed: dict[str, object]) -> np.ndarray:
    """The array in a dump, to be changed."""
    data = zlib.decompress(base64.b64decode(packed["data"]))
    return np.frombuffer(data, dtype=packed["dtype"]).reshape(packed["shape"]).copy()


def places(tree, prefix=()):
    """Every place in a tree of dicts and lists; a packed array is one place."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield (*prefix, key)
        if isinstance(value, (dict, list)) and "dtype" not in value:
            yield from places(value, (*prefix, key))


def forged_array(array: np.ndarray, within: Within, chance: random.Random) -> np.ndarray:
    """An array with some entries replaced: by any number, a neighbour, or another entry.

    Or, by somebody who has read the policy, by a number that its limits allow.
    """
    flat = array.reshape(-1)
    insider = chance.random() < 0.5
    ends = [np.broadcast_to(end, array.shape).reshape(-1) for end in (within.low, within.high)]

    for _ in range(chance.choice([1, 1, 1, 3, min(flat.size, 500)])):
        at = chance.randrange(flat.size)
        old = flat[at].item()
        if array.dtype.kind == "b":
            flat[at] = not old
            continue

        other = flat[chance.randrange(flat.size)].item()
        value = chance.choice([*NUMBERS, old + 1, old - 1, -old, other])
        if insider:
            low, high = (float(end[at]) for end in ends)
            between = min(max(low, -1e9), 1e9) + chance.random() * 10 ** chance.uniform(-9, 9)
            value = chance.choice([low, high, other, between, round(between)])
            value = min(max(value, low), high)

        if array.dtype.kind == "f":
            flat[at] = value if insider else chance.choice([value, value, value, math.nan])
        elif not math.isinf(value):
            info = np.iinfo(array.dtype)
            flat[at] = max(info.min, min(info.max, int(value)))
    return array


def forged(content: dict, limits: dict[str, Within], chance: random.Random) -> dict:
    """A dump with one to three things wrong."""
    content = copy.deepcopy(content)
    for _ in range(chance.choice([1, 1, 2, 3])):
        every = list(places(content))
        arrays = [place for place in every if place[0] in ("state", "plays", "diagnostics")]
        *path, last = chance.choice(arrays if chance.random() < 0.6 else every)
        holder = content
        for key in path:
            holder = holder[key]
        value = holder[last]

        if isinstance(value, dict) and "dtype" in value and chance.random() < 0.9:
            array = unpacked(value)
            if array.size:
                within = limits.get(last, SUM)
                holder[last] = pack(forged_array(array, within, chance))
        elif chance.random() < 0.15:
            del holder[last]
        elif isinstance(holder, list) and chance.random() < 0.3:
            holder.insert(last, copy.deepcopy(value))
        elif type(value) is int and chance.random() < 0.5:
            digits = list(str(value))
            digits[chance.randrange(len(digits))] = chance.choice("0123456789")
            holder[last] = int("".join(digits))
        else:
            holder[last] = copy.deepcopy(chance.choice([*NUMBERS, *WORDS]))
    return content


class Hangs(Exception):
    """A call took longer than SECONDS."""


def interrupt(number, frame):
    raise Hangs


def tried(label: str, number: int) -> bool:
    """Whether the forgery of this number loads; it must then go on for 50 rounds."""
    chance = random.Random(f"{label} {number}")
    fresh = problems.agent(label, problems.fitting(label))
    limits = fresh._state.limits(fresh._params)
    text = seal(forged(unseal(genuine(label)), limits, chance))
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(SECONDS)
    try:
        try:
            agent = fb.Agent.load(text)
        except DumpError:
            return False
        for _ in range(50):
            decision = agent.ask()
            if decision.id in agent.waiting and chance.random() < 0.8:
                outcome = float(chance.randrange(2))
                low, high = agent._rewards.range or (0.0, 1.0)
                reward = low + outcome * (high - low)
                agent.tell(decision.id, problems.answer(agent, reward) if high == 1 else reward)
        agent.best()
        agent.status()
        agent.confidence()
        return True
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def complaints(label: str, numbers: range) -> list[str]:
    """What happened to forgeries that were neither refused nor went on."""
    found = []
    for number in numbers:
        try:
            tried(label, number)
        except Exception as error:
            found.append(f"{label} {number}: {type(error).__name__}: {error}")
    return found


@pytest.mark.parametrize("label", LABELS)
def test_a_forgery_is_refused_or_goes_on(label):
    assert complaints(label, range(QUICK)) == []


def rewritten(label: str, **changes) -> str:
    """The dump of a new agent with parts of it replaced."""
    content = unseal(problems.agent(label, problems.fitting(label)).dump())
    for path, value in changes.items():
        *keys, last = path.split("__")
        holder = content
        for key in keys:
            holder = holder[key]
        holder[last] = value
    return seal(content)


def peak_of_loading(text: str, message: str) -> int:
    """The most bytes that are held while a dump is refused with this message."""
    tracemalloc.start()
    with pytest.raises(DumpError, match=message):
        fb.Agent.load(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize(
    ("label", "where", "problem"),
    [
        ("rucb", "problem__arms", list(range(9_000))),
        ("dts", "problem__arms", list(range(7_000))),
        ("flat_ucb1", "problem__factors", {"a": list(range(900)), "b": list(range(900))}),
        ("flat_thompson", "problem__factors", {str(i): [0, 1] for i in range(19)}),
        ("tea", "problem__factors", {"a": list(range(20_000))}),
    ],
)
def test_a_small_dump_of_a_large_problem_takes_little_memory(label, where, problem):
    """Half a gigabyte and more for the state of such a problem, and a state of a few numbers."""
    text = rewritten(label, **{where: problem})
    assert peak_of_loading(text, "cannot be of shape") < 40 * len(text) + 4_000_000


def test_an_array_cannot_be_larger_than_its_text_allows():
    content = unseal(rewritten("rucb", problem__arms=list(range(9_000))))
    for packed in content["state"].values():
        packed["shape"] = [9_000 if n == 5 else n for n in packed["shape"]]
    message = r"the array 'wins' claims 81,000,000 entries, which cannot be in \d+ characters"
    assert peak_of_loading(seal(content), message) < 4_000_000


@pytest.mark.parametrize(
    ("label", "name", "array", "message"),
    [
        (
            "rucb",
            "worst",
            [0, 0, math.nan, 0, 0],
            r"worst\[2\] is nan and must be from 0 to 1e\+120",
        ),
        ("rucb", "memory", [5, 0], r"memory\[0\] is 5 and must be from -1 to 4"),
        ("rcs", "titles", [0, 0, 0, 0, -1], r"titles\[4\] is -1 and must be from 0 to"),
        ("savage", "bar", [0.0], r"bar\[0\] is 0 and must be from 7\.8948"),
        ("rmed1", "order", [0, 1, 2, 3, 3], "order does not hold every arm once"),
        ("winner_stays", "clock", [1, -1, 2, 0, 0], "a round without a title holder"),
        ("self_sparring", "wins", [1.0, 0, 0, 0, 0], "wins exceed plays"),
        ("doubler", "clock", [1, 0], "there are no opponents"),
    ],
)
def test_what_a_state_cannot_be_is_said(label, name, array, message):
    agent = problems.agent(label, problems.fitting(label))
    dtype = getattr(agent._state, name).dtype
    text = rewritten(label, **{f"state__{name}": pack(np.array(array, dtype=dtype))})
    with pytest.raises(DumpError, match=message):
        fb.Agent.load(text)


@pytest.mark.parametrize(
    ("label", "where", "value", "message"),
    [
        ("tea", "rounds__expired", [7], "a decision expired that was never given out"),
        ("tea", "past", 2**60, "it tells of 1,152,921,504,606,846,976 rounds"),
        ("rmed2", "policy__params__alpha", 1e9, "alpha must be at most 100"),
        ("merge_rucb", "policy__params__alpha", 0.5000001, "nothing would ever be eliminated"),
        ("logistic_thompson", "policy__params__restarts", 10**8, "restarts"),
        ("flat_ucb1", "policy__params__alpha", 1e300, "alpha must be 0 or from 1e-12 to 1e"),
    ],
)
def test_what_an_agent_cannot_be_is_said(label, where, value, message):
    with pytest.raises(DumpError, match=message):
        fb.Agent.load(rewritten(label, **{where: value}))


@pytest.mark.full
@pytest.mark.parametrize("label", LABELS)
def test_many_forgeries_are_refused_or_go_on(label):
    assert complaints(label, range(LONG)) == []
