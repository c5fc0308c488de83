"""What charts are made of: the regret of a policy on a problem, from results or a tidy frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.stats import Mean, mean_of
from factored_bandits.errors import InvalidInputError
from factored_bandits.simulation.result import Result
from factored_bandits.simulation.summaries import Facts, caption_of, mean_levels

if TYPE_CHECKING:
    import pandas

NEEDED = ("policy", "round", "regret")
GROUPS = ("experiment", "problem", "policy")


@dataclass(frozen=True, eq=False)
class Measured:
    """One policy on one problem; rows are repetitions, columns rounds."""

    policy: str
    problem: str
    rounds: Ints  # (C,)
    regret: Floats  # (repetitions, C) cumulative
    horizon: int
    unit: str
    arms: str = ""  # "64" or "16x16"; empty if the name of the problem says it
    seed: int | None = None
    experiment: str = ""

    @property
    def repetitions(self) -> int:
        """How many repetitions are here."""
        return len(self.regret)

    @property
    def size(self) -> float:
        """K: the number of arms, or the mean number of levels per factor."""
        return mean_levels(self.arms)

    def final(self) -> Floats:
        """Regret at the last round, per repetition."""
        return np.asarray(self.regret[:, -1])

    def mean(self) -> Floats:
        """Mean regret over the repetitions, per round."""
        return np.asarray(self.regret.mean(axis=0))

    def final_mean(self) -> Mean:
        """Mean regret at the last round, with its standard error."""
        return mean_of(self.final())


def measured(source: Any) -> list[Measured]:
    """What was measured, from a tidy frame or from several results.

    A frame has the columns policy, round and regret, and of experiment, problem, repetition,
    horizon, regret_unit, arms and seed those that it needs.

    >>> import pandas as pd
    >>> runs = {"repetition": [0, 0, 1, 1], "round": [1, 9, 1, 9], "regret": [0, 3, 0, 5]}
    >>> measured(pd.DataFrame({"policy": "tea", **runs}))[0].mean().tolist()
    [0.0, 4.0]
    """
    if hasattr(source, "to_pandas"):  # polars, pyarrow
        source = source.to_pandas()

    if hasattr(source, "groupby"):
        found = _of_frame(source)
    else:
        found = [_of_result(result) for result in source]

    if not found:
        raise InvalidInputError("results is empty: there is nothing to draw")
    return found


def _of_result(result: Result) -> Measured:
    return Measured(
        policy=result.label,
        problem=result.problem,
        rounds=result.checkpoints,
        regret=result.regret,
        horizon=result.horizon,
        unit=result.unit,
        seed=result.seed,
    )


def _of_frame(frame: pandas.DataFrame) -> list[Measured]:
    missing = [name for name in NEEDED if name not in frame.columns]
    if missing:
        raise InvalidInputError(
            f"the frame has no column {missing[0]!r}; it has {', '.join(map(repr, frame.columns))}"
        )

    if "unit" in frame.columns and "regret_unit" not in frame.columns:
        frame = frame.rename(columns={"unit": "regret_unit"})
    groups = [name for name in GROUPS if name in frame.columns]
    return [_of_group(part) for _, part in frame.groupby(groups, sort=False, observed=True)]


def _of_group(part: pandas.DataFrame) -> Measured:
    """One policy on one problem."""
    policy = _only(part, "policy", "")
    problem = _only(part, "problem", "")
    wide = part if "repetition" in part.columns else part.assign(repetition=0)

    if wide.duplicated(["repetition", "round"]).any():
        raise InvalidInputError(
            f"{policy} on {problem!r}: a round of a repetition is there twice; give each run once"
        )

    table = wide.pivot(index="repetition", columns="round", values="regret").sort_index(axis=1)
    if table.isna().to_numpy().any():
        raise InvalidInputError(
            f"{policy} on {problem!r}: its repetitions were noted at different rounds"
        )

    rounds = table.columns.to_numpy(dtype=np.int64)
    seeds = list(part["seed"].unique()) if "seed" in part.columns else []

    return Measured(
        policy=policy,
        problem=problem,
        rounds=rounds,
        regret=table.to_numpy(dtype=np.float64),
        horizon=int(_only(part, "horizon", int(rounds[-1]))),
        unit=_only(part, "regret_unit", ""),
        arms=str(_only(part, "arms", "")),
        seed=int(seeds[0]) if len(seeds) == 1 else None,
        experiment=_only(part, "experiment", ""),
    )


def _only(part: pandas.DataFrame, column: str, default: Any) -> Any:
    """The value of a column that is the same in all rows."""
    if column not in part.columns:
        return default
    values = part[column].unique()
    if len(values) > 1:
        raise InvalidInputError(
            f"{column} differs within one policy on one problem: {', '.join(map(repr, values[:4]))}"
        )

    return values[0]


def by_problem(measurements: Sequence[Measured]) -> dict[str, list[Measured]]:
    """By the name of the problem, with its experiment if there are several, as they appear."""
    several = len({each.experiment for each in measurements}) > 1
    found: dict[str, list[Measured]] = {}
    for each in measurements:
        name = f"{each.experiment}: {each.problem}" if several else each.problem
        found.setdefault(name, []).append(each)

    return found


def describe(every: Sequence[Measured]) -> str:
    """What was measured, as the caption of a figure."""
    # one problem that is named after its arms says them already
    named = {each.problem for each in every} == {f"K={every[0].arms}"}
    return caption_of(
        [
            Facts(m.problem, m.unit, m.horizon, m.repetitions, m.seed, "" if named else m.arms)
            for m in every
        ]
    )
