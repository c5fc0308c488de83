"""What judges said: the win rate of each candidate, or the mean of each level, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from factored_bandits.judges.result import ArenaResult
from factored_bandits.judges.tallies import interval
from factored_bandits.judges.tune_result import TuneResult
from factored_bandits.report.chart import Axis, Chart, Dot, Panel
from factored_bandits.report.palette import COLOURS, GREY, Look

OPEN = Look(COLOURS["blue"], (), "o")
RULED_OUT = Look(GREY, (), "s")
MARKS = ((OPEN, "not ruled out"), (RULED_OUT, "ruled out"))
HOW_TO_READ = "Bar: 95 % for this one alone, as if the number of verdicts had been fixed."


class Row(NamedTuple):
    """One row: a share of so many verdicts."""

    label: str
    share: float  # from 0 to 1
    n: int
    possible: bool  # not ruled out


def win_rates(result: ArenaResult, title: str) -> Chart:
    """Win rates of candidates, the best at the top.

    >>> import factored_bandits as fb
    >>> result = fb.arena_sync(["A", "B"], lambda a, b: a > b, budget=99, concurrency=1)
    >>> [(dot.label, dot.value) for dot in win_rates(result, "").panels[0].dots]
    [('A', 0.0), ('B', 1.0)]
    """
    top = result.top
    rows = [
        Row(str(name), tally.rate, tally.n, name in top) for name, tally in result.tallies.items()
    ]
    rows.sort(key=lambda row: row.share)
    panel = _panel("", "win rate, a tie counted as half a win", rows, (0.0, 1.0))
    return Chart(
        name="arena",
        title=title,
        caption=f"{result.policy}, {result.calls:,} calls. {HOW_TO_READ}",
        panels=(panel,),
        numbers=(result.summary(),),
        marks=MARKS,
    )


def level_means(result: TuneResult, title: str) -> Chart:
    """Means of levels, a panel per factor.

    >>> import factored_bandits as fb
    >>> factors = {"model": ["small", "large"]}
    >>> result = fb.tune_sync(factors, score=lambda levels: 0.5, budget=9, concurrency=1)
    >>> [dot.value for dot in level_means(result, "").panels[0].dots]
    [0.5, 0.5]
    """
    low, high = result.reward_range
    top = result.top
    panels = []
    for name, means in result.means.items():
        rows = [
            Row(str(level), (mean - low) / (high - low), n, level in top[name])
            for level, (n, mean) in means.items()
            if not math.isnan(mean)
        ]
        label = "share won of duels in which it differs" if result.of_pairs else "mean"
        panels.append(_panel(name, label, rows[::-1], (low, high)))
    return Chart(
        name="tune",
        title=title,
        caption=f"{result.policy}, {result.calls:,} calls. {HOW_TO_READ}",
        panels=tuple(panels),
        numbers=(result.summary(),),
        marks=MARKS,
    )


def _panel(title: str, label: str, rows: Sequence[Row], ends: tuple[float, float]) -> Panel:
    low, high = ends
    dots = [_dot(row, low, high) for row in rows]
    told = "; ".join(dot.told for dot in reversed(dots))
    return Panel(
        title=title,
        x=Axis(label, ends, ticks=_ticks(low, high)),
        y=Axis(
            "",
            (-0.7, len(rows) - 0.3),
            ticks=tuple((float(i), r.label) for i, r in enumerate(rows)),
        ),
        dots=tuple(dots),
        reference=(0.5 * (low + high), "") if not title else None,
        alt=f"{label.capitalize()}: {told}.",
    )


def _ticks(low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Four equal parts of the range."""
    positions = [low + part * (high - low) for part in (0.0, 0.25, 0.5, 0.75, 1.0)]
    return tuple((position, f"{position:g}") for position in positions)


def _dot(row: Row, low: float, high: float) -> Dot:
    width = high - low
    value = low + width * row.share
    ends = [low + width * end for end in interval(row.share * row.n, row.n)]
    look = OPEN if row.possible else RULED_OUT
    told = f"{row.label} {value:.3g} of {row.n:,}"
    return Dot(row.label, row.label, look, value, ends[0], ends[1], f"n = {row.n:,}", told)
