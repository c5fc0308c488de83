"""LB-INF-V's probabilities and updates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from factored_bandits.policies import describe
from factored_bandits.policies.blocks.lb_inf import (
    BETA,
    ESTIMATE,
    GRADIENT,
    LEAST_SQUARES,
    PLAYS,
    PREDICTION,
    PROBABILITY,
    VARIANCE,
    lb_inf_feed,
    lb_inf_table,
    lb_inf_weights,
    probability_at,
)

fixed = settings(max_examples=120, deadline=None, derandomize=True, database=None)
losses = st.one_of(
    st.floats(-5, 5), st.floats(-1e4, 1e4), st.floats(-1e9, 1e9), st.floats(-1e17, 1e17)
)
learners = st.lists(
    st.tuples(losses, st.one_of(st.just(0.0), st.floats(0, 1e8))), min_size=2, max_size=20
)
rounds = st.floats(0, 12).map(lambda e: 10.0**e)


def learner(estimates, variances=0.0, probabilities=None):
    table = lb_inf_table([len(estimates)])
    table[PREDICTION] = 0.0
    table[ESTIMATE] = estimates
    table[VARIANCE] = variances
    if probabilities is not None:
        table[PROBABILITY] = probabilities
    return table


def solved(table, t, previous=0.0):
    gamma = math.log1p(t)
    multiplier = lb_inf_weights(table, 0, table.shape[1], gamma, previous)
    return table[PROBABILITY].copy(), multiplier, gamma


@pytest.mark.parametrize("seed", range(8))
def test_probabilities_minimise_the_ftrl_objective(seed):
    """Against a general convex solver: the value reached, the probabilities, and no direction that
    improves.
    """
    rng = np.random.default_rng(seed)
    size, t = rng.integers(2, 8), 10 ** rng.uniform(0, 4)
    c, variances = rng.exponential(5.0, size), rng.exponential(20.0, size)
    ours, _, gamma = solved(learner(c, variances), t)
    beta = np.sqrt(1.2**2 + variances / gamma)

    def objective(p):
        return c @ p + beta @ (p - 1 - np.log(p) + gamma * (p + (1 - p) * np.log1p(-p)))

    def gradient(p):
        return c + beta * (1 - 1 / p - gamma * np.log1p(-p))

    found = minimize(
        objective,
        np.full(size, 1 / size),
        jac=gradient,
        method="SLSQP",
        bounds=[(1e-9, 1 - 1e-9)] * size,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1, "jac": np.ones_like},
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    assert objective(ours) <= found.fun + 1e-9 * abs(found.fun)
    assert ours == pytest.approx(found.x, abs=1e-4)
    assert gradient(ours) == pytest.approx(gradient(ours)[0], rel=1e-6)


@fixed
@given(learners, rounds, st.floats(-1e6, 1e6), st.integers(0, 2**32))
@example([(0.0, 0.0), (1e17, 0.0)], 1e9, 0.0, 0)
@example([(0.0, 0.0), (0.0, 1e8), (1e-300, 0.0)], 1.0, 0.0, 0)
def test_probabilities_whatever_the_losses(levels, t, previous, seed):
    """From any last solution: probabilities add up to one, are never zero, always finite, and solve
    the equations.
    """
    estimates, variances = np.array(levels).T
    before = np.random.default_rng(seed).dirichlet(np.full(len(levels), 0.1)).clip(1e-300, 1.0)
    table = learner(estimates, variances, before)
    p, _, gamma = solved(table, t, previous)
    assert np.isfinite(p).all()
    assert (p > 0).all()
    assert abs(p.sum() - 1.0) < 1e-12
    # 1 - p with its digits
    rest = np.array([p[np.arange(len(p)) != i].sum() for i in range(len(p))])
    implied = estimates - estimates[p.argmax()] + table[BETA] * (1 - 1 / p - gamma * np.log(rest))
    scale = table[BETA] / p + np.abs(estimates - estimates[p.argmax()]) + table[BETA] * gamma
    assert np.abs(implied - implied[p.argmax()]).max() <= 1e-7 * scale.max()
    cold, _, _ = solved(learner(estimates, variances), t)
    np.testing.assert_allclose(p, cold, rtol=1e-6)


@fixed
@given(st.lists(losses, min_size=2, max_size=20), rounds)
def test_a_smaller_loss_has_no_smaller_probability(estimates, t):
    p, _, _ = solved(learner(np.array(estimates)), t)
    ordered = p[np.argsort(estimates, kind="stable")]
    assert (np.diff(ordered) <= 1e-6 * ordered[:-1]).all()


@fixed
@given(st.floats(-1e15, 300.0), st.floats(0.5, 30.0), st.floats(-17, 0), st.booleans())
def test_one_level(a, gamma, exponent, mirrored):
    """h(p) = a from any starting point, with the digits of the smaller of p and 1 - p."""
    small = 10.0**exponent
    if mirrored:
        p, rest = probability_at(a, gamma, 1.0 - small, small)
    else:
        p, rest = probability_at(a, gamma, small, 1.0 - small)
    assert 1.0 - 1.0 / p - gamma * math.log(rest) == pytest.approx(
        a, rel=1e-7, abs=1e-7 * (1 + gamma)
    )
    assert p + rest == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("t", [1.0, 1e9])
def test_extremes_keep_their_digits(t):
    """One level leads by 1e15: the others share the rest, each by the inverse of its distance."""
    p, _, _ = solved(learner(np.array([0.0, 1e15, 2e15, 4e15])), t)
    assert p[1:] == pytest.approx(1.2 / np.array([1e15, 2e15, 4e15]), rel=1e-6)
    assert p[0] == 1.0 - p[1:].sum()


def test_estimates_are_unbiased_and_follow_the_formulas():
    """The mean over the play of what is added is the loss of every level; checked without
    simulation.
    """
    true, gamma = np.array([0.9, 0.2, 0.5]), math.log1p(50)
    table = lb_inf_table([3])
    table[ESTIMATE] = [9.0, 1.0, 90.0]
    table[PREDICTION] = [0.4, 0.3, 0.8]
    table[PLAYS] = [4, 7, 2]
    lb_inf_weights(table, 0, 3, gamma, 0.0)
    p, expected = table[PROBABILITY].copy(), np.zeros(3)
    assert p[1] > 0.7  # so that the minimum below is taken on both sides
    for arm in range(3):
        learned = table.copy()
        lb_inf_feed(learned, 0, 3, arm, true[arm], gamma, LEAST_SQUARES)
        expected += p[arm] * (learned[ESTIMATE] - table[ESTIMATE])
        others = np.arange(3) != arm
        assert (learned[ESTIMATE] - table[ESTIMATE])[others] == pytest.approx(
            table[PREDICTION][others]
        )
        residual = true[arm] - table[PREDICTION, arm]
        weight = min(1.0, 2 * (1 - p[arm]) / (p[arm] ** 2 * gamma))
        assert learned[VARIANCE, arm] == pytest.approx(residual**2 * weight)
        assert (
            learned[PREDICTION:PROBABILITY][:, others] == table[PREDICTION:PROBABILITY][:, others]
        ).all()
    assert expected == pytest.approx(true, abs=1e-12)


def test_predictions():
    """Least squares is (1/2 + sum of losses) / (1 + plays); the gradient moves a quarter of the
    way.
    """
    table, gradient = lb_inf_table([2]), lb_inf_table([2])
    seen = [1.0, 0.0, 0.0, 0.25, 1.0]
    for n, loss in enumerate(seen, start=1):
        before = gradient[PREDICTION, 1]
        lb_inf_feed(table, 0, 2, 1, loss, 1.0, LEAST_SQUARES)
        lb_inf_feed(gradient, 0, 2, 1, loss, 1.0, GRADIENT)
        assert table[PREDICTION, 1] == pytest.approx((0.5 + sum(seen[:n])) / (1 + n))
        assert gradient[PREDICTION, 1] == pytest.approx(before + (loss - before) / 4)
    assert table[PLAYS].tolist() == [0, 5]


def test_learners_side_by_side_do_not_touch_each_other():
    table = lb_inf_table([2, 1, 3])
    table[ESTIMATE] = [5, 1, 7, 2, 8, 4]
    before = table.copy()
    lb_inf_weights(table, 3, 3, 2.0, 0.0)
    lb_inf_feed(table, 3, 3, 2, 1.0, 2.0, LEAST_SQUARES)
    assert (table[:, :3] == before[:, :3]).all()
    alone = learner(np.array([2.5, 8.5, 4.5]))
    lb_inf_weights(alone, 0, 3, 2.0, 0.0)
    assert table[PROBABILITY, 3:] == pytest.approx(alone[PROBABILITY])
    lb_inf_weights(table, 2, 1, 2.0, 0.0)
    assert table[PROBABILITY, 2] == 1.0


def test_no_more_is_promised_than_was_proven():
    """The log barrier costs sqrt(K T log T), the proof has gamma = log T for a known T, and the
    bound with variances is for one learner whose losses are drawn independently.
    """
    said = describe("lb_inf").info.guarantee
    assert said.startswith("none proven with gamma = log(1 + t) and one learner per factor")
    assert "(variance / gap + 1) log T) for one learner and independent losses" in said
    assert "sqrt(K T log T)" in said
    assert "sqrt(K t)" not in said
