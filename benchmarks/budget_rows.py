"""Figures measured here beside those of a prototype, as rows of a table.

Of shares the errors are binomial, from both sides together; of regret and of quantiles ours is
measured (quantiles by resampling), and that of the prototype taken to be the same for as many runs
as it had. That its figures are rounded counts, too. "within 3 s.e." is "better" where ours differs
by more only in the good direction.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

COLUMNS = ("instance", "policy", "at", "here", "prototype", "apart, s.e.", "within 3 s.e.")
LIMIT = 3.0
ROUNDING = 1.0 / math.sqrt(12.0)  # standard deviation: the prototype's figures are whole numbers
RESAMPLED = 200


class Figures(NamedTuple):
    """What one policy reached on one instance at several budgets."""

    instance: str
    policy: str
    at: tuple[str, ...]
    here: np.ndarray
    prototype: str  # "85/96/100"; "-" where it is not known
    errors: np.ndarray  # of the difference
    more_is_better: bool

    def row(self) -> tuple[str, ...]:
        """The row of the table."""
        theirs = numbers(self.prototype)
        known = ~np.isnan(theirs)
        apart = (self.here - theirs) / np.hypot(self.errors, ROUNDING)
        worse = -apart if self.more_is_better else apart
        within = "yes"
        if (np.abs(apart[known]) > LIMIT).any():
            within = "NO" if (worse[known] > LIMIT).any() else "better"
        shown = [f"{z:+.1f}" if is_known else "-" for z, is_known in zip(apart, known, strict=True)]
        ours = "/".join(short(value) for value in self.here)
        return (
            self.instance,
            self.policy,
            "/".join(self.at),
            ours,
            self.prototype,
            " ".join(shown),
            within,
        )


def short(value: float) -> str:
    """A figure as the specification writes it."""
    if math.isinf(value):
        return "-"
    return f"{value:.1f}".lstrip("0") if 0.0 < value < 1.0 else f"{value:.0f}"


def numbers(told: str) -> np.ndarray:
    """The figures of the prototype; nan where it has none."""
    return np.array([math.nan if one == "-" else float(one) for one in told.split("/")])


def share_errors(here, runs, prototype, there):
    """Standard errors of the difference of two shares in %, from both together.

    One run more with each outcome: a share of 100 % has an error, too.
    """
    theirs = np.nan_to_num(numbers(prototype))
    pooled = (here / 100 * runs + theirs / 100 * there + 1.0) / (runs + there + 2.0)
    return 100.0 * np.sqrt(pooled * (1.0 - pooled) * (1.0 / runs + 1.0 / there))


def mean_errors(values, there):
    """Of the difference of two means; the prototype's spread is taken to be ours."""
    runs = len(values)
    return values.std(axis=0, ddof=1) * math.sqrt(1.0 / runs + 1.0 / there)


def quantile_errors(values, shares, there):
    """Of the difference of two quantiles, by resampling ours."""
    rng = np.random.default_rng(1)
    runs = len(values)
    drawn = np.quantile(rng.choice(values, (RESAMPLED, runs)), shares, axis=1)
    with np.errstate(invalid="ignore"):
        return drawn.std(axis=1, ddof=1) * math.sqrt(1.0 + runs / there)
