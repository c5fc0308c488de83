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
import zlib

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.agent.dump import seal, unseal
from factored_bandits.core.packing import pack
from factored_bandits.errors import DumpError
from factored_bandits.policies.limits import SUM, Within
from golden.cases import labels

LABELS = labels()
SECONDS = 20  # until a call counts as hanging; calls take milliseconds
QUICK = 6  # forgeries of each policy
LONG = 400
NUMBERS = [0, 1, -1, 2, 7, 0.5, 1e-300, 1e30, -1e30, 1e100, 1e308, 2**53, 2**62, -(2**62), 10**9]
WORDS = ["", "x", "1", "nan", None, True, [], {}, [[]], [1, "x"], {"x": 1}]


@functools.cache
def genuine(label: str) -> str:
    """An agent with much learned, several open blocks, shuffled answers, an expired decision."""
    agent = problems.agent(label, problems.fitting(label), seed=6)
    rng = np.random.default_rng(6)
    for _ in range(150):
        agent.tell(agent.ask().id, problems.answer(agent, float(rng.integers(2))))
    for _ in range(20):
        agent.ask()
    for identifier in rng.permutation(agent.waiting)[:12]:
        agent.tell(identifier, problems.answer(agent, float(rng.integers(2))))
    agent.expire(agent.waiting[-1])
    return agent.dump()


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


@pytest.mark.full
@pytest.mark.parametrize("label", LABELS)
def test_many_forgeries_are_refused_or_go_on(label):
    assert complaints(label, range(LONG)) == []
