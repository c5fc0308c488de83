"""What charts are made of: the regret of a policy on a problem, from results or from a tidy frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.errors import InvalidInputError
from factored_bandits.simulation.result import Result

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

    def final(self) -> Floats:
        """Regret at the last round, per repetition."""
        return np.asarray(self.regret[:, -1])

    def mean(self) -> Floats:
        """Mean regret over the repetitions, per round."""
        return np.asarray(self.regret.mean(axis=0))

    def standard_error(self) -> float:
        """Of the mean regret at the last round; nan of a single repetition."""
        last = self.final()
        return float(last.std(ddof=1) / np.sqrt(len(last))) if len(last) > 1 else float("nan")


def measured(source: Any) -> list[Measured]:
    """What was measured, from a tidy frame or from several results; one for each problem and
    policy.

    A frame has the columns policy, round and regret, and of experiment, problem, repetition,
    horizon, regret_unit, arms and seed those that it needs.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"policy": "tea", "repetition": [0, 0, 1, 1], "round": [1, 9] * 2, "regret": [0, 3, 0, 5]})
    >>> measured(frame)[0].mean().tolist()
    [0.0, 4.0]
    """
    if hasattr(source, "to_pandas"):  # polars, pyarrow
        source = source.to_pandas()
    found = (
        _of_frame(source) if hasattr(source, "groupby") else [_of_result(each) for each in source]
    )
    if not found:
        raise InvalidInputError("results is empty: there is nothing to draw")
    return found


def _of_result(result: Measured | Result) -> Measured:
    if isinstance(result, Measured):
        return result
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
    repetition = (
        part["repetition"] if "repetition" in part.columns else np.zeros(len(part), dtype=int)
    )
    wide = part.assign(repetition=repetition)

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
    return Measured(
        policy=policy,
        problem=problem,
        rounds=rounds,
        regret=table.to_numpy(dtype=np.float64),
        horizon=int(_only(part, "horizon", int(rounds[-1]))),
        unit=_only(part, "regret_unit", ""),
        arms=str(_only(part, "arms", "")),
        seed=int(part["seed"].iloc[0])
        if "seed" in part.columns and part["seed"].nunique() == 1
        else None,
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
    """In the order of their first appearance; named after the problem, with its experiment if there
    are several.
    """
    several = len({each.experiment for each in measurements}) > 1
    found: dict[str, list[Measured]] = {}
    for each in measurements:
        found.setdefault(
            f"{each.experiment}: {each.problem}" if several else each.problem, []
        ).append(each)
    return found


def describe(source: Any) -> str:
    """What was measured: problem, K, unit, horizon T, repetitions and seed, as the caption of
    figures and tables.

    >>> import factored_bandits as fb
    >>> result = fb.simulate("uniform", fb.environments.spiked(2), 100, repetitions=2, progress=False)
    >>> describe([result])
    "rank1 (2 x 2 levels); regret in unit 'reward'; horizon 100; 2 repetitions; seed 0"
    """
    every = measured(source)
    problems, sizes, units = (
        {getattr(each, name) for each in every} for name in ("problem", "arms", "unit")
    )
    facts = [next(iter(problems)) if len(problems) == 1 else f"{len(problems)} problems"]
    if sizes != {""}:
        facts.append(f"K = {', '.join(sorted(sizes, key=size))}".replace("x", " x "))
    if units != {""}:
        facts.append("regret in unit " + ", ".join(map(repr, sorted(units))))
    facts.append(f"horizon {_span([each.horizon for each in every])}")
    many = _span([each.repetitions for each in every])
    facts.append(f"{many} repetition{'' if many == '1' else 's'}")
    seeds = {each.seed for each in every} - {None}
    if len(seeds) == 1:
        facts.append(f"seed {seeds.pop()}")
    return "; ".join(fact for fact in facts if fact)


def size(arms: str) -> float:
    """K of a problem: its number of arms, or the mean number of levels per factor.

    >>> size("64"), size("16x16"), size("8x16")
    (64.0, 16.0, 12.0)
    """
    try:
        return float(np.mean([int(part) for part in arms.split("x")]))
    except ValueError:
        raise InvalidInputError(f"arms must be such as '64' or '16x16', not {arms!r}") from None


def _span(numbers: Sequence[int]) -> str:
    low = min(numbers)
    high = max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
