"""What is known before an experiment: the levels, today's rate, what a good level might add."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from factored_bandits.environments import Environment, make
from factored_bandits.environments.checks import room_for_levels
from factored_bandits.errors import InvalidInputError

from .words import percent

PER_DAY = {"hour": 24.0, "day": 1.0, "week": 1.0 / 7.0}
_TRAFFIC = re.compile(r"\s*([^/\s]+)\s*(?:/\s*(\w+)\s*)?")


@dataclass(frozen=True)
class Assumptions:
    """What `fb.plan` assumes of an experiment.

    Lifts multiply: a combination succeeds with probability base_rate times (1 + lift) for each
    factor that plays its best level, whatever the other factors do. All other levels of a factor
    are alike.

    Parameters
    ----------
    factors
        How many levels each factor has.
    base_rate
        The rate of success without any best level.
    lift
        What the best level adds, such as 0.2 for 20 % more: one for all factors, or one for each.

    Raises
    ------
    InvalidInputError
        If they make no problem: rates must lie between 0 and 1.

    Examples
    --------
    >>> problem = Assumptions(factors=(5, 4, 3), base_rate=0.05, lift=0.2).problem()
    >>> [round(problem.mean(action), 4) for action in ([1, 1, 1], [0, 1, 1], [0, 0, 0])]
    [0.05, 0.06, 0.0864]
    """

    factors: Sequence[int]
    base_rate: float
    lift: float | Sequence[float]

    def __post_init__(self) -> None:
        factors: Any = self.factors
        if isinstance(factors, (str, bytes)) or not isinstance(factors, Sequence) or not factors:
            raise InvalidInputError(
                f"factors must be the levels of each factor, such as (5, 4, 3), not {factors!r}"
            )

        for size in factors:
            if isinstance(size, bool) or not isinstance(size, Integral) or size < 2:
                raise InvalidInputError(
                    f"factors must be whole numbers from 2, one per factor, not {size!r}"
                )

        room_for_levels(sum(int(size) for size in factors))

        if not (_is_number(self.base_rate) and 0.0 < self.base_rate < 1.0):
            raise InvalidInputError(
                f"base_rate must lie between 0 and 1, such as 0.05 for 5 %, not {self.base_rate!r}"
            )

        if isinstance(self.lift, (list, tuple)) and len(self.lift) != len(factors):
            raise InvalidInputError(
                f"lift must be one number, or one for each of {len(factors)} factors, not "
                f"{self.lift!r}"
            )

        for lift in self.lifts:
            if not (_is_number(lift) and 0.0 < lift < math.inf):
                raise InvalidInputError(
                    f"lift must be above 0, such as 0.2 for 20 % more, not {lift!r}"
                )

        if self.best_rate > 1.0 + 1e-9:
            raise InvalidInputError(
                f"base_rate {self.base_rate:g} and lift {self.lift} give the best combination a "
                f"rate of {self.best_rate:.3g}, above 1; lower one of them"
            )

    @property
    def lifts(self) -> tuple[float, ...]:
        """One per factor."""
        if isinstance(self.lift, list | tuple):
            return tuple(self.lift)
        return (self.lift,) * len(self.factors)  # type: ignore[return-value]

    @property
    def best_rate(self) -> float:
        """The rate of the best combination."""
        return self.base_rate * math.prod(1.0 + lift for lift in self.lifts)

    def problem(self) -> Environment:
        """The problem, of rank one; level 0 of every factor is its best."""
        # the first factor carries the rate of the best combination, the others are relative
        largest = [min(1.0, self.best_rate)] + [1.0] * (len(self.factors) - 1)
        factors = []
        for size, lift, top in zip(self.factors, self.lifts, largest, strict=True):
            factors.append([top] + [top / (1.0 + lift)] * (size - 1))
        return make("rank1", factors=factors)

    def __str__(self) -> str:
        alike = len(set(self.lifts)) == 1
        lifts = ", ".join(percent(lift) for lift in (self.lifts[:1] if alike else self.lifts))
        sizes = " x ".join(map(str, self.factors))
        return (
            f"{sizes} levels, base rate {percent(self.base_rate)}, lift {lifts}, "
            f"best rate {percent(self.best_rate)}"
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def per_day(traffic: float | str | None) -> float | None:
    """Rounds per day from a number, or a text such as "2000/day", "80/hour" or "15000/week".

    >>> per_day("100/hour"), per_day("700/week"), per_day(50)
    (2400.0, 100.0, 50.0)
    """
    if traffic is None:
        return None
    shape = _TRAFFIC.fullmatch(str(traffic))
    try:
        number = float(shape[1].replace(",", "")) if shape else math.nan
    except ValueError:
        number = math.nan

    unit = (shape[2] if shape else None) or "day"
    if isinstance(traffic, bool) or not 0.0 < number < math.inf or unit not in PER_DAY:
        raise InvalidInputError(
            "traffic must be a number above 0, per day, or such as 80/hour, 2000/day, not "
            f"{traffic!r}"
        )

    return number * PER_DAY[unit]
