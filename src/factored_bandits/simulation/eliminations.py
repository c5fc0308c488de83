"""When each level was ruled out: per level over the repetitions, and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.table import Table

from .result import Result

SHOWN_LEVELS = 16  # factors with more levels are summarised
SIDE_BY_SIDE = 3  # factors per table


class EliminationSummary(NamedTuple):
    """What happened to one level of one factor, over all repetitions."""

    factor: int
    level: int
    best: bool
    first_out: (
        float | None
    )  # median round in which it went out first; None if it stayed in at least half of the time
    out_share: float  # share of repetitions in which it ever went out
    returns: float  # median number of times it came back
    out_at_end: float  # share of repetitions in which it was out at the horizon


class _Counts(NamedTuple):
    """Per factor: arrays (repetitions, levels)."""

    first: Floats  # the first round out; inf if it never was
    outs: Floats
    ins: Floats


def elimination_summaries(result: Result, factors: int) -> list[EliminationSummary]:
    """One record per level of the first `factors` factors (a duel has one: its arms)."""
    records = []
    for factor, counts in enumerate(_counts(result, factors)):
        first = np.median(counts.first, axis=0)
        for level in range(result.sizes[factor]):
            outs = counts.outs[:, level]
            ins = counts.ins[:, level]
            records.append(
                EliminationSummary(
                    factor=factor,
                    level=level,
                    best=level == result.best[factor],
                    first_out=float(first[level]) if np.isfinite(first[level]) else None,
                    out_share=float((outs > 0).mean()),
                    returns=float(np.median(ins)),
                    out_at_end=float((outs > ins).mean()),
                )
            )

    return records


def _counts(result: Result, factors: int) -> list[_Counts]:
    row = {r: i for i, r in enumerate(sorted({event.repetition for event in result.eliminations}))}
    shapes = [(result.repetitions, size) for size in result.sizes[:factors]]
    counts = [_Counts(np.full(shape, np.inf), np.zeros(shape), np.zeros(shape)) for shape in shapes]

    for event in result.eliminations:
        place = row[event.repetition], event.level
        first, outs, ins = counts[event.factor]
        if event.event == "out":
            first[place] = min(first[place], event.round)
            outs[place] += 1
        else:
            ins[place] += 1

    return counts


def elimination_tables(result: Result, names: Sequence[str]) -> list[Table]:
    """Tables of one policy: a row per level (or, for large factors, per group of levels), columns
    per factor.

    `names` are those of the factors: as many as the policy eliminates in.
    """
    every = elimination_summaries(result, len(names))
    by_factor = [[summary for summary in every if summary.factor == l] for l in range(len(names))]
    build = _all_levels if max(map(len, by_factor)) <= SHOWN_LEVELS else _groups
    offsets = range(0, len(names), SIDE_BY_SIDE)
    return [
        build(result, by_factor[i : i + SIDE_BY_SIDE], names[i : i + SIDE_BY_SIDE]) for i in offsets
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
    return _table(result, names, rows, first="level" if len(names) > 1 or names[0] != "arm" else "")


def _cells(summary: EliminationSummary, repetitions: int) -> list[str]:
    mark = "best: " if summary.best else ""
    if summary.out_share == 0:
        return [f"{mark}never", ""]
    often = (
        ""
        if summary.out_share == 1
        else f" (out in {round(summary.out_share * repetitions)} of {repetitions})"
    )
    when = f"{summary.first_out:,.0f}" if summary.first_out is not None else "seldom"
    return [f"{mark}{when}{often}", f"{summary.returns:,.0f}x"]


def _when(summary: EliminationSummary) -> float:
    return np.inf if summary.first_out is None else summary.first_out


def _groups(result: Result, factors: list[list[EliminationSummary]], names: Sequence[str]) -> Table:
    """Large factors: the best level, and the first, median and last of the others to go."""
    rows = [
        ["the best level"],
        ["first of the others"],
        ["median of the others"],
        ["last of the others"],
    ]
    for here in factors:
        rows[0] += _cells(next(summary for summary in here if summary.best), result.repetitions)
        others = sorted((summary for summary in here if not summary.best), key=_when)
        for row, place in zip(rows[1:], (0, (len(others) - 1) // 2, -1), strict=True):
            row += _cells(others[place], result.repetitions) if others else ["", ""]

    return _table(result, names, [tuple(row) for row in rows], first="")


def _table(
    result: Result, names: Sequence[str], rows: Sequence[tuple[str, ...]], first: str
) -> Table:
    columns = [first]
    for name in names:
        columns += [f"{name}: ruled out", "came back"]
    caption = f"median round of the first time out, over {result.repetitions} repetitions"
    return Table(f"{result.policy}: when each level was ruled out", tuple(columns), rows, caption)
