"""What happened in one run, in two sentences: how levels were eliminated, how they re-entered."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from factored_bandits.report.chart import Panel, Row


def story_of(panels: Sequence[Panel], factors: Sequence[str], end: float) -> str:
    """The story of a timeline with a panel per factor, to round `end`.

    >>> from factored_bandits.report.chart import Axis
    >>> rows = (Row("1", ((1, 50), (70, 75)), (70,), False), Row("0", ((1, 100),), (), True))
    >>> axis = Axis("", (1, 100))
    >>> print(story_of([Panel("ad", axis, axis, rows=rows)], ["ad"], 100))
    Level 1 of ad is the first to be eliminated, in round 50; only the best level is never
    eliminated. Eliminated levels re-enter to be checked again, 1 time in all, usually for 5
    rounds: the last time in round 70.
    """
    every = [
        (row, factor) for panel, factor in zip(panels, factors, strict=True) for row in panel.rows
    ]
    return f"{_eliminations(every, end)} {_re_entries([row for row, _ in every])}"


def _eliminations(every: Sequence[tuple[Row, str]], end: float) -> str:
    """The first sentence."""
    gone = sorted(
        (row.spans[0][1], row.label, factor)
        for row, factor in every
        if row.spans and row.spans[0][1] < end
    )
    first, level, factor = gone[0]
    told = f"{_who(level, factor)} is the first to be eliminated, in round {first:,.0f}"
    told = told[0].upper() + told[1:]
    if len(gone) > 1:
        last, level, factor = gone[-1]
        told += f", and {_who(level, factor)} the last, in round {last:,.0f}"

    return f"{told}; {_survivors(every, end)}."


def _who(level: str, factor: str) -> str:
    """A level as people say it; a duel has arms."""
    return f"arm {level}" if factor == "arm" else f"level {level} of {factor}"


def _survivors(every: Sequence[tuple[Row, str]], end: float) -> str:
    stayed = [row for row, _ in every if row.spans and row.spans[0][1] >= end]
    known = any(row.best for row, _ in every)
    if not stayed:
        return "each was eliminated at some time"
    if (
        known
        and all(row.best for row in stayed)
        and len(stayed) == sum(row.best for row, _ in every)
    ):
        return f"only the best {'levels are' if len(stayed) > 1 else 'level is'} never eliminated"
    return f"{len(stayed)} of {len(every)} levels are never eliminated"


def _re_entries(rows: Sequence[Row]) -> str:
    """The second sentence."""
    lengths = [stop - start for row in rows for start, stop in row.spans[1:]]
    rounds = [at for row in rows for at in row.re_entries]
    if not rounds:
        return "None of them re-enters."
    often = "1 time" if len(rounds) == 1 else f"{len(rounds):,} times"
    usual = statistics.median(lengths)
    seldom = f": the last time in round {max(rounds):,.0f}"
    if len(rounds) > 9:
        half = statistics.median(rounds)
        seldom = f", ever more seldom: half of that before round {half:,.0f} of {max(rounds):,.0f}"
    return (
        f"Eliminated levels re-enter to be checked again, {often} in all, usually for "
        f"{usual:,.0f} {'round' if usual == 1 else 'rounds'}{seldom}."
    )
