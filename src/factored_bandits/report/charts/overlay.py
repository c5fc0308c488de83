"""Measured regret together with the curves of theorems."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.table import number
from factored_bandits.errors import InvalidInputError
from factored_bandits.report.chart import Axis, Chart, Line, Panel
from factored_bandits.report.palette import bound_look

from .curves import curves

if TYPE_CHECKING:
    import pandas

NEEDED = ("name", "round", "value")


def overlay(
    frame: Any,
    bounds: pandas.DataFrame,
    name: str = "bounds",
    title: str | None = None,
    *,
    caption: str | None = None,
) -> Chart:
    """`curves` on logarithmic axes, together with bounds.

    Parameters
    ----------
    frame
        A tidy frame, or a sequence of results.
    bounds
        A tidy frame of name, round and value. With a column `problem` a bound belongs to that
        panel, without one to all. Where a value is nan there is no bound.
    name
        The name of the chart's files.
    title
        The title; by default the problem.
    caption
        What was measured; by default found in the frame or the results.

    Returns
    -------
    The chart.

    Raises
    ------
    InvalidInputError
        If a column is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> regret = {"round": [1, 10, 100], "regret": [1.0, 5.0, 9.0]}
    >>> bounds = pd.DataFrame({"name": "Theorem 1", "round": [1, 100], "value": [20.0, 60.0]})
    >>> chart = overlay(pd.DataFrame({"policy": "tea", **regret}), bounds)
    >>> [line.label for line in chart.panels[0].lines]
    ['tea', 'Theorem 1']
    """
    missing = [column for column in NEEDED if column not in bounds.columns]
    if missing:
        raise InvalidInputError(
            f"bounds has no column {missing[0]!r}; it needs name, round and value"
        )

    parts: dict[str, dict[str, tuple[Floats, Floats]]] = {}
    own = "problem" in bounds.columns
    groups = ["problem", "name"] if own else ["name"]

    for keys, part in bounds.groupby(groups, sort=False, observed=True):
        problem, bound = keys if own else ("", keys[0])
        ordered = part.sort_values("round")
        rounds = ordered["round"].to_numpy(dtype=np.float64)
        values = ordered["value"].to_numpy(dtype=np.float64)
        parts.setdefault(str(problem), {})[str(bound)] = (rounds, values)

    base = curves(frame, name, title, y="log", caption=caption)
    return with_bounds(base, [parts.get(panel.title if own else "", {}) for panel in base.panels])


def with_bounds(base: Chart, bounds: list[dict[str, tuple[Floats, Floats]]]) -> Chart:
    """The chart with the bounds (per panel: name -> rounds and values) that say something."""
    panels = tuple(_panel(panel, lines) for panel, lines in zip(base.panels, bounds, strict=True))
    tables = tuple(
        dataclasses.replace(table, rows=[*table.rows, *_rows(panel, len(table.columns))])
        for table, panel in zip(base.numbers, panels, strict=True)
    )
    caption = f"{base.caption} Grey: bounds."
    return dataclasses.replace(base, panels=panels, numbers=tables, caption=caption)


def _panel(panel: Panel, bounds: dict[str, tuple[Floats, Floats]]) -> Panel:
    lines = []
    for index, (bound, (rounds, values)) in enumerate(bounds.items()):
        if np.isfinite(values[-1]):
            lines.append(Line(bound, bound, bound_look(bound, index), rounds, values, width=1.6))
    if not lines:
        return panel
    return dataclasses.replace(panel, y=_fit(panel, lines), lines=(*panel.lines, *lines))


def _fit(panel: Panel, bounds: list[Line]) -> Axis:
    """From the first regret to a little above the highest curve."""
    measured = np.concatenate([line.y for line in panel.lines])
    seen = np.concatenate([measured, *(line.y for line in bounds)])
    seen = seen[np.isfinite(seen) & (seen > 0.0)]
    measured = measured[measured > 0.0]
    if not len(seen):
        return panel.y

    bottom = float(measured.min()) if len(measured) else float(seen.min())
    top = float(seen.max())
    return Axis(panel.y.label, (bottom / 1.5, 2.0 * top), log=True, other=(0.0, 1.05 * top))


def _rows(panel: Panel, columns: int) -> list[tuple[str, ...]]:
    """The bounds at their last round, below what was measured."""
    empty = ("",) * (columns - 4)
    rows = []

    for line in panel.lines:
        if line.runs is None:
            last = float(line.y[-1])
            value = number(last, like=last)
            rows.append((line.label, value, *empty, f"{line.x[-1]:,.0f}", ""))

    return rows
