"""When each level was eliminated: per level over the repetitions, and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.stats import finite_or_none
from factored_bandits.core.table import Table
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError

from .result import Result

SHOWN_LEVELS = 16  # factors with more levels are summarised
SIDE_BY_SIDE = 3  # factors per table


class EliminationSummary(NamedTuple):
    """What happened to one level of one factor, over all repetitions."""

    factor: int
    level: int
    best: bool
    # median round of the first elimination; None if at least half of the repetitions had none
    first_eliminated: float | None
    eliminated_share: float  # share of repetitions in which it was ever eliminated
    re_entries: float  # median number of times it re-entered
    eliminated_at_end: float  # share of repetitions in which it was eliminated at the horizon


def factor_titles(environment: Environment, given: Sequence[str] | None = None) -> list[str]:
    """What tables and figures call the factors: the names given, or "factor 0", ..., or "arm".

    >>> from factored_bandits.environments import identical_gap, spiked
    >>> factor_titles(identical_gap(16)), factor_titles(spiked(16))
    (['arm'], ['factor 0', 'factor 1'])
    """
    names = environment.factor_names
    if given is None:
        return list(names) if names == ("arm",) else [f"factor {name}" for name in names]

    if len(given) != len(names):
        raise InvalidInputError(
            f"factors must be {len(names)} names, one per factor, not {list(given)!r}"
        )

    return list(given)


class _Counts(NamedTuple):
    """Per factor: arrays (repetitions, levels)."""

    first: Floats  # the round of the first elimination; inf if there was none
    eliminations: Floats
    re_entries: Floats


def elimination_summaries(result: Result) -> list[EliminationSummary]:
    """One record per level of each factor (a duel has one: its arms)."""
    sizes = result.environment.factor_sizes
    found = []

    for factor, counts in enumerate(_counts(result)):
        first = np.median(counts.first, axis=0)
        for level in range(sizes[factor]):
            eliminated = counts.eliminations[:, level]
            re_entered = counts.re_entries[:, level]
            found.append(
                EliminationSummary(
                    factor=factor,
                    level=level,
                    best=level == result.best[factor],
                    first_eliminated=finite_or_none(first[level]),
                    eliminated_share=float((eliminated > 0).mean()),
                    re_entries=float(np.median(re_entered)),
                    eliminated_at_end=float((eliminated > re_entered).mean()),
                )
            )

    return found


def _counts(result: Result) -> list[_Counts]:
    shapes = [(result.repetitions, size) for size in result.environment.factor_sizes]
    counts = [_Counts(np.full(shape, np.inf), np.zeros(shape), np.zeros(shape)) for shape in shapes]

    for row, record in enumerate(result.records):
        for t, factor, level, active in record.events.tolist():
            here = counts[factor]
            if active:
                here.re_entries[row, level] += 1
            else:
                here.first[row, level] = min(here.first[row, level], t)
                here.eliminations[row, level] += 1

    return counts


def elimination_tables(result: Result, names: Sequence[str]) -> list[Table]:
    """Tables of one policy: a row per level, or per group of levels, and columns per factor.

    `names` are the titles of the factors.
    """
    every = elimination_summaries(result)
    by_factor = [[summary for summary in every if summary.factor == l] for l in range(len(names))]
    build = _all_levels if max(map(len, by_factor)) <= SHOWN_LEVELS else _groups

    return [
        build(result, by_factor[i : i + SIDE_BY_SIDE], names[i : i + SIDE_BY_SIDE])
        for i in range(0, len(names), SIDE_BY_SIDE)
    ]


def _all_levels(
    result: Result, factors: list[list[EliminationSummary]], names: Sequence[str]
) -> Table:
    rows = []
    for level in range(max(map(len, factors))):
        row = [str(level)]
        for here in factors:
            row += _cells(here[level], result.repetitions) if level < len(here) else ["", ""]
        rows.append(tuple(row))

    return _table(result, names, rows, first="" if result.kind == "duel" else "level")


def _cells(summary: EliminationSummary, repetitions: int) -> list[str]:
    mark = "best: " if summary.best else ""
    if summary.eliminated_share == 0:
        return [f"{mark}never", ""]

    often = ""
    if summary.eliminated_share < 1:
        often = f" (in {round(summary.eliminated_share * repetitions)} of {repetitions})"
    when = "seldom" if summary.first_eliminated is None else f"{summary.first_eliminated:,.0f}"
    return [f"{mark}{when}{often}", f"{summary.re_entries:,.0f}x"]


def _when(summary: EliminationSummary) -> float:
    return np.inf if summary.first_eliminated is None else summary.first_eliminated


def _groups(result: Result, factors: list[list[EliminationSummary]], names: Sequence[str]) -> Table:
    """Large factors: the best level, and the first, median and last of the others to go."""
    rows = [
        ["the best level"],
        ["first of the others"],
        ["median of the others"],
        ["last of the others"],
    ]

    for here in factors:
        best = next(summary for summary in here if summary.best)
        rows[0] += _cells(best, result.repetitions)

        others = sorted((summary for summary in here if not summary.best), key=_when)
        middle = (len(others) - 1) // 2
        for row, index in zip(rows[1:], (0, middle, -1), strict=True):
            row += _cells(others[index], result.repetitions) if others else ["", ""]

    return _table(result, names, [tuple(row) for row in rows], first="")


def _table(
    result: Result, names: Sequence[str], rows: Sequence[tuple[str, ...]], first: str
) -> Table:
    columns = [first]
    for name in names:
        columns += [f"{name}: eliminated", "re-entered"]

    title = f"{result.label}: when each level was eliminated"
    caption = f"median round of the first elimination, over {result.repetitions} repetitions"
    return Table(title, tuple(columns), rows, caption)
