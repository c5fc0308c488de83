"""Saved agents: the same to the last bit when loaded, and refused with a sentence when they are not
whole.
"""

from __future__ import annotations

import base64
import contextlib
import copy
import functools
import json
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import factored_bandits as fb
import problems
from factored_bandits.agent.saved import dump as _dump
from factored_bandits.core.packing import pack
from factored_bandits.errors import DumpError
from factored_bandits.policies.blocks import ucb as _ucb

NAMES = fb.policies.names()
fixed = settings(max_examples=150, deadline=None, derandomize=True, database=None)


@functools.cache
def example():
    """A dump to damage."""
    return problems.busy_agent("tea", told=150).dump()


def changed(path, value):
    """The example with one entry replaced (or, for `...`, removed), its checksum right again."""
    content = _dump.unseal(example())
    place = content
    for key in path[:-1]:
        place = place[key]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return _dump.seal(content)


@pytest.mark.parametrize("name", NAMES)
def test_a_loaded_agent_is_the_agent(name):
    agent = problems.busy_agent(name, told=150)
    text = agent.dump()
    loaded = fb.Agent.load(text)
    assert loaded.dump() == text
    assert loaded.waiting == agent.waiting
    assert loaded.status() == agent.status()
    assert loaded.best() == agent.best()
    rng = np.random.default_rng(1)
    for _ in range(120):
        assert loaded.ask() == agent.ask()
        identifier, reward = (
            int(rng.choice(agent.waiting)),
            problems.answer(agent, float(rng.integers(2))),
        )
        loaded.tell(identifier, reward)
        agent.tell(identifier, reward)
    assert loaded.dump() == agent.dump()


def test_everything_given_to_the_agent_survives():
    agent = fb.Agent(
        "flat_ucb1",
        factors={"größe": [1, 2.5, None], "b": ["x", "\ud800"]},
        reward_range=(-2, 3),
        default=1,
        seed=9,
        horizon=50,
        alpha=0.25,
    )
    loaded = fb.Agent.load(agent.dump())
    assert loaded.dump() == agent.dump()
    assert loaded.policy.params.alpha == 0.25
    assert loaded.best() == {"größe": 1, "b": "x"}
    loaded.expire(loaded.ask().id)
    assert loaded._state.table[_ucb.TOTAL].sum() == pytest.approx(
        0.6
    )  # the default 1 of (-2, 3), on (0, 1)
    assert "\n" not in agent.dump()
    assert agent.dump().isascii()


def test_a_policy_of_ones_own_is_given_to_load():
    module = problems.variant(
        "tea", "elsewhere.tea"
    )  # a namesake, so the library must not put its own in
    agent = fb.Agent(module, factors={"a": [0, 1]})
    agent.ask()
    with pytest.raises(DumpError, match=r"'tea' is not part of this library: give its module"):
        fb.Agent.load(agent.dump())
    with pytest.raises(DumpError, match="the agent's policy is 'tea', not the module 'other'"):
        fb.Agent.load(agent.dump(), policy=problems.variant("tea", "other"))
    with pytest.raises(DumpError, match=r"not the module 'elsewhere\.tea'"):
        fb.Agent.load(fb.Agent("tea", factors={"a": [0, 1]}).dump(), policy=module)
    assert fb.Agent.load(agent.dump(), policy=module).dump() == agent.dump()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cut off or damaged"),
        ("not json", "cut off or damaged"),
        ("[" * 100_000, "cut off or damaged"),
        ("null", "no dump of an agent"),
        ("[1, 2]", "no dump of an agent"),
        ('{"format": "something else", "version": 1}', "no dump of an agent"),
        ('{"format": "factored-bandits agent"}', "checksum does not fit"),
        (
            '{"format": "factored-bandits agent", "version": "1", "agent": {}}',
            "checksum does not fit",
        ),
        (
            '{"format": "factored-bandits agent", "version": 2, "library": "9.1"}',
            r"version 2 .by.*9\.1.*newer",
        ),
        (b"{}", "not bytes"),
        (None, "not NoneType"),
    ],
)
def test_what_is_no_dump(text, message):
    with pytest.raises(DumpError, match=message):
        fb.Agent.load(text)


def test_a_dump_cut_off_anywhere():
    text = example()
    for length in range(0, len(text), 7):
        with pytest.raises(DumpError, match="cut off"):
            fb.Agent.load(text[:length])


