"""Student's t against SciPy, and the error of a verdict counted over many small samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from factored_bandits.core.distributions.student import quantile, tail
from factored_bandits.core.stats import (
    LEVEL,
    errors_needed,
    log_log_slope,
    verdict_of,
    verdict_of_runs,
)

DEGREES = (0.5, 1, 2, 2.7, 3, 4, 9, 19, 99, 1e4, 1e6, math.inf)


@pytest.mark.parametrize("degrees", DEGREES)
def test_tails_are_those_of_scipy(degrees):
    for t in (0.0, 1e-6, 0.3, 1.0, 3.0, 4.541, 12.0, 100.0, -0.5, -20.0):
        assert tail(t, degrees) == pytest.approx(scipy_stats.t.sf(t, degrees), rel=2e-9, abs=1e-290)


@pytest.mark.parametrize("degrees", DEGREES)
@pytest.mark.parametrize("level", [0.5, 0.1, 0.01, 0.01 / 11, 1e-5])
def test_quantiles_are_those_of_scipy(level, degrees):
    expected = scipy_stats.t.isf(level, degrees)
    assert quantile(level, degrees) == pytest.approx(expected, rel=2e-8, abs=1e-9)


def test_no_degrees_of_freedom_decide_nothing():
    assert math.isnan(quantile(0.01, 0))
    assert verdict_of(9.0, 1.0, 0) == "undecided"
    assert verdict_of_runs(np.array([5.0])) == "undecided"


def test_three_standard_errors_of_four_runs_are_not_enough():
    """By the normal distribution they would be: 2.9 % on either side, three times the level."""
    assert tail(3.0, 3) == pytest.approx(0.0288, abs=1e-4)
    assert verdict_of(3.5, 1.0, 3) == "undecided"
    assert verdict_of(3.5, 1.0, 19) == "holds"
    assert verdict_of(-3.5, 1.0, 19) == "fails"


def test_more_comparisons_need_more():
    assert verdict_of(6.0, 1.0, 3) == "holds"
    assert verdict_of(6.0, 1.0, 3, comparisons=11) == "undecided"
    assert errors_needed(3, 11) == pytest.approx(scipy_stats.t.isf(LEVEL / 11, 3))


def test_wrong_verdicts_are_as_rare_as_the_level_says():
    """8,000 samples of 4 normal numbers with mean 0, where "it is positive" must not hold.

    Exact binomial bounds at 10^-6; three standard errors would give 2.9 %, far above.
    """
    rng = np.random.default_rng(5)
    runs = rng.standard_normal((8_000, 4))
    wrong = sum(verdict_of_runs(run) == "holds" for run in runs)
    low, high = scipy_stats.binom.ppf([1e-6, 1 - 1e-6], len(runs), LEVEL)
    assert low <= wrong <= high

    several = runs.reshape(-1, 5, 4)
    wrong = sum(
        any(verdict_of_runs(run, comparisons=5) == "holds" for run in together)
        for together in several
    )
    assert wrong <= scipy_stats.binom.ppf(1 - 1e-6, len(several), LEVEL)


def test_the_degrees_of_a_slope_are_those_of_its_noisiest_mean():
    """Welch and Satterthwaite: between the fewest runs less one and all of them together."""
    rng = np.random.default_rng(1)
    quiet, loud = (100.0 + scale * rng.standard_normal(5) for scale in (1e-9, 1.0))
    x = np.array([1.0, 10.0])
    assert log_log_slope(x, [quiet, loud]).degrees == pytest.approx(4.0)
    even = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert log_log_slope(x, [even, even]).degrees == pytest.approx(8.0)
    assert math.isnan(log_log_slope(x, [even[:1], even]).error)


def test_exact_numbers_are_decided():
    assert verdict_of(1.0, 0.0, 3) == "holds"
    assert verdict_of_runs(np.array([-2.0, -2.0])) == "fails"
    assert verdict_of(0.0, 0.0, 3) == "undecided"
