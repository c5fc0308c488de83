"""The plan: forecasts beside the fixed test, as a sentence, tables, a figure and JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from factored_bandits.core.table import Table
from factored_bandits.environments import Environment

from .assumptions import Assumptions
from .fixed import ALPHA, POWER, FixedTest
from .forecast import Forecast, share_point
from .verdict import Verdict, judge
from .words import Clock, rounded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMAT = "factored-bandits/plan"
VERSION = 1
NOTHING = "-"
SHARES = (0.5, 0.9)  # of the repetitions


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

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it early: only finished repetitions are here."""
        return bool(self.not_run) or any(each.result.interrupted for each in self.forecasts)

    @property
    def verdict(self) -> Verdict:
        """Whether the experiment can be decided within a year, and what would have to change."""
        return judge(self.forecasts, self.assumptions, self.traffic, self.fixed)

    def tables(self) -> list[Table]:
        """One row per policy and one for the fixed test; and the same for every factor."""
        return [self._overview(), self._factors()]

    def __str__(self) -> str:
        return "\n\n".join([self.verdict.sentence, *map(str, self.tables())])

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
            self.forecasts,
            path,
            title=name,
            traffic=self.traffic,
            fixed=self.fixed,
            caption=self._run(),
        )

    def _overview(self) -> Table:
        clock = Clock(self.traffic)
        fixed = self.fixed
        columns = [
            "policy",
            "decided: theory",
            "half of runs",
            "90 % of runs",
            "best found",
            "lost until decided",
        ]
        rows = []

        for each in self.forecasts:
            horizon = each.result.horizon
            all_decided = each.all_decided
            row = [each.policy, clock.show(max(each.theory)) if each.theory else NOTHING]
            row += [
                clock.show(share_point(all_decided, s), horizon) if each.eliminates else NOTHING
                for s in SHARES
            ]
            row += [f"{each.best_found:.0%}", self._lost(each)]
            rows.append((*row, self._lost_meanwhile(each)) if fixed else tuple(row))

        if fixed:
            points = [
                clock.show(fixed.total if fixed.decided >= share else math.inf, fixed.total)
                for share in SHARES
            ]
            lost = rounded(fixed.lost)
            rows.append(("fixed test", NOTHING, *points, f"{fixed.best_found:.0%}", lost, lost))
            columns.append("lost in fixed test's time")

        return Table("Everything decided", tuple(columns), rows, self._caption())

    def _lost(self, each: Forecast) -> str:
        if not each.eliminates:
            return NOTHING
        more = "more than " if np.isinf(each.all_decided).any() else ""
        return more + rounded(each.lost(each.all_decided))

    def _lost_meanwhile(self, each: Forecast) -> str:
        if self.fixed is None or self.fixed.total > each.result.horizon:
            return NOTHING
        return rounded(each.lost(self.fixed.total))

    def _factors(self) -> Table:
        clock = Clock(self.traffic)
        rows = []

        for l, size in enumerate(self.problem.sizes):
            for each in self.forecasts:
                if each.eliminates:
                    points = [share_point(each.decided[:, l], share) for share in SHARES]
                    cells = [clock.show(t, each.result.horizon) for t in points]
                    theory = clock.show(each.theory[l]) if each.theory else NOTHING
                    rows.append((str(l), str(size), each.policy, theory, *cells))

        columns = ("factor", "levels", "policy", "decided: theory", "half of runs", "90 % of runs")
        return Table("Each factor decided", columns, rows, align="rrlrrr")

    def _run(self) -> str:
        watched = sorted({each.result.horizon for each in self.forecasts})
        rounds = " or ".join(f"{horizon:,}" for horizon in watched)
        partly = [
            f"{each.policy} only {each.result.repetitions} of {self.repetitions}"
            for each in self.forecasts
            if each.result.interrupted
        ]
        missing = [*partly, *(f"{label} not run" for label in self.not_run)]
        interrupted = f"; interrupted: {', '.join(missing)}" if missing else ""
        return f"{self.repetitions} repetitions of {rounds} rounds; seed {self.seed}{interrupted}"

    def _caption(self) -> str:
        lines = [
            f"{self.assumptions or self.problem}; {self._run()}",
            "decided: only the best level of each factor is left; theory: at the latest, as long "
            "as its bounds hold",
            f"lost: {self.problem.unit}, against playing the best combination from the start; mean "
            "of all runs",
        ]
        quiet = [each for each in self.forecasts if not each.eliminates]

        if quiet:
            shown = ", ".join(f"{each.policy} (by round {each.result.horizon:,})" for each in quiet)
            lines += [f"find the best without ever saying that it is decided: {shown}"]

        if self.fixed:
            per_level = " / ".join(f"{count:,}" for count in self.fixed.per_level)
            lines += [
                f"fixed test: all combinations equally often, rounds per level {per_level}; "
                f"{self.fixed.comparisons} comparisons of levels, alpha {ALPHA:.0%} for all "
                f"(Bonferroni), power {POWER:.0%} for each: decides everything in "
                f"{self.fixed.decided:.0%} of runs"
            ]

        return "\n".join([*lines, *self.notes])

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
            "fixed_test": fixed and vars(fixed),
        }
