"""Tsallis-INF's weights and estimators."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from factored_bandits.core.select import categorical
from factored_bandits.policies.blocks.tsallis import (
    IMPORTANCE,
    REDUCED_VARIANCE,
    learning_rate,
    tsallis_feed,
    tsallis_weights,
)

fixed = settings(max_examples=200, deadline=None, derandomize=True, database=None)
loss_lists = st.lists(
    st.one_of(st.floats(0, 10), st.floats(-1e3, 1e3), st.floats(-1e12, 1e12)),
    min_size=1,
    max_size=20,
)


def weights_of(losses, rate, previous=0.0):
    weights = np.zeros(len(losses))
    tsallis_weights(np.array(losses, dtype=float), weights, 0, len(losses), rate, previous)
    return weights


@pytest.mark.parametrize("seed", range(6))
def test_weights_minimise_the_ftrl_objective(seed):
    """Against a general solver on the softmax parametrisation of the simplex."""
    rng = np.random.default_rng(seed)
    losses, rate = rng.exponential(4.0, 6), rng.uniform(0.1, 2.0)

    def probabilities(x):
        p = np.exp(x - x.max())
        return p / p.sum()

    def objective(x):
        p = probabilities(x)
        return p @ losses - 4.0 / rate * (np.sqrt(p) - p / 2).sum()

    found = minimize(objective, np.zeros(6), method="BFGS", options={"gtol": 1e-9})
    assert weights_of(losses, rate) == pytest.approx(probabilities(found.x), abs=1e-5)


@fixed
@given(loss_lists, st.floats(-9, 1).map(lambda e: 10.0**e), st.floats(0, 100))
def test_weights_are_probabilities_and_ordered(losses, rate, previous):
    """From any starting point, for any losses: they add up to one, and a smaller loss has no
    smaller weight.
    """
    weights = weights_of(losses, rate, previous)
    assert np.isfinite(weights).all()
    assert (weights > 0).all()
    assert abs(weights.sum() - 1.0) < 1e-12
    assert (np.diff(weights[np.argsort(losses, kind="stable")]) <= 0).all()
    np.testing.assert_allclose(weights, weights_of(losses, rate), rtol=1e-8)


@fixed
@given(loss_lists, st.floats(0.01, 2.0))
def test_weights_have_the_form_of_the_paper(losses, rate):
    """w_i = 4 / (rate (L_i - x))^2 with one x for all."""
    weights = weights_of(losses, rate)
    x = np.array(losses) - 2.0 / (rate * np.sqrt(weights))
    assert x == pytest.approx(x[0], abs=1e-6 / rate + 1e-9 * np.abs(losses).max())


def test_learners_side_by_side_do_not_touch_each_other():
    losses, weights = np.arange(7.0), np.full(7, -1.0)
    tsallis_weights(losses, weights, 2, 3, 0.5, 0.0)
    assert weights[[0, 1, 5, 6]].tolist() == [-1.0] * 4
    assert weights[2:5] == pytest.approx(weights_of([2.0, 3.0, 4.0], 0.5))
    before = losses.copy()
    tsallis_feed(losses, weights, 2, 3, 1, 0.7, 0.5, REDUCED_VARIANCE)
    assert (losses != before).tolist() == [False, False, True, True, False, False, False]
    assert tsallis_weights(np.zeros(1), np.zeros(1), 0, 1, 0.3, 0.0) == 2.0


@pytest.mark.parametrize("estimator", [IMPORTANCE, REDUCED_VARIANCE])
@pytest.mark.parametrize("rate", [0.05, 0.5, 1.0])
def test_estimates_are_unbiased(estimator, rate):
    """The mean of the estimate over the play is the loss of every level: exact, not simulated."""
    losses = np.array([0.9, 0.1, 0.5, 1.0])
    cumulated = np.array([0.0, 2.0, 9.0, 40.0])
    weights = weights_of(cumulated, rate)
    expected = np.zeros(4)
    for arm in range(4):
        learned = cumulated.copy()
        tsallis_feed(learned, weights, 0, 4, arm, losses[arm], rate, estimator)
        expected += weights[arm] * (learned - cumulated)
    assert expected == pytest.approx(losses, abs=1e-12)


def test_the_baseline_goes_to_every_level_with_enough_weight():
    """Adding it to the played level only is the mistake that costs a factor of nine."""
    cumulated = np.array([0.0, 1.0, 100.0])
    weights = weights_of(cumulated, 0.5)
    assert weights[2] < 0.25 < weights[1]
    learned = cumulated.copy()
    tsallis_feed(learned, weights, 0, 3, 0, 0.5, 0.5, REDUCED_VARIANCE)
    assert learned - cumulated == pytest.approx([0.5, 0.5, 0.0])
    learned = cumulated.copy()
    tsallis_feed(learned, weights, 0, 3, 2, 0.5, 0.5, REDUCED_VARIANCE)
    assert learned - cumulated == pytest.approx([0.5, 0.5, 0.5 / weights[2]])


def test_learning_rates():
    assert learning_rate(4.0, IMPORTANCE) == 1.0
    assert learning_rate(4.0, REDUCED_VARIANCE) == 2.0


def test_draws_follow_the_probabilities():
    """4 standard deviations of a binomial; never a level of probability zero."""
    rng = np.random.default_rng(0)
    probabilities = np.array([9.0, 0.0, 0.2, 0.7, 0.1 - 1e-16, 0.0])
    drawn = [categorical(rng, probabilities, 1, 5) for _ in range(20_000)]
    counts = np.bincount(drawn, minlength=5)

    expected = 20_000 * probabilities[1:]
    deviation = np.sqrt(expected * (1 - probabilities[1:]))
    assert (np.abs(counts - expected) <= 4 * deviation + 1e-9).all()

    class Highest:
        def random(self):
            return 1.0 - 2.0**-53

    assert categorical(Highest(), np.array([0.5, 0.4999999, 0.0]), 0, 3) == 1
