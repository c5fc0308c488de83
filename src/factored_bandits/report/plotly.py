"""Charts for plotly: traces and layout of each panel as plain data, whole figures for notebooks."""

from __future__ import annotations

import html
import math
from importlib import resources
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.errors import MissingExtraError

from .chart import Axis, Chart, Line, Panel
from .palette import INK, PALE

SYMBOLS = {
    "o": "circle",
    "s": "square",
    "^": "triangle-up",
    "D": "diamond",
    "v": "triangle-down",
    "P": "cross",
}
DIGITS = 4  # significant ones of the numbers in a page
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
HOVER = "%{x:,.4~r}: %{y:,.4~r}"
HOVER_BAND = "<br>middle 80 %: %{customdata[0]:,.4~r} to %{customdata[1]:,.4~r}"
ROW = (7, 17)  # pixels of a row, smallest and largest


def script() -> str:
    """The source of plotly's script, which ships inside its Python package."""
    try:
        package = resources.files("plotly")
        return package.joinpath("package_data", "plotly.min.js").read_text(encoding="utf-8")
    except ImportError:
        raise MissingExtraError.of("plotly", "report", "an interactive chart") from None


def figure(chart: Chart, *, runs: bool = False) -> Any:
    """The chart as a plotly figure: panels below one another, one legend; every run if wanted."""
    try:
        import plotly.graph_objects as go
    except ImportError:
        raise MissingExtraError.of("plotly", "report", "an interactive chart") from None

    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {
        "title": {"text": html.escape(chart.title)},
        "template": "none",
        "font": {"family": FONT, "color": INK},
        "height": 120 + 400 * len(chart.panels),
        "hovermode": "closest",
        "annotations": [],
    }
    named: set[str] = set()
    count = len(chart.panels)

    for i, panel in enumerate(chart.panels):
        suffix = "" if i == 0 else str(i + 1)
        x_axis = f"x{suffix}"
        y_axis = f"y{suffix}"

        for trace in [*(all_runs(panel) if runs else []), *bands(panel), *traces(panel)]:
            # An entry of the legend stands for the lines of all panels.
            first = bool(trace.get("showlegend")) and trace["legendgroup"] not in named
            if first:
                named.add(trace["legendgroup"])
            data.append(trace | {"xaxis": x_axis, "yaxis": y_axis, "showlegend": first})

        top = 1.0 - i / count
        bottom = top - 0.78 / count if count > 1 else 0.0
        layout[f"xaxis{suffix}"] = axis(panel.x) | {"anchor": y_axis}
        layout[f"yaxis{suffix}"] = axis(panel.y) | {"anchor": x_axis, "domain": [bottom, top]}
        if count > 1:
            layout["annotations"].append(_heading(panel.title, top))

    return go.Figure({"data": data, "layout": layout})


def _heading(title: str, top: float) -> dict[str, Any]:
    return {
        "text": html.escape(title),
        "x": 0,
        "y": top,
        "xref": "paper",
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
    }


def bands(panel: Panel) -> list[dict[str, Any]]:
    """Below the lines; the page makes its own, from the numbers of the lines."""
    return [
        _band(line, line.low, line.high)
        for line in panel.lines
        if line.low is not None and line.high is not None
    ]


def traces(panel: Panel) -> list[dict[str, Any]]:
    """The lines, or the rows."""
    return [*map(_line, panel.lines), *_rows(panel)]


def all_runs(panel: Panel) -> list[dict[str, Any]]:
    """For each line its runs, as one trace."""
    found = []
    for line in panel.lines:
        if line.runs is not None:
            gap = np.full((len(line.runs), 1), np.nan)
            x = np.hstack([np.tile(line.x, (len(line.runs), 1)), gap])
            y = np.hstack([line.runs, gap])
            look = {"color": line.look.colour, "width": 0.8}
            found.append(_scatter(line.key, x.ravel(), y.ravel(), line=look, opacity=0.35))

    return found


def compact_runs(panel: Panel, points: int) -> list[dict[str, Any]]:
    """The runs of each line as the page keeps them: rounds once, `points` points of each run."""
    found = []
    for line in panel.lines:
        if line.runs is not None:
            n = len(line.x)
            keep = np.unique(np.linspace(0, n - 1, min(n, points)).round().astype(int))
            compact = {
                "key": line.key,
                "color": line.look.colour,
                "x": rounded(line.x[keep]),
                "runs": [rounded(run[keep]) for run in line.runs],
            }
            found.append(compact)

    return found


def rounded(values: Floats) -> list[float | int | None]:
    """With `DIGITS` significant digits, whole where they are; None for nan.

    >>> rounded(np.array([123456.7, 0.1234567, 3.0, math.nan]))
    [123500, 0.1235, 3, None]
    """
    return [_short(float(value)) for value in values]


def _short(value: float) -> float | int | None:
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short == int(short) else short


