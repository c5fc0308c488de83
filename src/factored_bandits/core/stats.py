"""Mean and error of n runs, verdicts from them, and slopes on logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from .arrays import Floats
from .distributions import student

Verdict = Literal["holds", "fails", "undecided"]
# A verdict on a claim, with all its comparisons, is wrong at most so often if means of runs are
# normally distributed.
LEVEL = 0.01


class Mean(NamedTuple):
    """A mean with its standard error.

    Attributes
    ----------
    value
        The mean.
    error
        Its standard error; nan where one run says nothing of the error.

    Examples
    --------
    >>> str(Mean(2.0, 0.25)), Mean(1.0, 0.0).ratio(Mean(4.0, 0.0)).value
    ('2 +- 0.25', 0.25)
    """

    value: float
    error: float

    def ratio(self, other: Mean) -> Mean:
        """Divide by another mean, both with their error.

        Parameters
        ----------
        other
            The mean to divide by, of independent runs.

        Returns
        -------
        Mean
            The ratio with its error to first order; both nan if `other` is zero.
        """
        if other.value == 0.0:
            return Mean(math.nan, math.nan)
        value = self.value / other.value
        return Mean(value, math.hypot(self.error, value * other.error) / abs(other.value))

    def __str__(self) -> str:
        if abs(self.value) >= 10:
            return f"{self.value:,.0f} +- {self.error:,.0f}"
        value = self.value
        if abs(value) < 1e-3 * self.error:
            value = 0.0  # rounding, not a difference
        return f"{value:.2g} +- {self.error:.2g}"


def standard_error(values: Floats) -> Floats:
    """The standard error of the mean over the first axis; nan for a single run.

    >>> standard_error(np.array([1.0, 3.0])).item(), standard_error(np.array([1.0])).item()
    (1.0, nan)
    """
    values = np.asarray(values, dtype=np.float64)
    if len(values) < 2:
        return np.full(values.shape[1:], math.nan)
    return np.asarray(values.std(axis=0, ddof=1) / math.sqrt(len(values)))


def mean_of(values: Floats) -> Mean:
    """Mean and standard error of n runs.

    >>> mean_of(np.array([1.0, 3.0]))
    Mean(value=2.0, error=1.0)
    """
    return Mean(float(np.mean(values)), float(standard_error(values)))


def finite_or_none(value: float) -> float | None:
    """None instead of nan and infinity, which JSON does not know.

    >>> finite_or_none(2.0), finite_or_none(math.inf), finite_or_none(math.nan)
    (2.0, None, None)
    """
    return float(value) if math.isfinite(value) else None


def verdict_of(distance: float, error: float, degrees: float, comparisons: int = 1) -> Verdict:
    """Decide by Student's t, at `LEVEL` a side, whether a distance is positive.

    Parameters
    ----------
    distance
        An estimate, normally distributed.
    error
        Its standard error; nan, of a single run, decides nothing.
    degrees
        The degrees of freedom of the error: for n runs, n - 1.
    comparisons
        How many comparisons decide the claim together: each has this share of the level
        (Bonferroni), so that all that is said of them is right, but for `LEVEL`.

    Returns
    -------
    Verdict
        `"holds"`, `"fails"` or `"undecided"`.

    Examples
    --------
    >>> verdict_of(5.0, 1.0, 3), verdict_of(-5.0, 1.0, 3), verdict_of(4.0, 1.0, 3)
    ('holds', 'fails', 'undecided')
    >>> verdict_of(5.0, 1.0, 3, comparisons=8), verdict_of(9.0, math.nan, 0)
    ('undecided', 'undecided')
    """
    width = errors_needed(degrees, comparisons) * error
    if distance > width:
        return "holds"
    if distance < -width:
        return "fails"
    return "undecided"


def errors_needed(degrees: float, comparisons: int = 1) -> float:
    """By how many standard errors one of so many comparisons is decided; nan for a single run.

    >>> round(errors_needed(3), 2), round(errors_needed(19), 2), round(errors_needed(19, 10), 2)
    (4.54, 2.54, 3.58)
    """
    return student.quantile(LEVEL / comparisons, degrees)


def verdict_of_runs(distances: Floats, comparisons: int = 1) -> Verdict:
    """Decide by Student's t whether the mean of distances, one per run, is positive.

    >>> verdict_of_runs(np.array([5.0, 6.0, 7.0])), verdict_of_runs(np.array([-1.0, 6.0, 7.0]))
    ('holds', 'undecided')
    """
    return verdict_of(*mean_of(distances), len(distances) - 1, comparisons)


class Slope(NamedTuple):
    """A straight line on logarithmic axes: y is about exp(intercept) * x ** value.

    >>> str(Slope(1.0, 0.125, 0.0)), str(Slope(1.0, math.nan, 0.0))
    ('slope 1.00 +- 0.12', 'slope 1.00')
    """

    value: float
    error: float  # standard error from the repetitions; nan where there is a single one
    intercept: float  # the natural logarithm of the fitted y at x = 1
    degrees: float = math.nan  # of freedom of the error

    def __str__(self) -> str:
        error = f" +- {self.error:.2f}" if math.isfinite(self.error) else ""
        return f"slope {self.value:.2f}{error}"


def log_log_slope(x: Floats, runs: Sequence[Floats]) -> Slope:
    """The slope of the logarithm of mean y against that of x, by least squares.

    Means are taken before logarithms, so that the line is that of the points in a figure, and a
    run without any regret does no harm. The error comes from the standard errors of the means, to
    first order, and its degrees of freedom are those of Welch and Satterthwaite. All nan for a
    single x, or where a mean is not positive.

    Parameters
    ----------
    x
        Positive numbers (n,).
    runs
        For each x the values of its runs; their numbers may differ.

    Returns
    -------
    The slope with its standard error and degrees of freedom, and the intercept.

    Examples
    --------
    >>> fit = log_log_slope(np.array([1.0, 10.0]), [np.array([2.0, 4.0]), np.array([300.0, 300.0])])
    >>> round(fit.value, 9), round(fit.error, 3)
    (2.0, 0.145)
    """
    means = [mean_of(values) for values in runs]
    y = np.array([mean.value for mean in means])
    if len(np.unique(x)) < 2 or (y <= 0.0).any():
        return Slope(math.nan, math.nan, math.nan)

    relative = np.array([mean.error for mean in means]) / y  # the error of log y, to first order
    return _line(np.log(np.asarray(x, dtype=np.float64)), np.log(y), relative, runs)


def linear_slope(x: Floats, runs: Sequence[Floats]) -> Slope:
    """The slope of mean y against x, by least squares; x or y may be logarithms themselves.

    Parameters
    ----------
    x
        Numbers (n,).
    runs
        For each x the values of its runs; their numbers may differ.

    Returns
    -------
    The slope with its standard error and degrees of freedom, and the intercept.

    Examples
    --------
    >>> fit = linear_slope(np.array([1.0, 3.0]), [np.array([2.0, 4.0]), np.array([7.0, 7.0])])
    >>> fit.value, fit.error, fit.intercept, fit.degrees
    (2.0, 0.5, 1.0, 1.0)
    """
    means = [mean_of(values) for values in runs]
    y = np.array([mean.value for mean in means])
    errors = np.array([mean.error for mean in means])
    return _line(np.asarray(x, dtype=np.float64), y, errors, runs)


def _line(x: Floats, y: Floats, errors: Floats, runs: Sequence[Floats]) -> Slope:
    """The line of least squares through points whose y have errors."""
    centred = x - x.mean()
    weights = centred / (centred**2).sum()
    value = float(weights @ y)
    variances = weights**2 * errors**2
    intercept = float(y.mean() - value * x.mean())
    return Slope(value, float(np.sqrt(variances.sum())), intercept, _degrees(variances, runs))


def _degrees(variances: Floats, runs: Sequence[Floats]) -> float:
    """The degrees of freedom of a sum of independent means (Welch and Satterthwaite)."""
    own = np.array([len(values) - 1.0 for values in runs])
    if not (own > 0.0).all():
        return math.nan
    parts = float((variances**2 / own).sum())
    return float(variances.sum()) ** 2 / parts if parts > 0.0 else float(own.min())
