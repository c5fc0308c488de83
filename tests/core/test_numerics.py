"""Bernoulli KL and its confidence bounds against bisection; log-gamma and the sigmoid."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, getcontext

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import expit, gammaln, rel_entr

from factored_bandits.core.numerics import (
    exploration,
    kl,
    kl_lower,
    kl_upper,
    log_gamma,
    sigmoid,
    stirling_error,
)

getcontext().prec = 50
probabilities = st.one_of(
    st.floats(0.0, 1.0),
    st.floats(-14.0, 0.0).map(lambda e: 10.0**e),
    st.floats(-14.0, 0.0).map(lambda e: 1.0 - 10.0**e),
)
fixed = settings(max_examples=150, deadline=None, derandomize=True, database=None)
budgets = st.floats(-11.0, 2.5).map(lambda e: 10.0**e)


def precise(p: float, q: float) -> Decimal:
    """kl in fifty digits."""
    p, q, one = Decimal(p), Decimal(q), Decimal(1)
    first = p * (p / q).ln() if p else Decimal(0)
    return first + ((one - p) * ((one - p) / (one - q)).ln() if p < one else Decimal(0))


def bisected(p: float, budget: float) -> float:
    """The largest q with kl(p, q) <= budget, in fifty digits."""
    low, high = Decimal(p), Decimal(1)
    for _ in range(150):
        middle = (low + high) / 2
        if middle >= 1 or precise(p, middle) > Decimal(budget):
            high = middle
        else:
            low = middle
    return float(low)


@fixed
@given(probabilities, probabilities)
@example(1.0, 2e-313)
def test_divergence_is_scipy_s(p, q):
    expected = rel_entr(p, q) + rel_entr(1.0 - p, 1.0 - q)
    assert kl(p, q) == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_divergence_keeps_its_digits_where_the_means_are_near():
    assert kl(0.3, 0.3 + 1e-7) == pytest.approx(float(precise(0.3, 0.3 + 1e-7)), rel=1e-7)
    assert kl(0.0, 0.25) == -math.log(0.75)
    assert kl(1.0, 0.25) == pytest.approx(math.log(4.0))
    assert kl(0.5, 0.0) == kl(0.5, 1.0) == math.inf


@fixed
@given(probabilities, budgets)
@example(0.5, 40.0)
@example(1.0 - 1e-14, 1e-3)
@example(1e-14, 200.0)
def test_upper_bound_against_bisection(p, budget):
    """Good to 1e-9 of the distance and 1e-15 of the value, wherever the mean and however small the
    budget.
    """
    expected = bisected(p, budget)
    assert kl_upper(p, budget) == pytest.approx(
        expected, abs=1e-9 * (expected - p) + 4e-15 * (expected + 1e-3)
    )
    assert p <= kl_upper(p, budget) <= 1.0
    assert kl_lower(1.0 - p, budget) == 1.0 - kl_upper(1.0 - (1.0 - p), budget)


@fixed
@given(probabilities, budgets)
def test_bounds_grow_with_the_budget_and_enclose_the_mean(p, budget):
    assert (
        kl_lower(p, 2 * budget)
        <= kl_lower(p, budget)
        <= p
        <= kl_upper(p, budget)
        <= kl_upper(p, 2 * budget)
    )


@pytest.mark.parametrize(
    ("n", "successes"), [(1, 0), (1, 1), (10, 3), (1000, 999), (10**6, 5 * 10**5)]
)
def test_confidence_interval_of_a_bernoulli_mean(n, successes):
    """As the index of KL-UCB is used: root of n kl(mean, q) = budget by an independent solver."""
    mean, budget = successes / n, 12.0

    def excess(q):
        return n * (rel_entr(mean, q) + rel_entr(1 - mean, 1 - q)) - budget

    if mean < 1.0:
        root = brentq(excess, mean, 1 - 1e-16, xtol=1e-15)
        assert kl_upper(mean, budget / n) == pytest.approx(root, abs=1e-12)
    if mean > 0.0:
        root = brentq(excess, 1e-300, mean, xtol=1e-15)
        assert kl_lower(mean, budget / n) == pytest.approx(root, abs=1e-12)


def test_means_outside_are_taken_to_the_nearer_end():
    """Means of unbounded rewards may lie outside; the bound stays in [0, 1]."""
    assert kl_upper(-0.2, 0.5) == kl_upper(0.0, 0.5)
    assert kl_upper(1.3, 0.5) == 1.0
    assert kl_lower(1.3, 0.5) == kl_lower(1.0, 0.5)
    assert kl_upper(0.4, 0.0) == 0.4


def test_exploration_is_zero_at_first_and_never_falls():
    values = [exploration(float(t), 3.0) for t in range(1, 2000)]
    assert values[0] == 0.0
    assert all(b >= a for a, b in itertools.pairwise(values))
    assert values[999] == pytest.approx(math.log(1000) + 3 * math.log(math.log(1000)))


@fixed
@given(st.floats(0.0, 5.0).map(lambda e: 10.0**e))
def test_log_gamma(x):
    assert log_gamma(x) == pytest.approx(gammaln(x), rel=1e-13, abs=3e-12)


@pytest.mark.parametrize("n", [16.0, 100.0, 1e6])
def test_stirling_error(n):
    """What Stirling's formula misses of log n!, in fifty digits: 1/(12 n) - 1/(360 n^3) + ..."""
    terms = [(12, 1), (-360, 3), (1260, 5), (-1680, 7), (1188, 9)]
    expected = sum(1 / (Decimal(c) * Decimal(n) ** power) for c, power in terms)
    assert stirling_error(n) == pytest.approx(float(expected), rel=1e-15)
    factorial = gammaln(n + 1.0)
    formula = 0.5 * math.log(2.0 * math.pi * n) + n * math.log(n) - n
    assert formula + stirling_error(n) == pytest.approx(factorial, rel=1e-15)


@fixed
@given(st.floats(-1e4, 1e4))
def test_sigmoid_is_scipy_s(x):
    assert sigmoid(x) == pytest.approx(expit(x), rel=1e-14)
