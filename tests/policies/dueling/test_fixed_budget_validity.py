"""The lemmas of docs/explanation/fixed-budget.md, and A/A tests of the certificate.

The p-value of a best arm, or of a best level of a factor, ever falls to alpha with probability at
most alpha. Of factors this needs levels that are exchanged at random between the sides.
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.core.distributions.binomial import at_least
from factored_bandits.policies.dueling.fixed_budget import duel_top_two as module
from factored_bandits.policies.dueling.fixed_budget._bets import bet_on_sides

FOLDER = Path(__file__).parents[3] / "benchmarks"
PARAMS = module.Params()
ERROR = 1e-4  # of a test on its side


@pytest.fixture
def benchmark(monkeypatch):
    """The part `factored` of the benchmark, interpreted."""
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    return __import__("factored_budget")


@pytest.fixture
def compiled(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    return __import__("factored_budget")


def learned(sizes, verdicts, seed):
    """A state after so many duels with verdicts at random."""
    rng = np.random.default_rng(seed)
    state = module.init(PARAMS, np.array([*sizes, *sizes]), 0)
    actions = np.zeros((max(sizes), 2 * len(sizes)), dtype=np.int64)
    for t in range(1, verdicts + 1):
        module.plan(PARAMS, state, t, rng, actions)
        module.learn(PARAMS, state, t, actions[:1], rng.choice([0.0, 0.5, 1.0], 1))
    return state


def factors_of_wealth(state, action, reward):
    """By what the money on each level is multiplied."""
    before = state.wealth.copy()
    copied = type(state)(*(array.copy() for array in state))
    bet_on_sides(copied, PARAMS.delta, np.array(action), reward)
    return np.exp(copied.wealth - before)


# Lemma 1: one factor


@pytest.mark.parametrize("tie", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(5))
def test_no_bet_on_a_winner_has_a_positive_mean(seed, tie):
    """Whatever the model believes: at a probability of 1/2 the mean is exactly 1."""
    state = learned((4,), 40, seed)
    some = False
    for x, y in itertools.permutations(range(4), 2):
        for chance in (0.5, 0.8, 1.0):
            mean = (1.0 - tie) * chance * factors_of_wealth(state, [x, y], 1.0)[x]
            mean += (1.0 - tie) * (1.0 - chance) * factors_of_wealth(state, [x, y], 0.0)[x]
            mean += tie * factors_of_wealth(state, [x, y], 0.5)[x]
            assert mean <= 1.0 + 1e-12
            some |= mean < 1.0 - 1e-3
            if chance == 0.5:
                assert mean == pytest.approx(1.0, abs=1e-12)
    assert some  # where it wins, the bet against it loses


# Lemma 2: several factors


@pytest.mark.parametrize("seed", range(4))
def test_stakes_do_not_depend_on_who_is_on_which_side(seed):
    """The bet on the loser of a factor is the same, however the others are seated."""
    state = learned((3, 2, 4), 60, seed)
    duel = (np.array([0, 1, 2]), np.array([2, 0, 3]))
    known: dict[int, list[float]] = {}
    for swap in itertools.product((False, True), repeat=3):
        first = np.where(swap, duel[1], duel[0])
        second = np.where(swap, duel[0], duel[1])
        for reward, winner in ((1.0, first[1]), (0.0, second[1])):
            multiplied = factors_of_wealth(state, np.concatenate([first, second]), reward)
            # of factor 1, whose levels are the fourth and the fifth of all
            assert (
                known.setdefault(int(winner), multiplied[3:5].tolist()) == multiplied[3:5].tolist()
            )
    assert known[0] != known[1]


def mean_of_bets(state, effects, duel, swaps_too):
    """The mean factor of every level under additive utilities, over verdicts and exchanges."""
    starts = np.cumsum([0, *(len(values) for values in effects)])
    total = np.zeros(starts[-1])
    swaps = list(itertools.product((False, True), repeat=len(effects)))
    patterns = swaps if swaps_too else [swaps[0], swaps[-1]]
    for swap in patterns:
        sides = np.where(swap, duel[1], duel[0]), np.where(swap, duel[0], duel[1])
        utilities = [sum(v[k] for v, k in zip(effects, side, strict=True)) for side in sides]
        first = 1.0 / (1.0 + math.exp(utilities[1] - utilities[0]))
        for reward, probability in ((1.0, first), (0.0, 1.0 - first)):
            total += probability * factors_of_wealth(state, np.concatenate(sides), reward)
    return total / len(patterns)


@pytest.mark.parametrize("seed", range(4))
def test_exchanged_levels_make_bets_on_the_best_fair(seed):
    """Computed, not estimated: also of a level that is as good as the best, in any duel."""
    effects = ([1.0, -0.5, 0.0], [0.0, 0.0], [0.3, 0.3, -1.0])
    best = [0, 3, 4, 5, 6]  # by the number among all levels
    state = learned((3, 2, 3), 60, seed)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        duel = [np.array([rng.integers(3), rng.integers(2), rng.integers(3)]) for _ in range(2)]
        assert mean_of_bets(state, effects, duel, swaps_too=True)[best].max() <= 1.0 + 1e-12


def test_without_the_exchange_they_are_not():
    """The same computation fails where a leader's rest is better: 4 % a duel here."""
    effects = ([2.0, 0.0], [0.0, 0.0])
    state = learned((2, 2), 1, 0)
    state.mean[:] = [0.0, 0.0, 0.3, -0.3]
    duel = [np.array([0, 0]), np.array([1, 1])]
    assert mean_of_bets(state, effects, duel, swaps_too=True).max() <= 1.0 + 1e-12
    assert mean_of_bets(state, effects, duel, swaps_too=False).max() > 1.04