def _scatter(key: str, x: Floats, y: Floats, **more: Any) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": rounded(x),
        "y": rounded(y),
        "hoverinfo": "skip",
        "legendgroup": key,
        "name": html.escape(key),
        "showlegend": False,
        **more,
    }


def _band(line: Line, low: Floats, high: Floats) -> dict[str, Any]:
    x = np.concatenate([line.x, line.x[::-1]])
    y = np.concatenate([high, low[::-1]])
    return _scatter(
        line.key, x, y, fill="toself", fillcolor=line.look.colour, opacity=0.16, line={"width": 0}
    )


def _line(line: Line) -> dict[str, Any]:
    look: dict[str, Any] = {"color": line.look.colour, "width": line.width}
    if line.look.dashes:
        look["dash"] = ",".join(f"{line.width * part:.3g}px" for part in line.look.dashes)
    if line.steps:
        look["shape"] = "hv"
    more: dict[str, Any] = {
        "line": look,
        "showlegend": bool(line.label),
        "name": html.escape(line.label or line.key),
    }
    marker = {
        "color": line.look.colour,
        "symbol": SYMBOLS.get(line.look.marker, "circle"),
        "size": 7,
    }

    if line.errors is not None:
        more["mode"] = "markers"
        more["marker"] = marker | {"size": 8}
        more["error_y"] = {
            "array": rounded(line.errors),
            "color": line.look.colour,
            "thickness": 1.4,
            "width": 3,
        }
    elif line.look.marker:
        more["mode"] = "lines+markers"
        more["marker"] = marker | {"maxdisplayed": 9}

    if line.label:
        told = f"<b>{html.escape(line.label)}</b><br>{HOVER}"
        if line.low is not None and line.high is not None:
            band = zip(rounded(line.low), rounded(line.high), strict=True)
            more["customdata"] = [list(pair) for pair in band]
            told += HOVER_BAND
        more["hoverinfo"] = "all"
        more["hovertemplate"] = f"{told}<extra></extra>"

    return _scatter(line.key, line.x, line.y, **more)


def _rows(panel: Panel) -> list[dict[str, Any]]:
    """Thick pieces of line while a level is active, a tick where it re-enters."""
    if panel.look is None:
        return []
    bars: list[tuple[float, float, str]] = []
    re_entries: list[tuple[float, float, str]] = []

    for i, row in enumerate(panel.rows):
        label = html.escape(row.label)
        for start, end in row.spans:
            # A point that is no number ends a piece of the line.
            bars += [(start, i, label), (end, i, label), (math.nan, math.nan, "")]
        re_entries += [(at, i, label) for at in row.re_entries]

    high = row_height(panel)
    line = {"color": panel.look.colour, "width": 0.65 * high}
    found = [_levels("active", "", bars, line=line)]

    if re_entries:
        marker = {
            "symbol": "line-ns-open",
            "size": 0.6 * high,
            "color": INK,
            "line": {"width": 0.5 if panel.crowded else 1.3},
        }
        ticks = {"mode": "markers", "marker": marker, "opacity": 0.75}
        found.append(_levels("re-entry", "re-entered in ", re_entries, **ticks))

    return found


def _levels(
    key: str, what: str, points: list[tuple[float, float, str]], **more: Any
) -> dict[str, Any]:
    """Points (round, row, level) that say which level they are of; their rounds are exact."""
    x = np.array([at for at, _, _ in points])
    y = np.array([row for _, row, _ in points])
    exact = [None if math.isnan(at) else int(at) for at in x]

    return _scatter(key, x, y, **more) | {
        "x": exact,
        "text": [level for _, _, level in points],
        "hoverinfo": "text",
        "hovertemplate": f"level %{{text}}<br>{what}round %{{x:,.0f}}<extra></extra>",
    }


def axis(own: Axis) -> dict[str, Any]:
    """The axis as plotly wants it: on a logarithmic one, limits are exponents."""
    found: dict[str, Any] = {
        "title": {"text": html.escape(own.label), "standoff": 8},
        "type": "log" if own.log else "linear",
        "range": limits(own.limits, own.log),
        "gridcolor": PALE,
        "zeroline": False,
        "showline": True,
        "ticks": "outside",
        "ticklen": 4,
        "automargin": True,
    }
    if own.ticks:
        found["tickvals"] = [at for at, _ in own.ticks]
        found["ticktext"] = [html.escape(text) for _, text in own.ticks]
    if own.log:
        return found | {"exponentformat": "power", "nticks": 7}
    return found | {"exponentformat": "SI"}


def row_height(panel: Panel) -> float:
    """Pixels of a row of a timeline."""
    return max(ROW[0], min(ROW[1], 640 / max(1, len(panel.rows))))


def limits(bounds: tuple[float, float], log: bool) -> list[float]:
    """As plotly writes them.

    >>> limits((1.0, 1000.0), log=True)
    [0.0, 3.0]
    """
    return [math.log10(bound) if log else bound for bound in bounds]
