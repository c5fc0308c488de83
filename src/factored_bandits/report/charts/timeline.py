"""When each level of each factor was active: a row per level, with every re-entry."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from factored_bandits.core.table import Table, round_of
from factored_bandits.errors import InvalidInputError
from factored_bandits.report.chart import Axis, Chart, Panel, Row
from factored_bandits.report.palette import looks
from factored_bandits.simulation.record import ELIMINATED
from factored_bandits.simulation.summaries import sizes_of

from ._story import story_of

if TYPE_CHECKING:
    import pandas

TICKS = 60  # of a row, so that one can see each
NAMED = 24  # rows that have their name beside them, at most
NEEDED = ("policy", "repetition", "round", "factor", "level", "event")


def timeline(
    eliminations: pandas.DataFrame,
    name: str = "eliminations",
    title: str = "When each level was active",
    *,
    sizes: Sequence[int] | None = None,
    horizon: int | None = None,
    best: Sequence[int] | None = None,
    factors: Sequence[str] | None = None,
    repetition: int | None = None,
    caption: str | None = None,
) -> Chart:
    """One repetition of each policy: a panel per factor, a row per level.

    Parameters
    ----------
    eliminations
        A frame of the events, with the columns policy, repetition, round, factor, level and event
        ("eliminated" or "re-entered").
    name
        The name of the chart's files.
    title
        The title.
    sizes
        The number of levels of each factor, since levels that were never eliminated are not in the
        frame; by default from a column `arms` such as "16x16", or as many as are mentioned.
    horizon
        The round at which the axis ends.
    best
        The best level of each factor.
    factors
        Names for the factors, such as ["arm"] for a duel; by default "factor 0", ...
    repetition
        The number of the repetition; by default the first in the frame.
    caption
        What is shown; by default the problem, the repetition and the horizon.

    Returns
    -------
    The chart.

    Raises
    ------
    InvalidInputError
        If the frame is empty, or has not all columns.

    Examples
    --------
    >>> import pandas as pd
    >>> events = {"round": [50, 70, 75], "event": ["eliminated", "re-entered", "eliminated"]}
    >>> frame = pd.DataFrame({"policy": "tea", "repetition": 0, "factor": 0, "level": 1, **events})
    >>> chart = timeline(frame, sizes=[2], horizon=100)
    >>> [(row.label, row.spans, row.re_entries) for row in chart.panels[0].rows]
    [('1', ((1.0, 50.0), (70.0, 75.0)), (70.0,)), ('0', ((1.0, 100.0),), ())]
    """
    missing = [column for column in NEEDED if column not in eliminations.columns]
    if missing:
        raise InvalidInputError(
            f"eliminations has no column {missing[0]!r}; it needs {', '.join(NEEDED)}"
        )
    if eliminations.empty:
        raise InvalidInputError("eliminations is empty: none of these policies eliminated anything")

    shown = int(eliminations["repetition"].min()) if repetition is None else repetition
    counts = sizes or _sizes(eliminations)
    known = horizon or _one(eliminations, "horizon")
    end = float(known or eliminations["round"].max() + 1)
    names = factors or [f"factor {l}" for l in range(len(counts))]

    events = eliminations[eliminations["repetition"] == shown].sort_values("round", kind="stable")
    keys = [key for key in ("problem", "policy") if key in events.columns]
    several = [events[key].nunique() > 1 for key in keys]
    panels: list[Panel] = []
    tables = []

    for which, own in events.groupby(keys, sort=False, observed=True):
        policy = str(which[-1])
        # Of problem and policy, what the panels differ in.
        parts = [str(part) for part, differs in zip(which, several, strict=True) if differs]
        for l, count in enumerate(counts):
            rows = _rows(own[own["factor"] == l], count, end, best[l] if best else None)
            table = _table(", ".join([policy, *parts[:-1], names[l]]), rows, end)
            panels.append(_panel(", ".join([*parts, names[l]]), policy, rows, end, table))
            tables.append(table)

    if caption is None:
        facts = [_one(eliminations, "problem"), f"repetition {shown}"]
        facts += [f"horizon {end:,.0f}"] if known else []
        caption = "; ".join(filter(None, facts))

    return Chart(
        name=name,
        title=title,
        caption=f"{caption}. {_legend(panels)}",
        panels=tuple(panels),
        # a story has one hero
        story="" if any(several) else story_of(panels, names, end),
        numbers=tuple(tables),
    )


def _legend(panels: Sequence[Panel]) -> str:
    most = max(panel.every for panel in panels)
    every = f" (one tick for {most} re-entries at most)" if most > 1 else ""
    return (
        f"Blue bar: the level is active. Orange tick: it re-enters{every}. The last to be "
        "eliminated stand at the top."
    )


def _sizes(eliminations: pandas.DataFrame) -> list[int]:
    """From the column `arms`, or as many as are mentioned."""
    arms = _one(eliminations, "arms")
    if arms:
        return sizes_of(arms)
    return [int(one["level"].max()) + 1 for _, one in eliminations.groupby("factor")]


def _one(frame: pandas.DataFrame, column: str) -> str:
    """The value of a column, if there is only one."""
    alone = column in frame.columns and frame[column].nunique() == 1
    return str(frame[column].iloc[0]) if alone else ""


def _rows(events: pandas.DataFrame, count: int, end: float, best: int | None) -> tuple[Row, ...]:
    """The first to be eliminated first, the one that stays active longest last."""
    rows = []
    for level in range(count):
        own = events[events["level"] == level]
        spans = []
        re_entries = []
        since = 1.0  # the round from which it has been active; `end` while it is eliminated

        for at, event in zip(own["round"].astype(float), own["event"], strict=True):
            if event == ELIMINATED:
                spans.append((since, at))
                since = end
            else:
                re_entries.append(at)
                since = at
        if since < end:
            spans.append((since, end))
        rows.append(Row(str(level), tuple(spans), tuple(re_entries), level == best))

    return tuple(sorted(rows, key=_order))


def _order(row: Row) -> tuple[bool, float, int]:
    first_eliminated = row.spans[0][1] if row.spans else 0.0
    return row.best, first_eliminated, -int(row.label)


def _panel(title: str, policy: str, rows: tuple[Row, ...], end: float, table: Table) -> Panel:
    first = min((span[1] for row in rows for span in row.spans), default=1.0)
    begin = 10.0 ** int(math.log10(max(1.0, first / 2.0)))
    every = max(1, -(-len(rows) // NAMED))
    ticks = tuple(
        (float(i), _name(row))
        for i, row in enumerate(rows)
        if row.best or (len(rows) - 1 - i) % every == 0
    )

    return Panel(
        title=title,
        x=Axis("round", (begin, end), log=True),
        y=Axis("level", (-0.7, len(rows) - 0.3), ticks=ticks),
        rows=rows,
        look=looks([policy])[policy],
        every=max(1, -(-max(len(row.re_entries) for row in rows) // TICKS)),
        alt=_in_words(table),
    )


def _name(row: Row) -> str:
    return f"{row.label} (best)" if row.best else row.label


def _table(title: str, rows: tuple[Row, ...], end: float) -> Table:
    cells = []
    for row in reversed(rows):
        first = row.spans[0][1] if row.spans and row.spans[0][1] < end else float("inf")
        state = "active" if row.spans and row.spans[-1][1] >= end else "eliminated"
        cells.append((_name(row), round_of(first), f"{len(row.re_entries)}x", state))
    return Table(title, ("level", "first eliminated", "re-entered", "at the end"), cells)


def _in_words(table: Table) -> str:
    left = [row[0] for row in table.rows if row[-1] == "active"]
    told = f"{len(table.rows)} levels, active at the end: {', '.join(left) or 'none'}"
    return f"Timeline of eliminations, {table.title}: {told}."
