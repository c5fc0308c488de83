"""Several results as a table, and in one line: what comparisons, benchmarks and figures print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats
from factored_bandits.core.stats import mean_of
from factored_bandits.core.table import Table, number, round_of
from factored_bandits.errors import InvalidInputError

from .result import Result

COLUMNS = ("policy", "mean regret", "+- s.e.", "median", "worst", "best found", "found after")

FOUND = ("best found", "+- s.e.", "simple regret", "+- s.e.")


class Facts(NamedTuple):
    """What a caption says of one policy on one problem."""

    problem: str
    unit: str
    horizon: int
    repetitions: int
    seed: int | None
    arms: str = ""  # "64" or "16x16"; empty if the name of the problem says it


def describe(results: Iterable[Result]) -> str:
    """What was run: problem, unit, horizon, repetitions and seed, in one line.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(2)
    >>> result = fb.simulate("uniform", problem, 100, repetitions=2, progress=False)
    >>> describe([result])
    "rank1 (2 x 2 levels); regret in unit 'reward'; horizon 100; 2 repetitions; seed 0"
    """
    return caption_of([Facts(r.problem, r.unit, r.horizon, r.repetitions, r.seed) for r in results])


def caption_of(every: Sequence[Facts]) -> str:
    """The caption of figures and tables, from the facts of what they show.

    >>> caption_of([Facts("sum", "", 100, 1, None, "8x8"), Facts("sum", "", 100, 1, None, "4x4")])
    'sum; K = 4 x 4, 8 x 8; horizon 100; 1 repetition'
    """
    problems = {each.problem for each in every}
    arms = sorted({each.arms for each in every})
    units = {each.unit for each in every}
    seeds = {each.seed for each in every} - {None}
    repetitions = _span([each.repetitions for each in every])

    said = [problems.pop() if len(problems) == 1 else f"{len(problems)} problems"]
    if arms != [""]:
        said.append(f"K = {', '.join(sorted(arms, key=mean_levels))}".replace("x", " x "))
    if units != {""}:
        said.append(f"regret in unit {', '.join(map(repr, sorted(units)))}")
    said.append(f"horizon {_span([each.horizon for each in every])}")
    said.append(f"{repetitions} repetition{'' if repetitions == '1' else 's'}")
    if len(seeds) == 1:
        said.append(f"seed {seeds.pop()}")

    return "; ".join(fact for fact in said if fact)


def mean_levels(arms: str) -> float:
    """K of a problem: its number of arms, or the mean number of levels per factor.

    >>> mean_levels("64"), mean_levels("16x16"), mean_levels("8x16")
    (64.0, 16.0, 12.0)
    """
    return float(np.mean(sizes_of(arms)))


def sizes_of(arms: str) -> list[int]:
    """The number of arms, or of levels per factor, from the column `arms` of a tidy frame.

    >>> sizes_of("64"), sizes_of("8x16")
    ([64], [8, 16])
    """
    try:
        return [int(part) for part in arms.split("x")]
    except ValueError:
        raise InvalidInputError(f"arms must be such as '64' or '16x16', not {arms!r}") from None


def regret_table(results: Sequence[Result], title: str, caption: str) -> Table:
    """One row per policy, the smallest mean regret first."""
    summaries = sorted((result.summary() for result in results), key=lambda summary: summary.mean)
    uneven = len({summary.repetitions for summary in summaries}) > 1
    columns = (*COLUMNS, "repetitions") if uneven else COLUMNS
    rows = []

    for summary in summaries:
        regrets = (summary.mean, summary.standard_error, summary.median, summary.worst)
        cells = [number(value, like=summary.mean) for value in regrets]
        row = (summary.policy, *cells, f"{summary.correct:.0%}", round_of(summary.settled))
        rows.append((*row, str(summary.repetitions)) if uneven else row)

    return Table(title, columns, rows, caption)


def quality_table(results: Sequence[Result], title: str, caption: str) -> Table:
    """One row per policy, the smallest simple regret of the last recommendation first."""
    rows = []
    certified = any(not np.isnan(result.confidence).any() for result in results)

    for result in sorted(results, key=lambda each: float(each.simple_regret[:, -1].mean())):
        cells = found_cells(result.correct[:, -1], result.simple_regret[:, -1])
        after = [round_of(float(np.median(result.settled())))]
        if certified:
            known = not np.isnan(result.confidence).any()
            after.append(round_of(float(np.median(result.certified_after()))) if known else "-")
        rows.append((result.label, *cells, *after))

    columns = ("policy", *FOUND, "found after", *(["certified after"] if certified else []))
    return Table(title, columns, rows, caption)


def found_cells(correct: Bools | Floats, simple_regret: Floats) -> tuple[str, ...]:
    """The columns `FOUND` of a table: the share of the best and the simple regret, with errors.

    >>> found_cells(np.array([True, True, False, True]), np.array([0.0, 0.0, 0.2, 0.0]))
    ('75%', '25.0%', '0.0500', '0.0500')
    """
    found = mean_of(np.asarray(correct, dtype=np.float64))
    lost = mean_of(simple_regret)
    regrets = [number(value, like=lost.value) for value in (lost.value, lost.error)]
    return f"{found.value:.0%}", f"{found.error:.1%}", *regrets


def _span(numbers: Sequence[int]) -> str:
    low = min(numbers)
    high = max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
