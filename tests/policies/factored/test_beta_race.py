"""The race of Beta variables: equal in distribution to drawing them all, at any threshold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta as beta_distribution
from scipy.stats import chisquare

from factored_bandits.policies.factored.flat._beta_race import (
    MOST_PROPOSALS,
    hazard,
    propose,
    race,
    set_threshold,
    steepness,
    sum_block,
    update_hazard,
)

fixed = settings(max_examples=200, deadline=None, derandomize=True, database=None)
parameters = st.floats(0.0, 5.0).map(lambda e: 10.0**e)


@fixed
@given(parameters, parameters, st.floats(0.001, 0.999))
def test_the_tangent_lies_above_the_density(a, b, threshold):
    """Mass of the tangent = 1 - exp(-hazard) >= P(above the threshold), and no acceptance ratio
    exceeds 1.
    """
    risk = hazard(a, b, threshold)
    if math.isinf(risk):
        return
    assert -math.expm1(-risk) >= beta_distribution.sf(threshold, a, b) * (1 - 1e-6) - 1e-300
    fall = steepness(a, b, threshold)
    y = np.linspace(threshold, 1.0, 50)[1:-1]
    ratio = (
        (a - 1) * np.log(y / threshold)
        + (b - 1) * np.log((1 - y) / (1 - threshold))
        + fall * (y - threshold)
    )
    assert (ratio <= 1e-9 * (a + b)).all()


def raced(a, b, threshold=None, blocks=2, draws=20_000, seed=0):
    """How often each variable wins; `threshold` other than the one that would be chosen."""
    hazards = np.zeros(len(a))
    sums = np.zeros(blocks)
    rng = np.random.default_rng(seed)
    chosen = set_threshold(a, b, hazards, sums)
    if threshold is not None:
        chosen = threshold
        for i in range(len(a)):
            hazards[i] = hazard(a[i], b[i], threshold)
        for block in range(blocks):
            sum_block(hazards, sums, block)
    winners = [race(a, b, hazards, sums, chosen, rng) for _ in range(draws)]
    return np.bincount(winners, minlength=len(a))


def exact(a, b):
    """The probability of each variable to be the largest, by integration."""
    variables = [beta_distribution(*pair) for pair in zip(a, b, strict=True)]

    def probability(i):
        others = [other for j, other in enumerate(variables) if j != i]

        def density(x):
            return variables[i].pdf(x) * np.prod([other.cdf(x) for other in others])

        return quad(density, 0, 1, limit=400)[0]

    return np.array([probability(i) for i in range(len(a))])


@pytest.mark.parametrize("threshold", [None, 0.05, 0.5, 0.62, 0.7, 0.9])
def test_winners_have_the_probabilities_that_integration_gives(threshold):
    """Chi-square, one test in a thousand may fail; from a threshold that all pass to one that
    nobody passes.
    """
    a, b = np.array([60.0, 12.0, 3.0, 1.0, 30.0, 5.5]), np.array([40.0, 9.0, 5.0, 2.0, 31.0, 3.25])
    expected = exact(a, b)
    assert expected.sum() == pytest.approx(1.0, abs=1e-6)
    counts = raced(a, b, threshold, blocks=3)
    assert chisquare(counts, counts.sum() * expected / expected.sum()).pvalue > 0.001


@pytest.mark.parametrize("threshold", [None, 0.5, 0.8, 0.97, 0.999])
def test_variables_that_never_failed_win_with_the_right_probabilities(threshold):
    """With a second parameter of 1 the mass beyond the threshold is exact."""
    a, b = np.array([1.0, 1.0, 2.0, 4.0, 1.0, 9.0]), np.array([1.0, 1.0, 1.0, 1.0, 2.0, 2.0])
    expected = exact(a, b)
    counts = raced(a, b, threshold, blocks=3, seed=2)
    assert chisquare(counts, counts.sum() * expected / expected.sum()).pvalue > 0.001
    assert hazard(4.0, 1.0, 0.97) == pytest.approx(-beta_distribution.logcdf(0.97, 4.0, 1.0))


def test_with_thousands_of_variables_few_propose():
    hazards = np.zeros(5000)
    sums = np.zeros(70)
    set_threshold(np.ones(5000), np.ones(5000), hazards, sums)
    assert MOST_PROPOSALS < sums.sum() < 3 * MOST_PROPOSALS
    assert np.isfinite(hazards).all()


def test_the_value_of_the_winner_is_distributed_as_the_maximum():
    """A proposal above the threshold has the density of the variable there: its share and its mean,
    4 standard errors.
    """
    a = 30.0
    b = 31.0
    threshold = 0.6
    rng = np.random.default_rng(4)
    risk = hazard(a, b, threshold)
    values = np.array([propose(a, b, risk, threshold, -1.0, rng) for _ in range(40_000)])
    accepted = values[values > 0]
    assert (accepted > threshold).all()
    above = beta_distribution.sf(threshold, a, b)
    probability = above / -math.expm1(-risk)
    assert abs(len(accepted) / 40_000 - probability) < 4 * math.sqrt(
        probability * (1 - probability) / 40_000
    )
    mean = quad(lambda x: x * beta_distribution.pdf(x, a, b), threshold, 1)[0] / above
    assert abs(accepted.mean() - mean) < 4 * accepted.std() / math.sqrt(len(accepted))


def test_many_variables_one_of_them_new():
    """256 variables, one changed after the threshold was set: hazards and sums are those of a fresh
    start.
    """
    rng = np.random.default_rng(1)
    a = rng.uniform(5, 50, 256)
    b = rng.uniform(20, 80, 256)
    hazards = np.zeros(256)
    sums = np.zeros(16)
    threshold = set_threshold(a, b, hazards, sums)
    assert np.isfinite(hazards).sum() > 200

    a[77] = 40.0
    b[77] = 70.0
    update_hazard(a, b, hazards, sums, threshold, 77)
    expected = [hazard(a[i], b[i], threshold) for i in range(256)]
    assert hazards.tolist() == expected
    assert sums == pytest.approx(np.array(expected).reshape(16, 16).sum(axis=1))
