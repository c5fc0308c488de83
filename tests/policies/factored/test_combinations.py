"""The table of combinations, the leader and its neighbourhood, against dictionaries and brute
force.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.policies.blocks import combinations as _combinations
from factored_bandits.policies.blocks.combinations import (
    KEY,
    KNOWN,
    OWN,
    PLAYS,
    SIZE,
    STRIDE,
    enter,
    find,
    full,
    number,
)
from factored_bandits.policies.factored.unimodal import _unimodal
from factored_bandits.policies.factored.unimodal._unimodal import (
    CENTRE,
    HEAP,
    LEADS,
    PLAYED,
    anywhere,
    centre,
    lead,
    mean,
    record,
    step,
)

SIZES = np.array([3, 4, 2])


def played(rng, rounds=200, sizes=SIZES, horizon=0):
    """A state that has learned random plays, and the same as a dictionary: action -> rewards."""
    state, seen = _unimodal.begin(sizes, horizon, "test"), {}
    for _ in range(rounds):
        action = np.array([rng.integers(size) for size in sizes])
        reward = float(rng.random() < 0.5)
        enter(state, number(state, action))
        state.luck[0] = rng.random()
        record(state, action, reward)
        seen.setdefault(tuple(action.tolist()), []).append(reward)
    return state, seen


def action_of(state, row):
    key = int(state.book[row, KEY])
    return tuple(key // int(stride) % int(size) for size, stride in state.shape[[SIZE, STRIDE]].T)


def test_table_is_a_dictionary():
    """Also with keys that all hash to few places, and until the last row is taken."""
    rng = np.random.default_rng(1)
    sizes = np.array([10**6, 10**6, 10**6])
    state = _unimodal.begin(sizes, 500, "test")
    keys = [int(k) for k in rng.choice(10**18, 250, replace=False)]
    keys += [_combinations.PRIME * k for k in range(250)]  # the worst case: one hash for all
    rows = {key: enter(state, key) for key in keys}
    assert sorted(rows.values()) == list(range(500))
    assert full(state)
    assert all(find(state, key) == row for key, row in rows.items())
    assert all(find(state, key + 1) == -1 for key in keys if key + 1 not in rows)
    assert all(enter(state, key) == row for key, row in rows.items())
    assert state.tally[KNOWN] == 500


def test_numbers_are_those_of_numpy():
    state = _unimodal.begin(SIZES, 0, "test")
    for action in itertools.product(*map(range, SIZES)):
        assert number(state, np.array(action)) == np.ravel_multi_index(action, tuple(SIZES))


def test_capacity():
    def rows(sizes, horizon):
        return len(_unimodal.begin(np.array(sizes), horizon, "test").book)

    assert rows([3, 4], 10**9) == 12
    assert rows([100, 100], 500) == 500
    assert rows([1000, 1000, 1000], 10**9) == 2**19
    assert rows([1000, 1000, 1000], 0) == 2**16
    with pytest.raises(fb.errors.InvalidInputError, match=r"takes at most 2\^62 of them"):
        rows([2**21, 2**21, 2**21], 10)


def test_statistics_and_leader():
    rng = np.random.default_rng(2)
    for rounds in (1, 2, 5, 50, 400):
        state, seen = played(rng, rounds)
        assert state.tally[PLAYED] == len(seen)
        for action, rewards in seen.items():
            row = find(state, number(state, np.array(action)))
            assert (state.book[row, PLAYS], state.sums[row, 0]) == (len(rewards), sum(rewards))
        means = [mean(state, row) for row in range(state.tally[PLAYED])]
        assert mean(state, state.book[0, HEAP]) == max(means)
        heap = state.book[: state.tally[PLAYED], HEAP].tolist()
        assert sorted(heap) == list(range(len(heap)))
        assert all(means[heap[(at - 1) // 2]] >= means[heap[at]] for at in range(1, len(heap)))


def test_raw_rewards_are_clipped():
    state = _unimodal.begin(SIZES, 0, "test")
    row = enter(state, 0)
    for reward in (-3.0, 0.25, 7.0):
        record(state, np.zeros(3, dtype=np.int64), reward)
    assert state.sums[row, 0] == 1.25


def test_ties_for_the_lead_are_broken_at_random():
    """Four combinations with equal means: each leads in a quarter of 2000 trials (5 standard
    errors).
    """
    rng, counts = np.random.default_rng(3), np.zeros(4)
    for _ in range(2000):
        state = _unimodal.begin(np.array([4]), 0, "test")
        for level in range(4):
            enter(state, level)
            state.luck[0] = rng.random()
            record(state, np.array([level]), 1.0)
        counts[action_of(state, state.book[0, HEAP])[0]] += 1
    assert np.abs(counts - 500).max() < 5 * np.sqrt(2000 * 0.25 * 0.75)


def test_neighbourhood():
    rng = np.random.default_rng(4)
    state, seen = played(rng, rounds=15)
    leader = lead(state, rng)
    own = action_of(state, leader)
    assert state.book[leader, LEADS] == 1
    assert state.tally[CENTRE] == leader
    assert tuple(state.shape[OWN]) == own
    place = 0
    for l, size in enumerate(SIZES):
        for level in range(size):
            near = (*own[:l], level, *own[l + 1 :])
            row = state.around[place]
            assert (row >= 0) == (near in seen)
            assert row < 0 or action_of(state, row) == near
            action = np.zeros(3, dtype=np.int64)
            step(state, place, action)
            assert tuple(action) == near
            assert action_of(state, state.around[place]) == near
            place += 1
    centre(state, leader)
    assert (state.around >= 0).all()


@pytest.mark.parametrize(
    "name", ["unimodal_thompson", "imed_ub", "osub", "ossb(explore=neighbours)"]
)
def test_a_full_table_is_no_end(name):
    """With room for 12 of 24 combinations the policies go on among those they know."""
    made = fb.policies.make(name)
    params, module = made.encoded(), made.module
    full_state = module.init(params, SIZES, 12)
    rng, actions = np.random.default_rng(5), np.zeros((4, 3), dtype=np.int64)
    counts = {}
    for t in range(1, 600):
        module.plan(params, full_state, t, rng, actions)
        reward = float(rng.random() < 0.2 + 0.2 * (actions[0] == 0).sum())
        module.learn(params, full_state, t, actions[:1], np.array([reward]))
        counts[tuple(actions[0].tolist())] = counts.get(tuple(actions[0].tolist()), 0) + 1
    assert full_state.tally[KNOWN] == len(counts) == 12
    assert sum(counts.values()) == 599 == full_state.book[:, PLAYS].sum()


def test_anywhere_in_a_full_table_is_a_known_combination():
    state, rng = _unimodal.begin(SIZES, 1, "test"), np.random.default_rng(0)
    action = np.zeros(3, dtype=np.int64)
    anywhere(state, rng, action)
    first = action.copy()
    for _ in range(5):
        anywhere(state, rng, action)
        assert (action == first).all()


MEMORY = """
import sys
from pathlib import Path
import factored_bandits as fb
from factored_bandits.policies import make
problem = fb.environments.make("additive", effects=[[0.1] + [0.0] * 19] * 5, base=0.3)
result = fb.simulate(make(sys.argv[1]), problem, float(sys.argv[2]), repetitions=1, progress=False)
status = Path("/proc/self/status").read_text().split()  # ru_maxrss would count the process that started this one
print(int(status[status.index("VmHWM:") + 1]) / 2**10, result.plays[0].sum())
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@pytest.mark.parametrize(
    "name", ["unimodal_thompson", "imed_ub", "osub", "ossb(explore=neighbours)"]
)
def test_memory_with_three_million_combinations(name):
    """5 factors x 20 levels: the whole process, of which 150 MB are Python, NumPy and numba, stays
    below 200 MB.

    The first process compiles if need be, which takes 90 MB more; the second one is measured.
    """
    for rounds in (1_000, 300_000):
        arguments = [sys.executable, "-c", MEMORY, name, str(rounds)]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    peak, plays = map(float, done.stdout.split())
    assert plays == rounds
    assert peak < 200


def test_the_table_is_never_larger_than_forty_megabytes():
    state = _unimodal.begin(np.array([20] * 5), 10**12, "test")
    assert sum(array.nbytes for array in state) < 40 * 10**6
