"""What a check found: the numbers, the verdict, and both as a table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.markup import Bar, joined, table_html
from factored_bandits.core.stats import LEVEL, errors_needed
from factored_bandits.core.table import Table

SHOWN = 5  # rounds in the printed table, a power of ten apart
UNDECIDED = "undecided, a single repetition has no standard error"
CLOSE = f"undecided at the {LEVEL:.0%} level, more repetitions may decide it"


class Pulls(NamedTuple):
    """Pulls of one suboptimal level by the horizon; of a duel, plays per position."""

    factor: int
    level: int
    measured: float
    standard_error: float
    lower: float
    upper: float  # nan where no theorem speaks of the policy


@dataclass(frozen=True, eq=False)
class Check:
    """What was measured, what the theory says, and the verdict; print it.

    Attributes
    ----------
    policy, problem, unit, repetitions
        Of the result.
    theorem
        What the upper bound is; empty if the paper has none for the policy.
    rounds
        The checkpoints (C,).
    regret, standard_error
        The mean over the repetitions (C,) and its error; nan for a single repetition.
    lower
        The lower bound (C,); nan where the noise is not known.
    upper
        The upper bound (C,); nan where no theorem speaks of the policy.
    pulls
        The same for the pulls of every suboptimal level at the horizon.
    identifiable
        Whether the problem is uniformly identifiable.
    fraction
        What share of the lower bound late regret should reach.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> effects = [[0.0, -0.5], [0.0, -0.5]]
    >>> problem = fb.environments.make("additive", effects=effects, noise="gaussian")
    >>> result = fb.simulate("tea", problem, 1_000, repetitions=2, seed=1, progress=False)
    >>> check = fb.theory.check(result, problem)
    >>> check.below_upper, check.informative
    (True, False)
    >>> print(check.verdicts()[0])
    upper bound: holds (Theorems 1 and 2), which say nothing yet: they exceed the number of rounds
    """

    policy: str
    theorem: str
    problem: str
    unit: str
    repetitions: int
    rounds: Ints
    regret: Floats
    standard_error: Floats
    lower: Floats
    upper: Floats
    pulls: list[Pulls]
    identifiable: bool
    fraction: float

    @property
    def below_upper(self) -> bool | None:
        """Whether regret, at every checkpoint, and all pulls are below the upper bounds.

        By Student's t, at `LEVEL` for all of them together. None where there are no bounds, or too
        few repetitions leave it undecided.
        """
        if not self.theorem or not self.identifiable or self._no_error:
            return None

        measured = np.append(self.regret, [p.measured for p in self.pulls])
        errors = np.append(self.standard_error, [p.standard_error for p in self.pulls])
        upper = np.append(self.upper, [p.upper for p in self.pulls])
        width = errors_needed(self.repetitions - 1, len(measured)) * errors
        if (measured - width > upper).any():
            return False
        return True if (measured + width <= upper).all() else None

    @property
    def late(self) -> Bools:
        """Per checkpoint, whether the lower bound asks for at most half of the rounds by then."""
        per_factor: dict[int, float] = {}
        for p in self.pulls:
            per_factor[p.factor] = per_factor.get(p.factor, 0.0) + p.lower
        needed = max(per_factor.values(), default=0.0)
        growth = np.log(np.maximum(self.rounds, math.e))  # what it asks for grows like this
        share = growth / growth[-1]
        return np.asarray(needed * share <= 0.5 * self.rounds)

    @property
    def above_lower(self) -> bool | None:
        """Whether the final regret is above `fraction` of the lower bound.

        By Student's t, at `LEVEL`. None if there is none, if it is too early, or too few
        repetitions leave it undecided.
        """
        if not self.late[-1] or not self.identifiable or math.isnan(self.lower[-1]):
            return None
        if self._no_error:
            return None

        width = errors_needed(self.repetitions - 1) * self.standard_error[-1]
        distance = self.regret[-1] - self.fraction * self.lower[-1]
        if distance < -width:
            return False
        return True if distance >= width else None

    @property
    def _no_error(self) -> bool:
        """Whether nothing is known of the error of a mean: there is one repetition."""
        return math.isnan(self.standard_error[-1])

    @property
    def informative(self) -> bool:
        """Whether the upper bound on some level's pulls is below the number of rounds."""
        return any(p.upper < self.rounds[-1] for p in self.pulls)

    def __str__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        # a bar is full where what was measured reaches the upper bound
        bars = [
            Bar(min(1.0, measured / upper)) if upper > 0.0 else None
            for _, _, measured, upper in self._numbers()
        ]
        return joined(table_html(self._table(), {"measured": bars}))

    def _table(self) -> Table:
        rows = [(name, *map(_number, numbers)) for name, *numbers in self._numbers()]
        title = (
            f"{self.policy} on {self.problem}, {self.repetitions} repetitions (unit: {self.unit})"
        )
        columns = ("", "lower", "measured", "upper")
        return Table(title, columns, rows, "\n".join(self.verdicts()))

    def _numbers(self) -> list[tuple[str, float, float, float]]:
        """What is shown: a name, the lower bound, what was measured, the upper bound."""
        apart = self.rounds[-1] * 10.0 ** -np.arange(SHOWN)
        shown = np.unique(np.searchsorted(self.rounds, apart[apart >= 1.0]))
        found = [
            (f"regret at {self.rounds[i]:,}", self.lower[i], self.regret[i], self.upper[i])
            for i in shown
        ]
        for p in self._nearest():
            found.append((f"pulls of {_name(p, self)}", p.lower, p.measured, p.upper))
        return found

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
        if self._no_error:
            return f"upper bound: {UNDECIDED}"
        if self.below_upper is None:
            return f"upper bound: {CLOSE} ({self.theorem})"
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
        if not self.late[-1]:
            return "lower bound: too early, it asks for more than half of the rounds"
        if self.lower[-1] == 0.0:
            return "lower bound: 0"
        if self._no_error:
            return f"lower bound: {UNDECIDED}"
        ratio = self.regret[-1] / self.lower[-1]
        if self.above_lower is None:
            return f"lower bound: regret is {ratio:.3g} times the asymptotic bound, {CLOSE}"
        said = "above" if self.above_lower else "BELOW"
        return (
            f"lower bound: regret is {ratio:.3g} times the asymptotic bound, {said} "
            f"{self.fraction:g} times"
        )


def _share(p: Pulls) -> float:
    return p.measured if math.isnan(p.upper) else p.measured / p.upper


def _name(p: Pulls, check: Check) -> str:
    one_factor = {q.factor for q in check.pulls} == {0}
    return f"level {p.level}" if one_factor else f"factor {p.factor}, level {p.level}"


def _number(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if value >= 100 or value == 0 else f"{value:.3g}"
