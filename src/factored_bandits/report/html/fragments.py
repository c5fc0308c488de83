"""Charts as the data that the templates show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from factored_bandits.report.chart import Axis, Chart, Line, Panel
from factored_bandits.report.palette import FAINT, Look
from factored_bandits.report.plotly import axis, limits
from factored_bandits.report.traces import compact_runs, row_height, traces

RUN_POINTS = (12, 100)  # of each run in a page, at least and at most
RUN_NUMBERS = 200_000  # of all runs in a page
HEAD_HEIGHT = 60  # pixels of a panel of rows, beside its rows


def view_of(chart: Chart, points: int = RUN_POINTS[1]) -> dict[str, Any]:
    """What the template of a chart shows."""
    several = len(chart.panels) > 1

    return {
        "name": chart.name,
        "title": chart.title,
        "caption": chart.caption,
        "alt": chart.alt,
        "story": chart.story,
        "marks": [_mark(look, text) for look, text in chart.marks],
        "buttons": _buttons(chart),
        "legend": [_sample(key, line) for key, line in chart.legend().items()],
        "quiet": sum(line.quiet for line in chart.legend().values()),
        "columns": _columns(len(chart.panels), any(panel.lines for panel in chart.panels)),
        "panels": [_panel(panel, several) for panel in chart.panels],
        "numbers": chart.numbers,
        "data": [_data(panel, points) for panel in chart.panels],
    }


def _columns(panels: int, lines: bool = False) -> int:
    """How many panels stand side by side; lines have their names beside them.

    >>> [_columns(panels) for panels in (1, 2, 3, 4, 5)], _columns(5, lines=True)
    ([1, 2, 3, 2, 3], 2)
    """
    if panels == 1:
        return 1
    return 2 if lines or panels in (2, 4) else 3


def _mark(look: Look, text: str) -> dict[str, str]:
    """What a mark stands for."""
    return {"colour": _colour(look.colour), "marker": look.marker, "text": text}


def _colour(colour: str) -> str:
    """The colour of the theme."""
    return f"var(--c-{colour[1:].lower()})"


def _buttons(chart: Chart) -> list[dict[str, str]]:
    """What each button does, its label, and whether it is pressed if it can be."""
    buttons = []
    if any(panel.y.other for panel in chart.panels):
        pressed = "true" if any(panel.y.log for panel in chart.panels) else "false"
        buttons.append({"does": "log", "label": "Log scale", "pressed": pressed})

    if any(line.runs is not None for panel in chart.panels for line in panel.lines):
        buttons.append({"does": "runs", "label": "Every run", "pressed": "false"})

    if len(chart.legend()) > 2:
        buttons.append({"does": "all", "label": "Hide all", "pressed": ""})

    return buttons


def _sample(key: str, line: Line) -> dict[str, object]:
    """An entry of the legend, in the colour of the theme."""
    found: dict[str, object] = {
        "key": key,
        "label": line.label,
        "colour": _colour(line.look.colour),
        "dashes": " ".join(f"{2 * part:g}" for part in line.look.dashes),
        "marker": line.look.marker or ("o" if line.bars is not None else ""),
        "quiet": line.quiet,
    }
    return found | {"colour": _colour(FAINT), "dashes": "", "marker": ""} if line.quiet else found


def _panel(panel: Panel, several: bool) -> dict[str, str]:
    height = ""
    if panel.rows or panel.dots:
        count = len(panel.rows) + len(panel.dots)
        height = f"{HEAD_HEIGHT + row_height(panel) * (count + 1):.0f}"

    return {
        "title": panel.title if several else "",
        "x": panel.x.label,
        "y": panel.y.label,
        "alt": panel.alt,
        "height": height,
    }


def points_per_run(charts: Sequence[Chart]) -> int:
    """How many points of each run a page with these charts can afford."""
    lines = [line for chart in charts for panel in chart.panels for line in panel.lines]
    runs = sum(len(line.runs) for line in lines if line.runs is not None)
    return max(RUN_POINTS[0], min(RUN_POINTS[1], RUN_NUMBERS // max(1, runs)))


def _data(panel: Panel, points: int) -> dict[str, Any]:
    """What the script draws one panel from; rounds that most lines share are there once."""
    drawn = traces(panel)
    shared = drawn[0]["x"] if drawn else []
    own = [
        {name: value for name, value in each.items() if name != "x" or value != shared}
        for each in drawn
    ]

    return {
        "shared": shared,
        "traces": own,
        "runs": compact_runs(panel, points),
        "x": axis(panel.x),
        "y": axis(panel.y),
        "scales": _scales(panel.y),
        "rows": len(panel.rows) + len(panel.dots),
        "reference": panel.reference,
    }


def _scales(own: Axis) -> dict[str, Any]:
    """The vertical axis on both scales, if it can be switched."""
    if own.other is None:
        return {}
    both = {own.log: own.limits, not own.log: own.other}
    return {
        name: {"type": name, "range": limits(both[log], log)}
        for name, log in (("log", True), ("linear", False))
    }
