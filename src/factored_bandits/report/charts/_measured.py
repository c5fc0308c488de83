"""What charts are made of: the regret of a policy on a problem, from results or a tidy frame."""

from __future__ import annotations

import itertools
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
NOTED = ("correct", "simple_regret", "confidence")
GROUPS = ("experiment", "problem", "policy")
CONSTANT = (*GROUPS, "horizon", "regret_unit", "arms", "seed")  # within a group


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
    correct: Floats | None = None  # (repetitions, C) 1 where the recommendation was a best action
    simple_regret: Floats | None = None  # (repetitions, C) of the recommendation
    confidence: Floats | None = None  # (repetitions, C) of the certificate; nan: not noted

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
        correct=result.correct.astype(np.float64),
        simple_regret=result.simple_regret,
        confidence=result.confidence,
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
    numbers = frame.groupby(groups, sort=False, observed=True).ngroup().to_numpy()
    columns = _Columns(frame)
    order = np.argsort(numbers, kind="stable")
    # rows without a name are of no group: -1
    edges = np.searchsorted(numbers[order], np.arange(numbers.max(initial=-1) + 2))
    return [_of_group(columns, order[low:high]) for low, high in itertools.pairwise(edges)]


class _Columns:
    """The columns of a tidy frame as arrays, which are taken out once for all groups."""

    def __init__(self, frame: pandas.DataFrame) -> None:
        self.frame = frame
        self.rounds = frame["round"].to_numpy(dtype=np.int64)
        self.regret = frame["regret"].to_numpy(dtype=np.float64)
        self.noted = {
            name: frame[name].to_numpy(dtype=np.float64) for name in NOTED if name in frame.columns
        }
        self.repetition = np.zeros(len(frame), dtype=np.int64)
        if "repetition" in frame.columns:
            self.repetition = frame["repetition"].factorize(sort=True)[0]

        known = {name for name in CONSTANT if name in frame.columns}
        self.values = {name: frame[name].to_numpy() for name in known}
        self.codes = {name: frame[name].factorize()[0] for name in known}

    def only(self, rows: Ints, column: str, default: Any) -> Any:
        """The value of a column that is the same in all rows."""
        if column not in self.values:
            return default
        if self.differs(rows, column):
            found = ", ".join(map(repr, self.frame[column].iloc[rows].unique()[:4]))
            raise InvalidInputError(f"{column} differs within one policy on one problem: {found}")
        return self.values[column][rows[0]]

    def differs(self, rows: Ints, column: str) -> bool:
        """Whether a column has several values in the rows."""
        codes = self.codes[column][rows]
        return bool((codes != codes[0]).any())


def _of_group(columns: _Columns, rows: Ints) -> Measured:
    """One policy on one problem."""
    policy = columns.only(rows, "policy", "")
    problem = columns.only(rows, "problem", "")
    repetition = columns.repetition[rows]
    order = np.lexsort((columns.rounds[rows], repetition))
    rows = rows[order]
    repetition = repetition[order]
    at = columns.rounds[rows]

    if ((np.diff(repetition) == 0) & (np.diff(at) == 0)).any():
        raise InvalidInputError(
            f"{policy} on {problem!r}: a round of a repetition is there twice; give each run once"
        )

    rounds = np.unique(at)
    regret = columns.regret[rows]
    # no round is there twice, so that all are there if there are enough
    if len(at) != len(rounds) * len(np.unique(repetition)) or np.isnan(regret).any():
        raise InvalidInputError(
            f"{policy} on {problem!r}: its repetitions were noted at different rounds"
        )

    seed = None
    if "seed" in columns.values and not columns.differs(rows, "seed"):
        seed = int(columns.values["seed"][rows[0]])

    return Measured(
        policy=policy,
        problem=problem,
        rounds=rounds,
        regret=regret.reshape(-1, len(rounds)),
        horizon=int(columns.only(rows, "horizon", int(rounds[-1]))),
        unit=columns.only(rows, "regret_unit", ""),
        arms=str(columns.only(rows, "arms", "")),
        seed=seed,
        experiment=columns.only(rows, "experiment", ""),
        **{name: values[rows].reshape(-1, len(rounds)) for name, values in columns.noted.items()},
    )


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