@fixed
@given(place=st.integers(0, 10**6), character=st.characters(min_codepoint=32, max_codepoint=126))
def test_a_dump_with_one_character_changed(place, character):
    """It is refused, unless the change has no meaning (such as 1E-5 for 1e-5)."""
    text = example()
    place %= len(text)
    damaged = text[:place] + character + text[place + 1 :]
    try:
        loaded = fb.Agent.load(damaged)
    except DumpError:
        return
    assert loaded.dump() == text


def packed(array):
    return pack(np.asarray(array))


TOTAL = packed(np.zeros(8))
BOMB = base64.b64encode(zlib.compress(bytes(10**7))).decode()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["policy", "name"], "magic", "'magic' is not part of this library"),
        (["policy", "params"], {"bound": "other"}, "bound must be 'paper'"),
        (["policy", "params"], {"depth": 3}, "no parameter of tea named 'depth'"),
        (["problem", "factors"], {"a": []}, "factor 'a' is empty"),
        (["problem", "factors"], {"a": [1, 2]}, "should be <.* of shape"),
        (["problem", "reward_range"], [3, 2], "low < high"),
        (["problem", "arms"], ..., "it lacks 'arms'"),
        (["generator", "bit_generator"], "MT19937", "PCG64"),
        (["generator", "state"], {"state": -1, "inc": 0}, "does not describe an agent"),
        (["rounds"], ..., "it lacks 'rounds'"),
        (["rounds", "asked"], 10**6, "counters contradict"),
        (["rounds", "asked"], 1, "counters contradict"),
        (["rounds", "learned"], 1.5, "counters are not whole"),
        (["rounds", "lengths", 0], 0, "counters are not whole"),
        (["rounds", "expired"], ["x"], "counters are not whole"),
        (["rounds", "rewards"], TOTAL, "array 'rewards' should be <f8 of shape"),
        (["rounds", "actions"], None, "array 'actions' should be <i8 of shape.*and is None"),
        (["state", "S"], ..., "tea keeps offsets, .*the dump holds offsets"),
        (
            ["state", "S"],
            packed(np.zeros(9)),
            r"'S' should be <f8 of shape \[8\], and is <f8 of shape \[9\]",
        ),
        (["state", "S"], packed(np.zeros(8, dtype=np.int64)), "should be <f8 .*and is <i8"),
        (["state", "S"], {**TOTAL, "dtype": "object"}, "should be <f8 .*and is object"),
        (["state", "S"], {**TOTAL, "data": "%%%%"}, "array 'S' cannot be read"),
        (["state", "S"], {**TOTAL, "data": "aaaa"}, "array 'S' cannot be read"),
        (
            ["state", "S"],
            {**TOTAL, "data": packed(np.zeros(7))["data"]},
            "has not the 64 bytes",
        ),
        (["state", "S"], {**TOTAL, "data": BOMB}, "has not the 64 bytes"),
        (["plays", 0], packed(np.zeros(9, dtype=np.int64)), "'plays' should be"),
    ],
)
def test_a_dump_that_is_whole_but_wrong(path, value, message):
    with pytest.raises(DumpError, match=message):
        fb.Agent.load(changed(path, value))


def test_open_blocks_must_hold_possible_plays():
    rounds = _dump.unseal(example())["rounds"]
    shape = rounds["actions"]["shape"]
    for key, array in (("actions", np.full(shape, 4)), ("rewards", np.zeros(shape[0]))):
        with pytest.raises(DumpError, match="plays that cannot be"):
            fb.Agent.load(changed(["rounds", key], packed(array)))


def paths(tree, prefix=()):
    """Every place in a tree of dicts and lists."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield [*prefix, key]
        if isinstance(value, (dict, list)):
            yield from paths(value, (*prefix, key))


JUNK = [..., None, -1, 0, 3, 2**70, 1.5, True, "x", "", [], {}, [[]], {"x": 1}, [1, "x"]]


@fixed
@given(data=st.data())
def test_nonsense_with_a_right_checksum_is_a_dump_error_or_loads(data):
    """Whatever stands anywhere in a dump, the only error is DumpError."""
    path = data.draw(st.sampled_from(list(paths(_dump.unseal(example())))))
    with contextlib.suppress(DumpError):
        loaded = fb.Agent.load(changed(path, data.draw(st.sampled_from(JUNK))))
        for _ in range(9):
            loaded.ask()


def test_a_dump_holds_what_it_says():
    document = json.loads(example())
    assert list(document) == ["format", "version", "library", "agent", "checksum"]
    assert document["library"] == fb.__version__
    other = copy.deepcopy(document)
    other["library"] = "0.0.1"
    with pytest.raises(DumpError, match="checksum"):
        fb.Agent.load(json.dumps(other))
