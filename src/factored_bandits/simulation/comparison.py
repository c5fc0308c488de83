"""What `compare` found: several policies on one problem, as one table and one figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from factored_bandits.core.markup import joined
from factored_bandits.core.stats import finite_or_none
from factored_bandits.core.table import Table
from factored_bandits.environments import Environment
from factored_bandits.policies import Policy

from .eliminations import elimination_summaries, elimination_tables, factor_titles
from .notebook import regret_html
from .result import Result, frame_of
from .summaries import describe, quality_table, regret_table

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

FORMAT = "factored-bandits/comparison"
VERSION = 1


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several policies on one problem; print it for the table.

    Attributes
    ----------
    problem
        The environment.
    policies
        All policies that were asked for.
    results
        Those of the policies that were run, in the order in which they were asked for.
    repetitions
        How many repetitions were asked for.
    not_run
        The labels of the policies that Ctrl-C came before.
    """

    problem: Environment
    policies: list[Policy]
    results: list[Result]
    repetitions: int
    not_run: list[str] = field(default_factory=list)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it early: only finished repetitions are here."""
        return bool(self.not_run) or any(result.interrupted for result in self.results)

    def caption(self) -> str:
        """Problem, unit, horizon, repetitions and seed, and what is missing after Ctrl-C."""
        notes = [
            f"{result.label} only {result.repetitions} of {self.repetitions}"
            for result in self.results
            if result.interrupted
        ]
        notes += [f"{label} not run" for label in self.not_run]

        caption = describe(self.results)
        return f"{caption}; interrupted: {', '.join(notes)}" if notes else caption

    def summary(self) -> Table:
        """Regret at the horizon, the best policy first; who found the best action, and when."""
        return regret_table(self.results, "", self.caption())

    def quality(self) -> Table:
        """What was found by the horizon, where calls count and not regret; the best policy first.

        Simple regret is what a round with the last recommendation would lose. After
        `compare(..., certify="checkpoints")` the table also says after how many rounds the
        certificate was sure at 95 %, in the median.

        Returns
        -------
        The table.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> problem = fb.environments.spiked(levels=3, best=0.81, gap=0.4)
        >>> comparison = fb.compare("uniform, logistic_halving", problem, 500, 4, progress=False)
        >>> comparison.quality().columns
        ('policy', 'best found', '+- s.e.', 'simple regret', '+- s.e.', 'found after')
        """
        return quality_table(self.results, "", self.caption())

    def table(self) -> str:
        """`summary()` as text."""
        return str(self.summary())

    __str__ = table

    def _repr_html_(self) -> str:
        return joined(regret_html(self.results, self.summary()))

    def eliminations(self, factors: Sequence[str] | None = None) -> list[Table]:
        """For each policy that eliminates, when each level was eliminated.

        Parameters
        ----------
        factors
            Names for the factors; of a duel, one name for the arms.

        Returns
        -------
        One or more tables per policy.

        Raises
        ------
        InvalidInputError
            If there is not one name per factor.
        """
        shown = factor_titles(self.problem, factors)
        return [
            table
            for result in self.results
            if result.policy.eliminates
            for table in elimination_tables(result, shown)
        ]

    def eliminations_table(self, factors: Sequence[str] | None = None) -> str:
        """`eliminations()` as text."""
        tables = "\n\n".join(map(str, self.eliminations(factors)))
        return tables or "none of these policies eliminates"

    def plot(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        y: Literal["auto", "linear", "log"] = "auto",
    ) -> Figure:
        """Regret over time: mean lines, quantile bands.

        Parameters
        ----------
        path
            Where to write the figure (.png, .pdf or .svg), if anywhere.
        title
            The title; by default the problem.
        y
            The scale of the regret.

        Returns
        -------
        The figure of matplotlib.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        # The one way up from here: figures are drawn by `report`, which knows results.
        from factored_bandits.report.charts import curves

        return curves(self.results, title=title, y=y, caption=self.caption()).figure(path)

    def columns(self) -> dict[str, Any]:
        """All results as tidy columns, one row per policy, repetition and checkpoint."""
        parts = [result.columns() for result in self.results]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def to_frame(self) -> pandas.DataFrame:
        """All results as one tidy pandas frame.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        return frame_of(self.columns())

    def to_dict(self) -> dict[str, Any]:
        """Everything that the table and the figure show, ready for JSON."""
        first = self.results[0]
        sizes = self.problem.factor_sizes

        return {
            "format": FORMAT,
            "version": VERSION,
            "problem": self.problem.name,
            "kind": self.problem.kind,
            "sizes": list(sizes),
            "best": list(self.problem.best[: len(sizes)]),
            "unit": first.unit,
            "horizon": first.horizon,
            "repetitions": self.repetitions,
            "seed": first.seed,
            "interrupted": self.interrupted,
            "not_run": self.not_run,
            "policies": [self._policy_dict(result) for result in self.results],
        }

    def _policy_dict(self, result: Result) -> dict[str, Any]:
        summary = result.summary()
        low, high = np.quantile(result.regret, [0.1, 0.9], axis=0)

        eliminations = None
        if result.policy.eliminates:
            levels = elimination_summaries(result)
            eliminations = [level._asdict() for level in levels]

        return {
            "policy": result.label,
            "repetitions": result.repetitions,
            "mean": summary.mean,
            "standard_error": finite_or_none(summary.standard_error),
            "median": summary.median,
            "worst": summary.worst,
            "best_found": summary.correct,
            "found_after": finite_or_none(summary.settled),
            "final_regret": result.regret[:, -1].tolist(),
            "curve": {
                "round": result.checkpoints.tolist(),
                "mean": result.regret.mean(axis=0).tolist(),
                "quantile_10": low.tolist(),
                "quantile_90": high.tolist(),
            },
            "eliminations": eliminations,
        }
