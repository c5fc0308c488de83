"""What somebody knows before an experiment: how many levels, what the rate is today, what a good
level might add.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from factored_bandits.environments import Environment, make
from factored_bandits.errors import InvalidInputError

PER_DAY = {"hour": 24.0, "day": 1.0, "week": 1.0 / 7.0}
_TRAFFIC = re.compile(r"\s*([^/\s]+)\s*(?:/\s*(\w+)\s*)?")


@dataclass(frozen=True)
class Assumptions:
    """A guess for `fb.plan`: levels per factor, base rate, and lift of the best level (one for all,
    or one per factor).

    It becomes a problem so: lifts multiply. A combination succeeds with chance base_rate times (1 +
    lift) for each factor that stands at its best level, whatever the other factors do; all other
    levels of a factor are alike.

    >>> assumptions = Assumptions(factors=(5, 4, 3), base_rate=0.05, lift=0.2)
    >>> [round(assumptions.problem().mean(action), 4) for action in ([1, 1, 1], [0, 1, 1], [0, 0, 0])]
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
                "rate of "
                f"{self.best_rate:.3g}, above 1; lower one of them"
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
        scales = [min(1.0, self.best_rate)] + [1.0] * (len(self.factors) - 1)
        effects = zip(self.factors, self.lifts, scales, strict=True)
        return make(
            "rank1",
            factors=[[top] + [top / (1.0 + lift)] * (size - 1) for size, lift, top in effects],
        )

    def __str__(self) -> str:
        lifts = sorted(set(self.lifts))
        shown = (
            f"{lifts[0]:g}" if len(lifts) == 1 else ", ".join(f"{lift:g}" for lift in self.lifts)
        )
        sizes = " x ".join(map(str, self.factors))
        return f"{sizes} levels, base rate {self.base_rate:g}, lift {shown}, best rate {self.best_rate:.4g}"


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def per_day(traffic: float | str | None) -> float | None:
    """Rounds per day from a number (per day) or a text such as "2000/day", "80/hour" or
    "15000/week".

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
