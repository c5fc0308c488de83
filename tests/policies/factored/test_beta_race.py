"""The race of Beta variables has the law of drawing them all, whatever the bar."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import gammaln
from scipy.stats import beta as beta_law
from scipy.stats import chisquare

from factored_bandits.policies.factored.flat._beta_race import (
    ENOUGH,
    FIRST,
    HAZARD,
    SECOND,
    add_up,
    hazard,
    log_gamma,
    propose,
    race,
    reconsider,
    set_bar,
    steepness,
)

fixed = settings(max_examples=200, deadline=None, derandomize=True, database=None)
parameters = st.floats(0.0, 5.0).map(lambda e: 10.0**e)


@fixed
@given(parameters)
def test_log_gamma(x):
    assert log_gamma(x) == pytest.approx(gammaln(x), rel=1e-13, abs=3e-12)


@fixed
@given(parameters, parameters, st.floats(0.001, 0.999))
def test_the_tangent_lies_above_the_density(a, b, bar):
    """Mass of the tangent = 1 - exp(-hazard) >= the chance to be above the bar, and no acceptance
    ratio exceeds 1.
    """
    risk = hazard(a, b, bar)
    if math.isinf(risk):
        return
    assert -math.expm1(-risk) >= beta_law.sf(bar, a, b) * (1 - 1e-6) - 1e-300
    fall = steepness(a, b, bar)
    y = np.linspace(bar, 1.0, 50)[1:-1]
    ratio = (a - 1) * np.log(y / bar) + (b - 1) * np.log((1 - y) / (1 - bar)) + fall * (y - bar)
    assert (ratio <= 1e-9 * (a + b)).all()


def raced(a, b, bar=None, blocks=2, draws=20_000, seed=0):
    """How often each variable wins; `bar` other than the one that would be chosen."""
    table, sums, rng = (
        np.array([a, b, np.zeros(len(a))]),
        np.zeros(blocks),
        np.random.default_rng(seed),
    )
    chosen = set_bar(table, sums)
    if bar is not None:
        chosen = bar
        for i in range(len(a)):
            table[HAZARD, i] = hazard(a[i], b[i], bar)
        for block in range(blocks):
            add_up(table, sums, block)
    return np.bincount([race(table, sums, chosen, rng) for _ in range(draws)], minlength=len(a))


def exact(a, b):
    """The chance of each variable to be the largest, by integration."""
    laws = [beta_law(*pair) for pair in zip(a, b, strict=True)]

    def probability(i):
        others = [law for j, law in enumerate(laws) if j != i]
        return quad(
            lambda x: laws[i].pdf(x) * np.prod([law.cdf(x) for law in others]), 0, 1, limit=400
        )[0]

    return np.array([probability(i) for i in range(len(a))])


@pytest.mark.parametrize("bar", [None, 0.05, 0.5, 0.62, 0.7, 0.9])
def test_winners_have_the_chances_that_integration_gives(bar):
    """Chi-square, one test in a thousand may fail; from a bar that all pass to one that nobody
    passes.
    """
    a, b = np.array([60.0, 12.0, 3.0, 1.0, 30.0, 5.5]), np.array([40.0, 9.0, 5.0, 2.0, 31.0, 3.25])
    expected = exact(a, b)
    assert expected.sum() == pytest.approx(1.0, abs=1e-6)
    counts = raced(a, b, bar, blocks=3)
    assert chisquare(counts, counts.sum() * expected / expected.sum()).pvalue > 0.001


@pytest.mark.parametrize("bar", [None, 0.5, 0.8, 0.97, 0.999])
def test_variables_that_never_failed_have_the_chances_that_integration_gives(bar):
    """With a second parameter of 1 the mass beyond the bar is exact."""
    a, b = np.array([1.0, 1.0, 2.0, 4.0, 1.0, 9.0]), np.array([1.0, 1.0, 1.0, 1.0, 2.0, 2.0])
    expected = exact(a, b)
    counts = raced(a, b, bar, blocks=3, seed=2)
    assert chisquare(counts, counts.sum() * expected / expected.sum()).pvalue > 0.001
    assert hazard(4.0, 1.0, 0.97) == pytest.approx(-beta_law.logcdf(0.97, 4.0, 1.0))


def test_with_thousands_of_variables_few_propose():
    table, sums = np.array([np.ones(5000), np.ones(5000), np.zeros(5000)]), np.zeros(70)
    set_bar(table, sums)
    assert ENOUGH < sums.sum() < 3 * ENOUGH
    assert np.isfinite(table[HAZARD]).all()


def test_the_value_of_the_winner_has_the_law_of_the_maximum():
    """A proposal above the bar has the density of the variable there: its share and its mean, 4
    standard errors.
    """
    a, b, bar, rng = 30.0, 31.0, 0.6, np.random.default_rng(4)
    risk = hazard(a, b, bar)
    values = np.array([propose(a, b, risk, bar, -1.0, rng) for _ in range(40_000)])
    accepted = values[values > 0]
    assert (accepted > bar).all()
    above = beta_law.sf(bar, a, b)
    probability = above / -math.expm1(-risk)
    assert abs(len(accepted) / 40_000 - probability) < 4 * math.sqrt(
        probability * (1 - probability) / 40_000
    )
    mean = quad(lambda x: x * beta_law.pdf(x, a, b), bar, 1)[0] / above
    assert abs(accepted.mean() - mean) < 4 * accepted.std() / math.sqrt(len(accepted))


def test_many_variables_one_of_them_new():
    """256 variables, one changed after the bar was set: hazards and sums are those of a fresh
    start.
    """
    rng = np.random.default_rng(1)
    table, sums = (
        np.array([rng.uniform(5, 50, 256), rng.uniform(20, 80, 256), np.zeros(256)]),
        np.zeros(16),
    )
    bar = set_bar(table, sums)
    assert np.isfinite(table[HAZARD]).sum() > 200
    table[FIRST, 77], table[SECOND, 77] = 40.0, 70.0
    reconsider(table, sums, bar, 77)
    expected = [hazard(table[FIRST, i], table[SECOND, i], bar) for i in range(256)]
    assert table[HAZARD].tolist() == expected
    assert sums == pytest.approx(np.array(expected).reshape(16, 16).sum(axis=1))
