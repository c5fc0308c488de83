"""Measured regret together with the curves of theorems."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.table import Table, number
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
    """`curves` on logarithmic axes, and with them the curves in `bounds`: a tidy frame of name,
    round and value.

    With a column `problem` a bound belongs to that panel, without one to all. Where a value is nan
    there is no bound.

    >>> import pandas as pd
    >>> measured = pd.DataFrame({"policy": "tea", "round": [1, 10, 100], "regret": [1.0, 5.0, 9.0]})
    >>> chart = overlay(measured, pd.DataFrame({"name": "Theorem 1", "round": [1, 100], "value": [20.0, 60.0]}))
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

    for keys, part in bounds.groupby(
        ["problem", "name"] if own else ["name"], sort=False, observed=True
    ):
        problem, bound = keys if own else ("", keys[0])
        ordered = part.sort_values("round")
        points = (
            ordered["round"].to_numpy(dtype=np.float64),
            ordered["value"].to_numpy(dtype=np.float64),
        )
        parts.setdefault(str(problem), {})[str(bound)] = points

    base = curves(frame, name, title, y="log", caption=caption)
    return with_bounds(base, [parts.get(panel.title if own else "", {}) for panel in base.panels])


def with_bounds(base: Chart, bounds: list[dict[str, tuple[Floats, Floats]]]) -> Chart:
    """The chart with the bounds (per panel: name -> rounds and values) that say something."""
    panels = tuple(_panel(panel, lines) for panel, lines in zip(base.panels, bounds, strict=True))
    tables = tuple(
        Table(
            table.title,
            table.columns,
            [*table.rows, *_rows(panel, len(table.columns))],
            table.caption,
        )
        for table, panel in zip(base.numbers, panels, strict=True)
    )

    return dataclasses.replace(
        base, panels=panels, numbers=tables, caption=f"{base.caption} Grey: bounds."
    )


def _panel(panel: Panel, bounds: dict[str, tuple[Floats, Floats]]) -> Panel:
    lines = []
    for place, (bound, (rounds, values)) in enumerate(bounds.items()):
        if np.isfinite(values[-1]):
            lines.append(Line(bound, bound, bound_look(bound, place), rounds, values, width=1.6))
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
    return Axis(
        panel.y.label,
        (bottom / 1.5, 2.0 * float(seen.max())),
        True,
        (0.0, 1.05 * float(seen.max())),
    )


def _rows(panel: Panel, columns: int) -> list[tuple[str, ...]]:
    """The bounds at their last round, below what was measured."""
    bounds = [line for line in panel.lines if line.runs is None]
    empty = ("",) * (columns - 4)

    return [
        (
            line.label,
            number(float(line.y[-1]), like=float(line.y[-1])),
            *empty,
            f"{line.x[-1]:,.0f}",
            "",
        )
        for line in bounds
    ]
