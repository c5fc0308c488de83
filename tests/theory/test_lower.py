"""Lower bounds: the paper's for Gaussian sums, and the divergences against every combination of
small problems.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small import additive, duels, factored, identifiable, logistic, means, rank1, ties

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError
from factored_bandits.theory.information import _of_effects, bernoulli, information
from factored_bandits.theory.views import view

make = fb.environments.make
theory = fb.theory


def kl(p, q):
    if q >= 1.0 - 1e-15:
        return 0.0 if p >= 1.0 - 1e-15 else math.inf
    first = p * math.log(p / q) if p > 0 else 0.0
    return first + ((1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0)


def brute(problem, divergence):
    """Per factor and level the largest divergence from the best level over all reference sets."""
    table, found = means(problem), []
    for l, best in enumerate(problem.best):
        rows = np.moveaxis(table, l, 0).reshape(problem.sizes[l], -1)
        found.append(
            [max(divergence(p, q) for p, q in zip(row, rows[best], strict=True)) for row in rows]
        )
    return found


@settings(max_examples=200, deadline=None)
@given(factored())
def test_bernoulli(problem):
    assume(identifiable(problem))
    for l, rates in enumerate(brute(problem, kl)):
        for i, rate in enumerate(information(problem, l)):
            assert rate == (
                math.inf if i == problem.best[l] else pytest.approx(rates[i], rel=1e-6, abs=1e-15)
            )


@settings(max_examples=200, deadline=None)
@given(additive("gaussian") | rank1("gaussian") | logistic("gaussian"))
def test_gaussian_noise(problem):
    assume(identifiable(problem))
    for l, rates in enumerate(brute(problem, lambda p, q: (p - q) ** 2 / 2.0)):
        for i, rate in enumerate(information(problem, l)):
            assert rate == (
                math.inf if i == problem.best[l] else pytest.approx(rates[i], rel=1e-9, abs=1e-15)
            )


@settings(max_examples=100, deadline=None)
@given(logistic() | logistic("gaussian"))
def test_large_logistic_sums_are_told_apart_at_most_a_little_too_easily(problem):
    """What is done where there are too many combinations: contexts of any value between the
    extremes.
    """
    assume(identifiable(problem))
    divergence = bernoulli if problem.reward_range else (lambda p, q: (p - q) ** 2 / 2.0)
    for l in range(len(problem.sizes)):
        others = np.arange(problem.sizes[l]) != problem.best[l]
        exact = information(problem, l)[others]
        relaxed = _of_effects(view(problem), l, divergence)[others]
        assert (relaxed >= exact * (1 - 1e-9)).all()
        low, high = view(problem).context(l)
        own, best = view(problem).effects[l][others], view(problem).effects[l].max()
        for x in np.linspace(low, high, 51):  # and it is the largest one in between
            here = divergence(
                view(problem).mean(own, x), view(problem).mean(np.full(len(own), best), x)
            )
            assert (here <= relaxed * (1 + 1e-6) + 1e-15).all()


def test_a_logistic_sum_of_many_factors():
    problem = make("logistic", effects=[[0.0, 0.5, 1.0]] * 20, base=-12.0)
    assert (
        0.0
        < theory.regret_lower(problem, 1e6)
        < theory.regret_upper(make("logistic", effects=[[0, 1]], base=-2), 1e6)
    )


@given(st.lists(st.floats(0.05, 0.5), min_size=1, max_size=4), st.floats(0.1, 1.0))
def test_the_paper_s_bound(gaps, sigma):
    """Sum over levels of 2 / gap, for noise of variance 1."""
    effects = [[0.0, *(-gap for gap in gaps)], [0.0, -0.25]]
    problem = make("additive", effects=effects, noise="gaussian", sigma=sigma)
    expected = sigma**2 * (sum(2.0 / gap for gap in gaps) + 2.0 / 0.25)
    assert theory.regret_lower(problem, math.e**10) == pytest.approx(10.0 * expected)


@settings(max_examples=150, deadline=None)
@given(duels())
def test_duels(problem):
    best, K, table = problem.best[0], problem.sizes[0], means(problem)
    if not identifiable(problem):
        assert theory.regret_lower(problem, 1e6) == 0.0
        return
    regret = 0.0
    for a in set(range(K)) - {best}:
        rate = max(kl(table[a, b], table[best, b]) for b in range(K) if b != a)
        pulls = math.log(1e6) / rate / 2.0 / (1 - ties(problem))
        assert theory.pulls_lower(problem, 1e6)[0][a] == pytest.approx(pulls, rel=1e-6)
        regret += pulls * problem.regret((a, a))
    assert theory.regret_lower(problem, 1e6) == pytest.approx(regret, rel=1e-6)
    assert theory.condorcet_lower(problem, 1e6) >= regret * (1 - 1e-9)


def test_komiyama():
    """Identical gaps: every arm is best compared with the winner, (p - 1/2) / (2 kl(1 - p, 1/2))
    each.
    """
    assert theory.condorcet_lower(fb.environments.identical_gap(5, 0.8), math.e) == pytest.approx(
        4 * 0.3 / (2 * kl(0.2, 0.5))
    )
    # in the cycle it is cheapest to lose to the one before: (0.1 + 0.1) / 2 / kl(0.1, 0.5)
    cyclic = fb.environments.cyclic(p_best=0.6, p_cycle=0.9)
    assert theory.condorcet_lower(cyclic, math.e) == pytest.approx(3 * 0.1 / kl(0.1, 0.5))
    rock = [[0.5, 0.8, 0.2], [0.2, 0.5, 0.7], [0.8, 0.3, 0.5]]
    with pytest.raises(InvalidInputError, match="no arm that nobody beats"):
        theory.condorcet_lower(make("duel_matrix", preferences=rock, unit="copeland"), 10)
    with pytest.raises(InvalidInputError, match="not a duel"):
        theory.condorcet_lower(fb.environments.spiked(3), 10)


def test_units_of_duels():
    bounds = {
        u: theory.regret_lower(fb.environments.arithmetic(5, unit=u), 1e5)
        for u in ("average", "paper", "weak")
    }
    assert bounds["paper"] == pytest.approx(2 * bounds["average"])
    assert bounds["weak"] == 0.0  # one may go on dueling with the best arm


def test_certain_rewards_cost_nothing_to_know():
    assert theory.regret_lower(make("table", means=[1.0, 0.5]), 1e6) == 0.0


def test_nothing_is_said_of_problems_that_are_not_identifiable():
    problem = make("table", means=[[0.9, 0.2], [0.1, 0.4]])
    assert theory.regret_lower(problem, 1e6) == 0.0
    assert [p.tolist() for p in theory.pulls_lower(problem, 1e6)] == [[0.0, 0.0], [0.0, 0.0]]


def test_lower_is_below_upper():
    for problem in (
        fb.environments.spiked(8),
        fb.environments.arithmetic(8),
        make("trap"),
        make("table", means=[0.5, 0.4]),
    ):
        t = np.geomspace(10, 1e12, 20)
        assert (theory.regret_lower(problem, t) < theory.regret_upper(problem, t)).all()
