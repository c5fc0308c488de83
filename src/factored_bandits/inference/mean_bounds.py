"""A bound on a mean that is valid at any time, for adaptive numbers without an upper limit.

Y_1, Y_2, ... have the means v_1, v_2, ... given the past, which may move. With forecasts f_t that
are known before Y_t, a scale c with Y_t - f_t >= -c, and any s from 0 to below 1, the process

    exp( s sum (Y_t - v_t) / c - psi(s) sum ((Y_t - f_t) / c)^2 ),    psi(s) = -log(1 - s) - s,

is a supermartingale that begins at 1 (docs/explanation/off-policy.md has the proof). So is a
mixture of such processes over many s. By Ville's inequality it ever exceeds 1 / alpha with
probability at most alpha, which bounds the mean of v_1 ... v_n from below, for all n at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats

# The stakes s of the mixture, each half of the one before and with the same weight. The best one
# for n numbers is of the order of 1 / sqrt(n), so that these serve up to 10^12 of them.
STAKES = 0.9 * 0.5 ** np.arange(20)
WEIGHTS = np.full(len(STAKES), 1.0 / len(STAKES))
COSTS = -np.log1p(-STAKES) - STAKES
HALVINGS = 40


class Process(NamedTuple):
    """Numbers with their forecasts, and by how much one may be below its forecast at most."""

    values: Floats
    forecasts: Floats
    scale: float
    rows: int | None = None  # if values are sums over several rows: how many in all

    def sums(self) -> tuple[float, float, int, float]:
        """Sum, sum of scaled squares, number of rows, and scale."""
        squares = ((self.values - self.forecasts) / self.scale) ** 2
        rows = len(self.values) if self.rows is None else self.rows
        return float(self.values.sum()), float(squares.sum()), rows, self.scale


def running_means(values: Floats, low: float = 0.0, high: float = 1.0) -> Floats:
    """Forecasts: per row the mean of the values before it, and of the middle of `low` and `high`.

    >>> running_means(np.array([1.0, 0.0, 7.0])).tolist()
    [0.5, 0.75, 0.5]
    """
    before = np.concatenate(([0.0], np.cumsum(values)[:-1]))
    means = (before + 0.5 * (low + high)) / np.arange(1, len(values) + 1)
    return np.clip(means, low, high)


def log_wealth(total: Any, variation: Any) -> Any:
    """The logarithm of the mixture, for sums of (Y_t - v_t) / c and of squares: numbers or arrays.

    >>> float(log_wealth(50.0, 50.0).round(1))
    12.1
    """
    exponents = np.multiply.outer(total, STAKES) - np.multiply.outer(variation, COSTS)
    largest = exponents.max(axis=-1, keepdims=True)
    return largest[..., 0] + np.log(np.exp(exponents - largest) @ WEIGHTS)


def lower_mean(processes: Sequence[Process], alpha: float) -> float:
    """What the mean of v_1 ... v_n is at least, with probability 1 - alpha at all times.

    Parameters
    ----------
    processes
        One or more with the same means v_t: the bound follows the one that does best, for the
        price of a mixture.
    alpha
        The probability of error, over all times at once.

    Returns
    -------
    float
        The bound; minus infinity if there are no values.

    Examples
    --------
    >>> values = np.tile([0.0, 1.0], 500)
    >>> round(lower_mean([Process(values, running_means(values), 1.0)], 0.025), 3)
    0.438
    """
    if len(processes[0].values) == 0:
        return -math.inf

    sums = [process.sums() for process in processes]
    limit = math.log(len(processes) / alpha)

    def is_possible(mean: float) -> bool:
        wealth = [
            log_wealth((total - count * mean) / scale, variation)
            for total, variation, count, scale in sums
        ]
        return float(np.logaddexp.reduce(wealth)) <= limit

    # the wealth falls as the mean grows, and is below 1 at the largest of the sample means
    high = max(total / count for total, _, count, _ in sums)
    step = 1.0 / sums[0][2]
    while is_possible(high - step):
        step *= 2.0
    low = high - step
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if is_possible(middle):
            high = middle
        else:
            low = middle
    return float(low)
