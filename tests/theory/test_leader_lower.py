"""The limit with every test beside the leaders: by hand, and against a look at every neighbour."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from small import additive, duels, factored, identifiable, logistic, means, rank1, ties

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError

make = fb.environments.make
leader_lower = fb.theory.leader_lower
regret_lower = fb.theory.regret_lower


def kl(p, q):
    """Of Bernoulli rewards."""
    if q >= 1.0 - 1e-15:
        return 0.0 if p >= 1.0 - 1e-15 else math.inf
    first = p * math.log(p / q) if p > 0 else 0.0
    return first + ((1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0)


def neighbours(action, sizes):
    for l, size in enumerate(sizes):
        for level in set(range(size)) - {action[l]}:
            yield (*action[:l], level, *action[l + 1 :])


def unimodal(problem, table):
    return all(
        action == problem.best
        or any(table[other] > table[action] + 1e-12 for other in neighbours(action, problem.sizes))
        for action in itertools.product(*map(range, problem.sizes))
    )


def brute(problem, divergence):
    """Per log t: the loss of every neighbour of the best over its divergence from it."""
    table = means(problem)
    if not unimodal(problem, table):
        return 0.0
    top = table[problem.best]
    alone = [table[action] for action in neighbours(problem.best, problem.sizes)]
    return sum((top - mean) / divergence(mean, top) for mean in alone)


def test_two_factors_by_hand():
    """0.9 x 0.8 = 0.72 is the best; alone, the others have 0.5 x 0.8 = 0.4 and 0.9 x 0.2 = 0.18."""
    problem = make("rank1", factors=[[0.9, 0.5], [0.8, 0.2]])
    first = 0.4 * math.log(0.4 / 0.72) + 0.6 * math.log(0.6 / 0.28)
    second = 0.18 * math.log(0.18 / 0.72) + 0.82 * math.log(0.82 / 0.28)
    assert leader_lower(problem, math.e) == pytest.approx(0.32 / first + 0.54 / second)


def test_the_paper_s_rank_1_problem():
    """30 levels, each 0.5 - 0.2 sqrt(0.5) alone."""
    other = math.sqrt(0.5) * (math.sqrt(0.5) - 0.2)
    expected = 30 * (0.5 - other) * math.log(1e6) / kl(other, 0.5)
    assert round(expected) == 1445
    assert leader_lower(fb.environments.spiked(16, best=0.5), 1e6) == pytest.approx(expected)


@settings(max_examples=200, deadline=None)
@given(factored())
def test_every_neighbour(problem):
    assert leader_lower(problem, 1e6) == pytest.approx(
        math.log(1e6) * brute(problem, kl), rel=1e-6, abs=1e-12
    )


@settings(max_examples=100, deadline=None)
@given(additive("gaussian") | rank1("gaussian") | logistic("gaussian"))
def test_gaussian_noise(problem):
    expected = math.log(1e6) * brute(problem, lambda p, q: (p - q) ** 2 / 2.0)
    assert leader_lower(problem, 1e6) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@settings(max_examples=200, deadline=None)
@given(factored() | duels())
def test_it_is_never_below_the_other_bounds(problem):
    if identifiable(problem):
        assert leader_lower(problem, 1e6) >= regret_lower(problem, 1e6) * (1 - 1e-9)


def test_sums_with_gaussian_noise_have_one_bound():
    problem = make("additive", effects=[[0.0, -0.5], [0.0, -0.1, -0.2]], noise="gaussian")
    assert leader_lower(problem, 1e6) == pytest.approx(regret_lower(problem, 1e6))


@settings(max_examples=150, deadline=None)
@given(duels())
def test_an_arm_meets_the_best_arm(problem):
    best, table = problem.best[0], means(problem)
    if (table[best] < 0.5 - 1e-9).any():
        assert leader_lower(problem, 1e6) == 0.0
        return

    expected = 0.0
    for arm in range(problem.sizes[0]):
        cost = problem.regret((arm, best))
        rate = (1 - ties(problem)) * kl(table[arm, best], 0.5)
        if cost > 0.0:
            expected += cost / rate if rate > 0.0 else math.inf
    assert leader_lower(problem, 1e6) == pytest.approx(math.log(1e6) * expected, rel=1e-6)
    if (np.delete(table[best], best) > 0.5).all():
        assert leader_lower(problem, 1e6) >= (1 - 1e-9) * fb.theory.condorcet_lower(problem, 1e6)


def test_duels_by_hand():
    """Four arms lose 0.3 / 2 per duel with the best; in the cycle another arm tells more."""
    same = fb.environments.identical_gap(5, 0.8)
    assert leader_lower(same, math.e) == pytest.approx(4 * 0.15 / kl(0.2, 0.5))
    cycle = fb.environments.cyclic(p_best=0.6, p_cycle=0.9)
    assert leader_lower(cycle, math.e) == pytest.approx(3 * 0.05 / kl(0.4, 0.5))
    assert leader_lower(cycle, math.e) > fb.theory.condorcet_lower(cycle, math.e)
    assert leader_lower(fb.environments.arithmetic(5, unit="weak"), 1e6) == 0.0


def test_an_arm_that_ties_with_the_best_and_costs_something_is_never_told_apart():
    """Arms 0 and 1 tie, but only arm 0 beats arm 2: it has the Copeland score of a winner."""
    matrix = [[0.5, 0.5, 0.9], [0.5, 0.5, 0.5], [0.1, 0.5, 0.5]]
    problem = make("duel_matrix", preferences=matrix, unit="copeland")
    assert problem.best == (0, 0)
    assert leader_lower(problem, 10) == math.inf


def test_certain_rewards_cost_nothing_to_know():
    assert leader_lower(fb.environments.spiked(16, best=1.0), 1e6) == 0.0


def test_improvable_by_one_factor_is_enough():
    """The level 0 of the second factor hides the first one; from there the second one improves."""
    hidden = make("rank1", factors=[[0.9, 0.5], [0.8, 0.0]])
    assert not fb.theory.identifiability(hidden).holds
    assert regret_lower(hidden, 1e6) == 0.0
    expected = 0.32 / kl(0.4, 0.72) + 0.72 / kl(0.0, 0.72)
    assert leader_lower(hidden, math.e) == pytest.approx(expected)
    second_best = make("table", means=[[0.9, 0.2], [0.1, 0.4]])
    assert leader_lower(second_best, 1e6) == 0.0


def test_two_best_levels_among_too_many_combinations_to_look_at():
    problem = make("additive", effects=[[0.05, 0.05, 0.0]] * 16)
    assert leader_lower(problem, 1e6) == 0.0


def test_many_rounds_at_once():
    problem = fb.environments.spiked(4)
    found = leader_lower(problem, np.array([10.0, 1000.0]))
    assert found[1] == pytest.approx(3 * found[0])
    assert leader_lower(problem, 1000) == pytest.approx(found[1])


def test_refusals():
    moving = make("stochastically_constrained", effects=[[0.1, 0.0]] * 2)
    with pytest.raises(InvalidInputError, match="change over time; gaps and bounds need means"):
        leader_lower(moving, 1e6)
    with pytest.raises(InvalidInputError, match="must be made by"):
        leader_lower("spiked", 1e6)
    with pytest.raises(InvalidInputError):
        leader_lower(fb.environments.spiked(4), 0)
