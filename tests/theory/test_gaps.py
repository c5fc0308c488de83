"""Gaps, identifiability and kappa: against every combination of small problems, and by structure in
large ones.
"""

from __future__ import annotations

import dataclasses
import math
import time

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from small import brute_gaps, brute_kappa, duels, factored, identifiable, logistic, means, ties

import factored_bandits as fb
from factored_bandits.environments.structure import LOGISTIC
from factored_bandits.errors import InvalidInputError
from factored_bandits.theory.kappa import _one_at_a_time
from factored_bandits.theory.views import LARGEST_TABLE, Effects, view

make = fb.environments.make


@settings(max_examples=300, deadline=None)
@given(factored())
def test_gaps_are_the_smallest_leads(problem):
    for gap, brute, best in zip(
        fb.theory.gaps(problem), brute_gaps(problem), problem.best, strict=True
    ):
        np.testing.assert_allclose(gap, brute, atol=1e-14)
        assert gap[best] == 0.0


@settings(max_examples=200, deadline=None)
@given(duels())
def test_gaps_of_duels(problem):
    (gap,) = fb.theory.gaps(problem)
    np.testing.assert_allclose(gap, brute_gaps(problem)[0], atol=1e-14)


@settings(max_examples=300, deadline=None)
@given(factored() | duels())
def test_a_witness_is_one(problem):
    found = fb.theory.identifiability(problem)
    assert found.holds == identifiable(problem) == bool(found)
    assert found.factors == tuple(w is None for w in found.witnesses)
    for witness in found.witnesses:
        if witness is not None:
            with_best = list(witness.context)
            with_best[witness.factor] = problem.best[witness.factor]
            assert witness.context[witness.factor] == witness.level != witness.best
            assert problem.mean(witness.context) == witness.mean
            assert problem.mean(with_best) == witness.mean_of_best
            assert witness.mean - witness.mean_of_best > -1e-12
            assert str(witness) in str(found)


@settings(max_examples=400, deadline=None)
@given(factored())
@example(
    make("logistic", effects=[[0.0, -2.0], [0.0, -2.0]], base=4.0)
)  # two wrong levels lose more than one and one
def test_kappa_is_the_largest_ratio(problem):
    kappa = fb.theory.kappa(problem)
    if not identifiable(problem):
        assert kappa.value == math.inf
        return
    assert kappa.value == pytest.approx(brute_kappa(problem), rel=1e-9)
    assert kappa.value >= 1.0 - 1e-9
    if kappa.combination != problem.best:
        total = sum(
            gap[i] for gap, i in zip(fb.theory.gaps(problem), kappa.combination, strict=True)
        )
        lost = problem.mean(problem.best) - problem.mean(kappa.combination)
        assert lost == pytest.approx(kappa.value * total, rel=1e-9)


@settings(max_examples=200, deadline=None)
@given(logistic())
def test_one_wrong_level_at_a_time_is_not_always_enough(problem):
    """The shortcut is taken exactly where the best mean is at most 1/2; above, it would be wrong
    for some problems.
    """
    assume(identifiable(problem))
    alone = _one_at_a_time(view(problem)).value
    assert alone <= brute_kappa(problem) * (1 + 1e-9)
    if problem.mean(problem.best) <= 0.5:
        assert alone == pytest.approx(brute_kappa(problem), rel=1e-9)


def test_above_one_half_the_shortcut_is_wrong():
    problem = make("logistic", effects=[[0.0, -2.0], [0.0, -2.0]], base=4.0)
    assert _one_at_a_time(view(problem)).value == 1.0
    assert fb.theory.kappa(problem).value == pytest.approx(2.38, abs=0.01)


@settings(max_examples=200, deadline=None)
@given(duels())
def test_kappa_of_duels(problem):
    kappa = fb.theory.kappa(problem)
    if not identifiable(problem):
        assert kappa.value == math.inf
        return
    best, gap = problem.best[0], fb.theory.gaps(problem)[0]
    ratios = [
        (1 - ties(problem)) * (problem.mean((best, a)) - 0.5) / gap[a]
        for a in range(len(gap))
        if a != best
    ]
    assert kappa.value == pytest.approx(max(ratios), rel=1e-9)
    assert kappa.value >= 1.0 - 1e-9
    if problem.name == "duel_utility" and problem.params["link"] == "linear":
        assert kappa.value == pytest.approx(1.0)


@settings(max_examples=200, deadline=None)
@given(factored() | duels())
def test_the_table_has_every_mean(problem):
    np.testing.assert_allclose(view(problem).table().means, means(problem), atol=1e-14)


