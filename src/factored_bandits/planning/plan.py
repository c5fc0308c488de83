"""The plan: forecasts beside the fixed test, as a sentence, tables, a figure and JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factored_bandits.core.markup import joined, table_html, text_html
from factored_bandits.core.table import Table, wrapped
from factored_bandits.environments import Environment

from .assumptions import Assumptions
from .fixed import FixedTest
from .forecast import Forecast, share_point
from .outlook import summary, warnings
from .tables import DECIDED, decided_bars, factors, overview, run_line
from .verdict import Verdict, judge

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMAT = "factored-bandits/plan"
VERSION = 1
INDENT = "  "  # of the second line of a sentence


@dataclass(frozen=True, eq=False)
class Plan:
    """What to expect of an experiment; print it for the tables.

    Attributes
    ----------
    problem
        The problem.
    assumptions
        What it was made of; None if an environment was given.
    traffic
        Rounds per day.
    repetitions, seed
        As asked for.
    forecasts
        One per policy that was run.
    fixed
        The fixed test; None where there is none.
    notes
        What was left out, and why.
    not_run
        Labels of the policies before which Ctrl-C ended it.
    estimates
        The first answer: forecasts by normal approximation, of the policies that have one.
    pending
        Labels of the policies that are not simulated yet; the first of them may be under way.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> assumptions = fb.Assumptions((2, 2), base_rate=0.2, lift=1.0)
    >>> options = {"repetitions": 2, "horizon": 500, "flat": False, "progress": False}
    >>> plan = fb.plan(assumptions, traffic=100, policies="tea(bound=betting)", **options)
    >>> plan.verdict.within_a_year, plan.fixed.total, plan.interrupted
    (True, 96, False)
    >>> print(plan.tables()[1])
    Each factor decided
    factor  levels  policy              decided: theory    half of runs    90 % of runs
         0       2  tea(bound=betting)                -  177 (1.8 days)  391 (3.9 days)
         1       2  tea(bound=betting)                -  199 (2.0 days)  403 (4.0 days)
    """

    problem: Environment
    assumptions: Assumptions | None
    traffic: float | None
    repetitions: int
    seed: int
    forecasts: list[Forecast]
    fixed: FixedTest | None
    notes: list[str] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)
    estimates: list[Forecast] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)

    @property
    def preliminary(self) -> bool:
        """Whether something is not simulated yet."""
        return bool(self.pending)

    @property
    def shown(self) -> list[Forecast]:
        """What was simulated; and the estimates of what was not, or not long enough."""
        enough = {
            each.policy
            for each in self.forecasts
            if not each.result.interrupted or math.isfinite(share_point(each.all_decided, 0.5))
        }
        return self.forecasts + [each for each in self.estimates if each.policy not in enough]

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it early: only finished repetitions are here."""
        return bool(self.not_run) or any(each.result.interrupted for each in self.forecasts)

    @property
    def verdict(self) -> Verdict:
        """Whether the experiment can be decided within a year, and what would have to change."""
        if self.pending and not any(each.eliminates for each in self.shown):
            waiting = ", ".join(self.pending)
            return Verdict(f"Nothing is known before it is simulated: {waiting}.", None)
        return judge(self.shown, self.assumptions, self.traffic, self.fixed)

    @property
    def warnings(self) -> list[str]:
        """Where the differences are so small that it takes long, with the number."""
        return warnings(self.forecasts, self.estimates, self.assumptions, self.traffic)

    def summary(self, unit: str = "rounds") -> str:
        """Say in one sentence when it is decided, and how long the fixed test takes.

        Parameters
        ----------
        unit
            What a round is, in the plural, such as visitors.

        Returns
        -------
        str
            The sentence.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> assumptions = fb.Assumptions((3, 2), base_rate=0.3, lift=0.5)
        >>> plan = fb.plan(assumptions, "200/day", quick=True)
        >>> print(plan.summary("visitors"))
        At 200 visitors a day: decided in about 6.9 days; a full factorial test: 2.3 days, deciding
        everything 64 % of the time.
        """
        return summary(self.shown, self.traffic, self.fixed, unit)

    def tables(self) -> list[Table]:
        """One row per policy and one for the fixed test; and the same for every factor."""
        return [overview(self), factors(self)]

    def __str__(self) -> str:
        opening = "\n".join([self.verdict.sentence, *self.warnings])
        return "\n\n".join([opening, *map(str, self.tables())])

    def _repr_html_(self) -> str:
        opening = text_html(self.verdict.sentence, strong=True)
        everything, each = self.tables()
        bars = {DECIDED[1]: decided_bars(self)}
        return joined(
            opening,
            text_html("\n".join(self.warnings)),
            table_html(everything, bars),
            table_html(each),
        )

    def text(self, width: int | None = None) -> str:
        """Write it for a screen.

        Parameters
        ----------
        width
            How many columns the screen has; None: as many as the tables need.

        Returns
        -------
        str
            The text; tables that are too wide become a block of lines per row.
        """
        if width is None:
            return str(self)
        opening = (wrapped(line, width, INDENT) for line in (self.verdict.sentence, *self.warnings))
        return "\n\n".join(["\n".join(opening), *(table.fitted(width) for table in self.tables())])

    def plot(self, path: str | Path | None = None, *, title: str | None = None) -> Figure:
        """Draw the share of repetitions that are decided, over time.

        Parameters
        ----------
        path
            Where to write it (.png, .pdf or .svg); None: nowhere.
        title
            The title; by default the assumptions.

        Returns
        -------
        Figure
            The figure of matplotlib.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        # The one way up from here: figures are drawn by `report`, which knows plans.
        from factored_bandits.report.matplotlib.plan import plan_figure

        name = title or str(self.assumptions or self.problem)
        return plan_figure(
            self.shown,
            path,
            title=name,
            traffic=self.traffic,
            fixed=self.fixed,
            caption=run_line(self),
        )

    def to_dict(self) -> dict[str, Any]:
        """Give everything that tables and figure show, for JSON; null beyond the horizon."""
        assumptions = self.assumptions
        fixed = self.fixed

        return {
            "format": FORMAT,
            "version": VERSION,
            "problem": self.problem.name,
            "sizes": list(self.problem.sizes),
            "assumptions": assumptions
            and {
                "base_rate": assumptions.base_rate,
                "lift": assumptions.lifts,
                "best_rate": assumptions.best_rate,
            },
            "traffic_per_day": self.traffic,
            "repetitions": self.repetitions,
            "seed": self.seed,
            "interrupted": self.interrupted,
            "not_run": self.not_run,
            "notes": self.notes,
            "verdict": self.verdict._asdict(),
            "policies": [each.to_dict(fixed.total if fixed else None) for each in self.forecasts],
            "estimates": [each.to_dict(fixed.total if fixed else None) for each in self.estimates],
            "pending": self.pending,
            "warnings": self.warnings,
            "fixed_test": fixed and vars(fixed),
        }
