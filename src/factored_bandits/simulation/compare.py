"""`compare`: several policies on one problem, under the same seeds, as one table and one figure."""

from __future__ import annotations

import types
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from factored_bandits.core.table import Table, regret_table
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError, MissingExtraError
from factored_bandits.policies import Policy, make, make_all, names
from factored_bandits.report.charts import Scale, curves
from factored_bandits.report.measured import describe

from .eliminations import elimination_summaries, elimination_tables
from .result import Result
from .simulate import LONGEST, check_fit, integer, simulate

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

Written = str | types.ModuleType | Policy
FORMAT = "factored-bandits/comparison"
VERSION = 1


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several policies on one problem; print it for the table."""

    problem: Environment
    policies: list[Policy]  # all that were asked for
    results: list[Result]  # of those that were run, in the order in which they were asked for
    repetitions: int  # as asked for
    not_run: list[str] = field(default_factory=list)  # Ctrl-C came before them

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it early: only finished repetitions are here."""
        return bool(self.not_run) or any(result.interrupted for result in self.results)

    def caption(self) -> str:
        """Problem, unit, horizon, repetitions and seed, and what is missing after Ctrl-C."""
        notes = [
            f"{r.policy} only {r.repetitions} of {self.repetitions}"
            for r in self.results
            if r.interrupted
        ]
        notes += [f"{label} not run" for label in self.not_run]
        return describe(self.results) + (f"; interrupted: {', '.join(notes)}" if notes else "")

    def summary(self) -> Table:
        """Regret at the horizon, the best policy first; who found the best action, and when."""
        return regret_table(self.results, "", self.caption())

    def table(self) -> str:
        """`summary()` as text."""
        return str(self.summary())

    __str__ = table

    def eliminations(self, factors: Sequence[str] | None = None) -> list[Table]:
        """For each policy that eliminates, when each level was ruled out; `factors` are names for
        the factors.
        """
        shown = self._factors(factors)
        results = [result for result in self.results if result.policy in self._eliminating()]
        return [table for result in results for table in elimination_tables(result, shown)]

    def eliminations_table(self, factors: Sequence[str] | None = None) -> str:
        """`eliminations()` as text."""
        return (
            "\n\n".join(map(str, self.eliminations(factors))) or "none of these policies eliminates"
        )

    def plot(
        self, path: str | Path | None = None, *, title: str | None = None, y: Scale = "auto"
    ) -> Figure:
        """Regret over time: mean lines, quantile bands; written to `path` (.png, .pdf or .svg) if
        given.
        """
        return curves(self.results, title=title, y=y, caption=self.caption()).figure(path)

    def columns(self) -> dict[str, Any]:
        """All results as tidy columns, one row per policy, repetition and checkpoint."""
        parts = [result.columns() for result in self.results]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def to_frame(self) -> pandas.DataFrame:
        """All results as one tidy pandas frame."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError.of("pandas", "frame", "to_frame()") from None
        return pd.DataFrame(self.columns())

    def to_dict(self) -> dict[str, Any]:
        """Everything that the table and the figure show, ready for JSON."""
        first = self.results[0]
        return {
            "format": FORMAT,
            "version": VERSION,
            "problem": self.problem.name,
            "kind": self.problem.kind,
            "sizes": list(self._sizes()),
            "best": list(self.problem.best[: len(self._sizes())]),
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
        eliminations = (
            elimination_summaries(result, len(self._sizes()))
            if result.policy in self._eliminating()
            else None
        )

        return {
            "policy": result.policy,
            "repetitions": result.repetitions,
            "mean": summary.mean,
            "standard_error": _finite(summary.standard_error),
            "median": summary.median,
            "worst": summary.worst,
            "best_found": summary.correct,
            "found_after": _finite(summary.settled),
            "final_regret": result.regret[:, -1].tolist(),
            "curve": {
                "round": result.checkpoints.tolist(),
                "mean": result.regret.mean(axis=0).tolist(),
                "quantile_10": low.tolist(),
                "quantile_90": high.tolist(),
            },
            "eliminations": None
            if eliminations is None
            else [summary._asdict() for summary in eliminations],
        }

    def _sizes(self) -> tuple[int, ...]:
        return self.problem.sizes[:1] if self.problem.kind == "duel" else self.problem.sizes

    def _factors(self, given: Sequence[str] | None) -> list[str]:
        sizes = self._sizes()
        if given is None:
            return (
                ["arm"]
                if self.problem.kind == "duel"
                else [f"factor {l}" for l in range(len(sizes))]
            )

        if len(given) != len(sizes):
            raise InvalidInputError(
                f"factors must be {len(sizes)} names, one per factor, not {list(given)!r}"
            )

        return list(given)

    def _eliminating(self) -> set[str]:
        return {policy.label for policy in self.policies if policy.eliminates}


def compare(
    policies: Written | Iterable[Written],
    environment: Environment,
    horizon: float,
    repetitions: int = 20,
    seed: int = 0,
    checkpoints: Sequence[int] | int | None = None,
    workers: int | None = None,
    progress: bool = True,
    certify: bool = False,
) -> Comparison:
    """Run several policies on one problem; every one meets the same noise.

    `policies`: names, made policies or modules, or one text such as `"tea, flat_ucb1(alpha=0.5)"`.
    The other arguments are those of `simulate`. After Ctrl-C, what is finished comes back, marked
    `interrupted`.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.spiked(levels=3, best=0.81, gap=0.8)
    >>> comparison = fb.compare("uniform, flat_ucb1", environment, horizon=2_000, repetitions=4, progress=False)
    >>> [row[0] for row in comparison.summary().rows]
    ['flat_ucb1', 'uniform']
    """
    chosen = _policies(policies)
    run = (horizon, repetitions, seed, checkpoints, workers)
    _check_all(chosen, environment, integer("horizon", horizon, 1, LONGEST))
    results: list[Result] = []

    for policy in chosen:
        try:
            result = simulate(policy, environment, *run, progress=progress, certify=certify)
        except KeyboardInterrupt:  # before the first repetition was finished
            break
        results.append(result)
        if result.interrupted:
            break

    if not results:
        raise KeyboardInterrupt
    not_run = [policy.label for policy in chosen[len(results) :]]
    return Comparison(environment, chosen, results, int(repetitions), not_run)


def suitable(
    problem: Environment, horizon: float, policies: Written | Iterable[Written] | None = None
) -> tuple[list[Policy], dict[str, str]]:
    """Those of the policies (None: of all of its kind) that can play the problem; and for the
    others, why they cannot.

    >>> import factored_bandits as fb
    >>> able, refused = suitable(fb.environments.identical_gap(4, 0.8), horizon=100)
    >>> "dueling_tea" in [policy.name for policy in able]
    True
    """
    able = []
    refused = {}
    rounds = integer("horizon", horizon, 1, LONGEST)

    for policy in map(make, names(problem.kind)) if policies is None else _policies(policies):
        try:
            _check_all([policy], problem, rounds)
        except InvalidInputError as error:
            refused[policy.label] = str(error)
        else:
            able.append(policy)

    return able, refused


def _policies(given: Written | Iterable[Written]) -> list[Policy]:
    if isinstance(given, str):
        chosen = make_all(given)
    else:
        several = [given] if isinstance(given, (types.ModuleType, Policy)) else list(given)
        chosen = [make(policy) for policy in several]

    if not chosen:
        raise InvalidInputError("policies is empty: name at least one, for example 'tea, uniform'")
    seen: dict[str, Policy] = {}
    for policy in chosen:
        if policy.label in seen:
            same = policy == seen[policy.label]
            why = (
                "is listed twice"
                if same
                else "stands for two different policies; rename one of the modules"
            )
            raise InvalidInputError(f"policies: {policy.label!r} {why}")
        seen[policy.label] = policy

    return chosen


def _check_all(policies: list[Policy], problem: Environment, horizon: int) -> None:
    """Refuse what cannot be run before anything is."""
    for policy in policies:
        check_fit(policy, problem)
        policy.module.init(policy.encoded(), np.array(problem.sizes, dtype=np.int64), horizon)


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
