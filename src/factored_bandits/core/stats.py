"""Mean and error of n runs, verdicts from them, and slopes on logarithmic axes."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from .arrays import Floats

Verdict = Literal["holds", "fails", "undecided"]


class Mean(NamedTuple):
    """A mean with its standard error, nan where one run says nothing of the error.

    >>> str(Mean(2.0, 0.25)), Mean(1.0, 0.0).ratio(Mean(4.0, 0.0)).value
    ('2 +- 0.25', 0.25)
    """

    value: float
    error: float

    def ratio(self, other: Mean) -> Mean:
        """This over the other, both with their error (to first order)."""
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


def verdict_of(distance: float, error: float, errors: float = 3.0) -> Verdict:
    """Does something hold that says `distance` is positive? Undecided within `errors` errors.

    >>> verdict_of(3.0, 1.0), verdict_of(-3.0, 1.0), verdict_of(1.0, 1.0), verdict_of(9.0, math.nan)
    ('holds', 'fails', 'undecided', 'undecided')
    """
    if distance > errors * error:
        return "holds"
    if distance < -errors * error:
        return "fails"
    return "undecided"


def log_log_slope(x: Floats, y: Floats) -> float:
    """The slope of log y against log x by least squares; nan where it is not determined.

    >>> round(log_log_slope(np.array([1.0, 10.0]), np.array([3.0, 300.0])), 9)
    2.0
    """
    x = np.asarray(x, dtype=np.float64)
    y = np.asarray(y, dtype=np.float64)
    usable = (x > 0.0) & (y > 0.0)
    if len(np.unique(x[usable])) < 2:
        return math.nan
    return float(np.polyfit(np.log(x[usable]), np.log(y[usable]), 1)[0])
