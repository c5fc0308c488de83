"""Charts and tables as pieces of HTML; every text is escaped."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from typing import Any

from factored_bandits.core.table import Table
from factored_bandits.report.chart import Axis, Chart, Line, Panel
from factored_bandits.report.plotly import axis, compact_runs, limits, row_height, traces

HINT = "Point at a line for its numbers. Drag to zoom, double-click to go back."
HINT_LEGEND = "Click a name to hide it, double-click to see it alone."
TOUCH, TOUCH_LEGEND = "Tap a line for its numbers.", "Tap a name to hide it."
RUN_POINTS = (12, 100)  # of each run in a page, at least and at most
RUN_NUMBERS = 200_000  # of all runs in a page
SHAPES = {  # markers in a legend of 34 x 12
    "o": '<circle cx="17" cy="6" r="3.5"/>',
    "s": '<rect x="13.5" y="2.5" width="7" height="7"/>',
    "^": '<path d="M17 2 L21 9.5 L13 9.5 Z"/>',
    "D": '<path d="M17 1.5 L21.5 6 L17 10.5 L12.5 6 Z"/>',
    "v": '<path d="M17 10 L21 2.5 L13 2.5 Z"/>',
    "P": '<path d="M15 2h4v2h2v4h-2v2h-4v-2h-2v-4h2z"/>',
}


def text(value: str) -> str:
    """Safe between tags and in attributes, with a proper sign for errors.

    >>> text('<b> & "c"'), text("5 +- 1")
    ('&lt;b&gt; &amp; &quot;c&quot;', '5 ± 1')
    """
    return html.escape(value, quote=True).replace("+- ", "± ")


def element(tag: str, content: str) -> str:
    """An element with a text.

    >>> element("h2", "a < b")
    '<h2>a &lt; b</h2>'
    """
    return f"<{tag}>{text(content)}</{tag}>"


def paragraphs(content: str) -> str:
    """A paragraph for each piece between empty lines; `names` in backticks are set as such.

    >>> paragraphs("Play `tea`.\\n\\nAgain.")
    '<p>Play <code>tea</code>.</p><p>Again.</p>'
    """
    pieces = [piece.strip() for piece in content.split("\n\n")]
    return "".join(
        re.sub(r"`([^`]+)`", r"<code>\1</code>", element("p", piece)) for piece in pieces if piece
    )


def table_of(table: Table) -> str:
    """The table, in a box that scrolls if it is too wide."""
    sides = [' class="r"' if side == "r" else "" for side in table.alignment]
    heads = "".join(
        f'<th scope="col"{side}>{text(cell)}</th>'
        for cell, side in zip(table.columns, sides, strict=True)
    )
    rows = "".join(
        "<tr>"
        + "".join(f"<td{side}>{text(cell)}</td>" for cell, side in zip(row, sides, strict=True))
        + "</tr>"
        for row in table.rows
    )
    title = element("caption", table.title) if table.title else ""
    body = f"<table>{title}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    note = f'<p class="axis">{text(table.caption)}</p>' if table.caption else ""
    label = text(table.title or "Table")
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">{body}</div>{note}'


def fragment(chart: Chart, points: int = RUN_POINTS[1]) -> str:
    """The chart with its buttons, legend, caption and numbers, and the data from which the page's
    script draws it.

    Of each run that many points are kept.
    """
    data = [_data(panel, points) for panel in chart.panels]
    columns = 1 if len(chart.panels) == 1 else 2 if len(chart.panels) in (2, 4) else 3
    panels = "".join(_panel(chart, panel) for panel in chart.panels)
    files = " · ".join(
        f'<a href="figures/{text(chart.name)}.{suffix}">{suffix.upper()}</a>'
        for suffix in ("png", "pdf")
    )
    numbers = "".join(map(table_of, chart.numbers))

    return (
        f'<figure class="chart" id="chart-{text(chart.name)}">'
        f'<div class="head">{element("h3", chart.title)}{_tools(chart)}</div>{_legend(chart)}'
        f'{_hint(chart)}<div class="panels in-{columns}">{panels}</div>'
        f'<noscript><img src="figures/{text(chart.name)}.png" alt="{text(chart.alt)}"></noscript>'
        f'<figcaption>{text(chart.caption)} <span class="files">{files}</span></figcaption>'
        + (f"<details><summary>Numbers</summary>{numbers}</details>" if numbers else "")
        + f'<script type="application/json" class="data">{_json(data)}</script>'
        "</figure>"
    )


def _hint(chart: Chart) -> str:
    """For a mouse and for a finger."""
    mouse, touch = (
        ([HINT, HINT_LEGEND], [TOUCH, TOUCH_LEGEND]) if chart.legend() else ([HINT], [TOUCH])
    )
    return f'<p class="hint mouse">{" ".join(mouse)}</p><p class="hint touch">{" ".join(touch)}</p>'


def _panel(chart: Chart, panel: Panel) -> str:
    tall = (
        f' style="height: {60 + row_height(panel) * (len(panel.rows) + 1):.0f}px"'
        if panel.rows
        else ""
    )
    title = element("h4", panel.title) if panel.title and len(chart.panels) > 1 else ""

    return (
        f'<div class="panel">{title}<p class="axis" aria-hidden="true">{text(panel.y.label)}</p>'
        f'<div class="plot" role="img" aria-label="{text(panel.alt)}"{tall}></div>'
        f'<p class="axis below" aria-hidden="true">{text(panel.x.label)}</p></div>'
    )


def _tools(chart: Chart) -> str:
    buttons = []
    if any(panel.y.other for panel in chart.panels):
        pressed = str(any(panel.y.log for panel in chart.panels)).lower()
        buttons.append(f'<button data-do="log" aria-pressed="{pressed}">Log scale</button>')

    if any(line.runs is not None for panel in chart.panels for line in panel.lines):
        buttons.append('<button data-do="runs" aria-pressed="false">Every run</button>')
    if len(chart.legend()) > 2:
        buttons.append('<button data-do="all">Hide all</button>')
    label = text(f"{chart.title}: view")
    return (
        f'<div class="tools" role="group" aria-label="{label}">{"".join(buttons)}</div>'
        if buttons
        else ""
    )


def _legend(chart: Chart) -> str:
    chips = "".join(
        '<button class="chip" aria-pressed="true" '
        f'data-key="{text(key)}">{_sample(line)}{text(line.label)}</button>'
        for key, line in chart.legend().items()
    )
    return (
        f'<div class="legend" role="group" aria-label="{text(chart.title)}: legend">{chips}</div>'
        if chips
        else ""
    )


def _sample(line: Line) -> str:
    """A piece of the line, in the colour of the theme."""
    colour = f"var(--c-{line.look.colour[1:].lower()})"
    dashes = " ".join(f"{2 * part:g}" for part in line.look.dashes)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    stroke = f'<path d="M1 6H33" fill="none" stroke-width="2.4" style="stroke: {colour}"{dashed}/>'
    marker = line.look.marker or ("o" if line.errors is not None else "")
    shape = f'<g style="fill: {colour}">{SHAPES[marker]}</g>' if marker else ""
    return f'<svg viewBox="0 0 34 12" aria-hidden="true">{stroke}{shape}</svg>'


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
        "rows": len(panel.rows),
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


def _json(data: Any) -> str:
    """Compact, and unable to close the element that it stands in."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