def test_a_difference_of_logistic_functions_rises_and_falls():
    """So that its minimum over any interval is at an end: what `Effects.gaps` rests on."""
    for distance in (1e-3, 0.1, 1.0, 5.0, 20.0):
        one_factor = Effects(LOGISTIC, [np.array([distance, 0.0])], 0.0, (0,))
        leads = [one_factor.lead(0, x)[1] for x in np.linspace(-40, 40, 4001)]
        rising = np.diff(np.log(leads)) > 0
        assert (np.diff(rising.astype(int)) <= 0).all(), distance


def test_digits_are_kept_where_probabilities_are_near_one():
    problem = make("logistic", effects=[[0.0, -1.0], [0.0, -1.0]], base=60.0)
    gap = fb.theory.gaps(problem)[0][1]
    assert gap == pytest.approx(
        math.exp(-60.0) * (math.e - 1.0), rel=1e-9
    )  # 1/(1+e^-60) - 1/(1+e^-59) is 0 in floats
    assert fb.theory.identifiability(problem).holds


def test_by_structure_beyond_any_table():
    rng = np.random.default_rng(0)
    qualities = [np.sort(rng.uniform(0.8, 1.0, 5))[::-1] for _ in range(40)]  # 5^40 combinations
    problem = make("rank1", factors=qualities)
    gaps = fb.theory.gaps(problem)
    low = math.prod(q.min() for q in qualities[1:])
    np.testing.assert_allclose(gaps[0], (qualities[0][0] - qualities[0]) * low)
    ratio = [q.max() / q.min() for q in qualities]
    assert fb.theory.kappa(problem).value == pytest.approx(math.prod(ratio) / min(ratio))
    effects = [rng.uniform(0.0, 0.02, 5) for _ in range(40)]
    assert fb.theory.kappa(make("additive", effects=effects)).value == 1.0
    rare = make("logistic", effects=[10 * e for e in effects], base=-12.0)
    assert fb.theory.identifiability(rare).holds
    assert 1.0 < fb.theory.kappa(rare).value < math.inf


def test_what_needs_every_combination_says_so():
    problem = make("logistic", effects=[[0.0, 1.0]] * 24)
    assert len(fb.theory.gaps(problem)) == 24
    with pytest.raises(
        InvalidInputError,
        match=r"mean of every combination: 2 x 2 .* = 1.68e\+07, more than 10,000,000",
    ):
        fb.theory.kappa(problem)


def test_a_table_of_ten_million():
    axes = [np.linspace(0.0, 0.2, 10) + 0.01 * np.arange(10) ** 2 / 81 for _ in range(7)]
    means = (
        sum(np.reshape(a, [-1 if k == l else 1 for k in range(7)]) for l, a in enumerate(axes))
        / 2.0
    )
    assert means.size == LARGEST_TABLE
    problem = make("table", means=means)
    began = time.process_time()
    gaps, kappa = fb.theory.gaps(problem), fb.theory.kappa(problem)
    assert time.process_time() - began < 20.0  # takes about 2
    for gap, axis in zip(gaps, axes, strict=True):
        np.testing.assert_allclose(gap, (axis[-1] - axis) / 2.0, atol=1e-12)
    assert kappa.value == pytest.approx(1.0)


def test_rounding_in_a_table_is_not_a_gap():
    means = [[0.1 + 0.2, 0.1], [0.3, 0.1]]  # 0.30000000000000004 and 0.3
    assert not fb.theory.identifiability(make("table", means=means)).holds


def test_one_level_and_one_factor():
    problem = make("table", means=[0.5])
    assert fb.theory.gaps(problem)[0].tolist() == [0.0]
    assert fb.theory.kappa(problem) == (1.0, (0,))
    assert fb.theory.identifiability(problem).holds
    assert fb.theory.kappa(make("additive", effects=[[0.1], [0.2]])) == (1.0, (0, 0))


def test_the_cycle_is_no_uniform_winner():
    witness = fb.theory.identifiability(fb.environments.cyclic()).witnesses[0]
    assert "beats the best arm 0 against arm" in str(witness)
    assert "probability 0.9, the best arm with 0.6" in str(witness)


def test_refusals():
    with pytest.raises(InvalidInputError, match="made by fb"):
        fb.theory.gaps("rank1")
    wandering = dataclasses.replace(make("table", means=[0.5, 0.2]), stationary=False)
    with pytest.raises(InvalidInputError, match="change over time"):
        fb.theory.gaps(wandering)


def test_a_foreign_environment_is_asked_for_its_means():
    problem = make("table", means=[[0.9, 0.2], [0.1, 0.05]])
    foreign = dataclasses.replace(problem, name="mine", module=Foreign, data=problem)
    for gap, known in zip(fb.theory.gaps(foreign), fb.theory.gaps(problem), strict=True):
        np.testing.assert_array_equal(gap, known)


class Foreign:
    @staticmethod
    def mean(env, t, action):
        return env.mean(action)