# A/A tests: how often a level that is as good as any is ruled out at 5 %


def too_many(lost, runs):
    """Whether so many are hardly ever seen where each has a probability of 5 %."""
    return at_least(int(lost), runs, 0.05) < ERROR


def arms_lost(benchmark, arms, runs, calls, late, tie):
    matrix = np.full((arms, arms), 0.5)
    equal = fb.environments.make("duel_matrix", preferences=matrix, unit="copeland", tie=tie)
    lost = 0
    for run in range(runs):
        end, _, params, state = benchmark.one_run(
            "duel_top_two", equal, (21, run), calls, late=late
        )
        mine = int(np.flatnonzero(end.permutation[:arms] == 0)[0])
        lost += module.p_values(params, state)[0][mine] <= 0.05
    return lost


@pytest.mark.parametrize(("arms", "late", "tie"), [(2, 0, 0.0), (3, 8, 0.3)])
def test_equal_arms_are_seldom_told_apart(benchmark, arms, late, tie):
    assert not too_many(arms_lost(benchmark, arms, 60, 150, late, tie), 60)


def test_equal_levels_are_seldom_told_apart(benchmark):
    """With the exchange; what happens without it is computed above and played below."""
    assert not too_many(benchmark.levels_lost("duel_top_two", 60, 200, 22, effect=2.0), 60)


@pytest.mark.full
@pytest.mark.parametrize(
    ("arms", "late", "tie"), [(2, 0, 0.0), (2, 8, 0.0), (2, 8, 0.4), (8, 0, 0.0), (8, 8, 0.0)]
)
def test_equal_arms_are_seldom_told_apart_in_the_long_run(compiled, arms, late, tie):
    assert not too_many(arms_lost(compiled, arms, 1000, 2000, late, tie), 1000)


@pytest.mark.full
@pytest.mark.parametrize("late", [0, 8])
def test_equal_levels_are_seldom_told_apart_in_the_long_run(compiled, late):
    lost = compiled.levels_lost("duel_top_two", 1000, 2000, 23, effect=1.0, late=late)
    assert not too_many(lost, 1000)


@pytest.mark.full
def test_without_the_exchange_equal_levels_are_told_apart(compiled):
    """The attack: about a sixth of the levels that are as good as any, and not 5 %."""
    lost = compiled.levels_lost(compiled.unswapped(), 400, 2000, 24)
    assert too_many(lost, 400)
