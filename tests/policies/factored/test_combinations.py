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
from factored_bandits.core.select import ravel
from factored_bandits.policies.blocks import combinations as _combinations
from factored_bandits.policies.blocks.combinations import check_combinations, enter, find, full
from factored_bandits.policies.factored.unimodal._leader import (
    CENTRE,
    PLAYED,
    begin,
    mean,
    random_combination,
    record,
)
from factored_bandits.policies.factored.unimodal._neighbourhood import (
    lead,
    move_centre,
    play_neighbour,
)

SIZES = np.array([3, 4, 2])


def played(rng, rounds=200, sizes=SIZES, horizon=0):
    """A state that has learned random plays, and the same as a dictionary: action -> rewards."""
    state, seen = begin(sizes, horizon), {}
    for _ in range(rounds):
        action = np.array([rng.integers(size) for size in sizes])
        reward = float(rng.random() < 0.5)
        enter(state, ravel(state.sizes, action))
        state.next_tie_break[0] = rng.random()
        record(state, action, reward)
        seen.setdefault(tuple(action.tolist()), []).append(reward)
    return state, seen


def action_of(state, row):
    levels = np.unravel_index(int(state.keys[row]), tuple(state.sizes))
    return tuple(int(level) for level in levels)


def test_table_is_a_dictionary():
    """Also with keys that all hash to few slots, and until the last row is taken."""
    rng = np.random.default_rng(1)
    sizes = np.array([10**6, 10**6, 10**6])
    state = begin(sizes, 500)
    keys = [int(k) for k in rng.choice(10**18, 250, replace=False)]
    keys += [_combinations.PRIME * k for k in range(250)]  # the worst case: one hash for all
    rows = {key: enter(state, key) for key in keys}
    assert sorted(rows.values()) == list(range(500))
    assert full(state)
    assert all(find(state, key) == row for key, row in rows.items())
    assert all(find(state, key + 1) == -1 for key in keys if key + 1 not in rows)
    assert all(enter(state, key) == row for key, row in rows.items())
    assert state.known[0] == 500


def test_numbers_are_those_of_numpy():
    state = begin(SIZES, 0)
    for action in itertools.product(*map(range, SIZES)):
        assert ravel(state.sizes, np.array(action)) == np.ravel_multi_index(action, tuple(SIZES))


def test_capacity():
    def rows(sizes, horizon):
        return len(begin(np.array(sizes), horizon).keys)

    assert rows([3, 4], 10**9) == 12
    assert rows([100, 100], 500) == 500
    assert rows([1000, 1000, 1000], 10**9) == 2**19
    assert rows([1000, 1000, 1000], 0) == 2**16
    with pytest.raises(fb.errors.InvalidInputError, match=r"takes at most 2\^62 of them"):
        check_combinations("test", np.array([2**21, 2**21, 2**21]))


def test_statistics_and_leader():
    rng = np.random.default_rng(2)
    for rounds in (1, 2, 5, 50, 400):
        state, seen = played(rng, rounds)
        assert state.counters[PLAYED] == len(seen)
        for action, rewards in seen.items():
            row = find(state, ravel(state.sizes, np.array(action)))
            assert (state.plays[row], state.totals[row]) == (len(rewards), sum(rewards))
        means = [mean(state, row) for row in range(state.counters[PLAYED])]
        assert mean(state, state.heap[0]) == max(means)
        heap = state.heap[: state.counters[PLAYED]].tolist()
        assert sorted(heap) == list(range(len(heap)))
        assert all(means[heap[(at - 1) // 2]] >= means[heap[at]] for at in range(1, len(heap)))


def test_unbounded_rewards_are_clipped():
    state = begin(SIZES, 0)
    row = enter(state, 0)
    for reward in (-3.0, 0.25, 7.0):
        record(state, np.zeros(3, dtype=np.int64), reward)
    assert state.totals[row] == 1.25


def test_ties_for_the_lead_are_broken_at_random():
    """Four combinations with equal means: each leads in a quarter of 2000 trials (5 standard
    errors).
    """
    rng, counts = np.random.default_rng(3), np.zeros(4)
    for _ in range(2000):
        state = begin(np.array([4]), 0)
        for level in range(4):
            enter(state, level)
            state.next_tie_break[0] = rng.random()
            record(state, np.array([level]), 1.0)
        counts[action_of(state, state.heap[0])[0]] += 1
    assert np.abs(counts - 500).max() < 5 * np.sqrt(2000 * 0.25 * 0.75)


def test_neighbourhood():
    rng = np.random.default_rng(4)
    state, seen = played(rng, rounds=15)
    leader = lead(state, rng)
    own = action_of(state, leader)
    assert state.leads[leader] == 1
    assert state.counters[CENTRE] == leader
    assert tuple(state.centre_levels) == own
    neighbour = 0
    for l, size in enumerate(SIZES):
        for level in range(size):
            near = (*own[:l], level, *own[l + 1 :])
            row = state.neighbours[neighbour]
            assert (row >= 0) == (near in seen)
            assert row < 0 or action_of(state, row) == near
            action = np.zeros(3, dtype=np.int64)
            play_neighbour(state, neighbour, action)
            assert tuple(action) == near
            assert action_of(state, state.neighbours[neighbour]) == near
            neighbour += 1
    move_centre(state, leader)
    assert (state.neighbours >= 0).all()


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
    assert full_state.known[0] == len(counts) == 12
    assert sum(counts.values()) == 599 == full_state.plays.sum()


def test_a_random_combination_of_a_full_table_is_a_known_one():
    state, rng = begin(SIZES, 1), np.random.default_rng(0)
    action = np.zeros(3, dtype=np.int64)
    random_combination(state, rng, action)
    first = action.copy()
    for _ in range(5):
        random_combination(state, rng, action)
        assert (action == first).all()


MEMORY = """
import sys
from pathlib import Path
import factored_bandits as fb
from factored_bandits.policies import make
problem = fb.environments.make("additive", effects=[[0.1] + [0.0] * 19] * 5, base=0.3)
result = fb.simulate(make(sys.argv[1]), problem, float(sys.argv[2]), repetitions=1, progress=False)
# ru_maxrss would count the process that started this one
status = Path("/proc/self/status").read_text().split()
print(int(status[status.index("VmHWM:") + 1]) / 2**10, result.plays[0].sum())
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@pytest.mark.parametrize(
    "name",
    [
        "unimodal_thompson",
        pytest.param("imed_ub", marks=pytest.mark.full),
        pytest.param("osub", marks=pytest.mark.full),
        "ossb(explore=neighbours)",
    ],
)
def test_memory_with_three_million_combinations(name):
    """5 factors x 20 levels: the whole process, of which 150 MB are Python, NumPy and numba, stays
    below 200 MB.

    This process compiles if need be, which takes 90 MB more; another one is measured.
    """
    effects = [[0.1] + [0.0] * 19] * 5
    problem = fb.environments.make("additive", effects=effects, base=0.3)
    fb.simulate(name, problem, 1_000, repetitions=1, progress=False)

    rounds = 300_000
    arguments = [sys.executable, "-c", MEMORY, name, str(rounds)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    peak, plays = map(float, done.stdout.split())
    assert plays == rounds
    assert peak < 200


def test_the_table_is_never_larger_than_forty_megabytes():
    state = begin(np.array([20] * 5), 10**12)
    assert sum(array.nbytes for array in state) < 40 * 10**6
