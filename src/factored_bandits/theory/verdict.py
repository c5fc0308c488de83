"""What a check found: the numbers, the verdict, and both as a table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints

ERRORS = 3.0  # standard errors by which a mean may miss a bound on an expectation
SHOWN = 5  # rounds in the printed table, a power of ten apart


class Pulls(NamedTuple):
    """Pulls of one suboptimal level by the horizon; of a duel, plays per place."""

    factor: int
    level: int
    measured: float
    standard_error: float
    lower: float
    upper: float  # nan where no theorem speaks of the policy


@dataclass(frozen=True, eq=False)
class Check:
    """What was measured, what the theory says, and the verdict; print it."""

    policy: str
    theorem: str  # what the upper bound is; empty if the paper has none for the policy
    problem: str
    unit: str
    repetitions: int
    rounds: Ints  # (C,)
    regret: Floats  # (C,) mean over the repetitions
    standard_error: Floats  # (C,)
    lower: Floats  # (C,) nan where the noise is not known
    upper: Floats  # (C,) nan where no theorem speaks of the policy
    pulls: list[Pulls]
    identifiable: bool
    fraction: float  # of the lower bound

    @property
    def below_upper(self) -> bool | None:
        """Whether regret, at every checkpoint, and all pulls are below the upper bounds; None where
        there are none.
        """
        if not self.theorem or not self.identifiable:
            return None
        pulls = all(p.measured - ERRORS * p.standard_error <= p.upper for p in self.pulls)
        return pulls and bool((self.regret - ERRORS * self.standard_error <= self.upper).all())

    @property
    def late(self) -> Bools:
        """Per checkpoint, whether it is late enough for the lower bound: it asks for at most half
        of the rounds.
        """
        factors = {p.factor for p in self.pulls}
        needed = max(
            (sum(p.lower for p in self.pulls if p.factor == l) for l in factors), default=0.0
        )
        growth = np.log(np.maximum(self.rounds, math.e))  # what it asks for grows like this
        share = growth / growth[-1]
        return np.asarray(needed * share <= 0.5 * self.rounds)

    @property
    def above_lower(self) -> bool | None:
        """Whether the final regret is above `fraction` of the lower bound; None if there is none,
        or too early.
        """
        if not self.late[-1] or not self.identifiable or math.isnan(self.lower[-1]):
            return None
        return bool(
            self.regret[-1] + ERRORS * self.standard_error[-1] >= self.fraction * self.lower[-1]
        )

    @property
    def informative(self) -> bool:
        """Whether the upper bound on pulls says more than that nothing is pulled more often than
        there are rounds.
        """
        return any(p.upper < self.rounds[-1] for p in self.pulls)

    def __str__(self) -> str:
        apart = self.rounds[-1] * 10.0 ** -np.arange(SHOWN)
        shown = np.unique(np.searchsorted(self.rounds, apart[apart >= 1.0]))
        rows: list[tuple[str, ...]] = [("", "lower", "measured", "upper")]

        for i in shown:
            numbers = (self.lower[i], self.regret[i], self.upper[i])
            rows.append((f"regret at {self.rounds[i]:,}", *map(_number, numbers)))

        rows += [
            (f"pulls of {_name(p, self)}", *map(_number, (p.lower, p.measured, p.upper)))
            for p in self._nearest()
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        table = [
            row[0].ljust(widths[0]) + "".join("  " + row[c].rjust(widths[c]) for c in (1, 2, 3))
            for row in rows
        ]
        title = (
            f"{self.policy} on {self.problem}, {self.repetitions} repetitions (unit: {self.unit})"
        )
        return "\n".join([title, *table, *self.verdicts()])

    def _nearest(self) -> list[Pulls]:
        """Per factor the level that comes nearest to its upper bound, or has most pulls."""
        found: dict[int, Pulls] = {}
        for p in self.pulls:
            if p.factor not in found or _share(p) > _share(found[p.factor]):
                found[p.factor] = p
        return list(found.values())

    def verdicts(self) -> tuple[str, str]:
        """In words, on the upper bound and on the lower one."""
        return self._upper_verdict(), self._lower_verdict()

    def _upper_verdict(self) -> str:
        if not self.theorem:
            return f"upper bound: the paper has none for {self.policy}"
        if not self.identifiable:
            return "upper bound: none, the problem is not uniformly identifiable"
        if not self.below_upper:
            return f"upper bound: VIOLATED ({self.theorem})"
        hint = (
            "" if self.informative else ", which say nothing yet: they exceed the number of rounds"
        )
        return f"upper bound: holds ({self.theorem}){hint}"

    def _lower_verdict(self) -> str:
        if math.isnan(self.lower[-1]):
            return "lower bound: none, the noise is not known"
        if not self.identifiable:
            return "lower bound: none, the problem is not uniformly identifiable"
        if self.above_lower is None:
            return "lower bound: too early, it asks for more than half of the rounds"
        if self.lower[-1] == 0.0:
            return "lower bound: 0"
        ratio = self.regret[-1] / self.lower[-1]
        said = "above" if self.above_lower else "BELOW"
        return f"lower bound: regret is {ratio:.3g} times the asymptotic bound, {said} {self.fraction:g} times"


def _share(p: Pulls) -> float:
    return p.measured if math.isnan(p.upper) else p.measured / p.upper


def _name(p: Pulls, check: Check) -> str:
    one_factor = {q.factor for q in check.pulls} == {0}
    return f"level {p.level}" if one_factor else f"factor {p.factor}, level {p.level}"


def _number(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if value >= 100 or value == 0 else f"{value:.3g}"
