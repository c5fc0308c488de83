"""Charts for plotly: the traces and the layout of each panel as plain data, and whole figures for
notebooks.
"""

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
        return (
            resources.files("plotly")
            .joinpath("package_data", "plotly.min.js")
            .read_text(encoding="utf-8")
        )
    except ImportError:
        raise MissingExtraError.of("plotly", "report", "an interactive chart") from None


def figure(chart: Chart, *, runs: bool = False) -> Any:
    """The chart as a plotly figure, with every run if wanted: panels below one another, one legend."""
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

    for i, panel in enumerate(chart.panels):
        suffix = "" if i == 0 else str(i + 1)
        for trace in [*(all_runs(panel) if runs else []), *bands(panel), *traces(panel)]:
            first = bool(trace.get("showlegend")) and trace["legendgroup"] not in named
            named |= {trace["legendgroup"]} if first else set()
            data.append(trace | {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}", "showlegend": first})
        top = 1.0 - i / len(chart.panels)
        bottom = top - 0.78 / len(chart.panels) if len(chart.panels) > 1 else 0.0
        layout[f"xaxis{suffix}"] = axis(panel.x) | {"anchor": f"y{suffix}"}
        layout[f"yaxis{suffix}"] = axis(panel.y) | {"anchor": f"x{suffix}", "domain": [bottom, top]}
        if len(chart.panels) > 1:
            place = {
                "x": 0,
                "y": top,
                "xref": "paper",
                "yref": "paper",
                "yanchor": "bottom",
                "showarrow": False,
            }
            layout["annotations"].append({"text": html.escape(panel.title), **place})

    return go.Figure({"data": data, "layout": layout})


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
    """The runs of each line as the page keeps them: rounds once, and that many points of each run."""
    found = []
    for line in panel.lines:
        if line.runs is not None:
            n = len(line.x)
            keep = np.unique(np.linspace(0, n - 1, min(n, points)).round().astype(int))
            runs = [rounded(run[keep]) for run in line.runs]
            found.append(
                {
                    "key": line.key,
                    "color": line.look.colour,
                    "x": rounded(line.x[keep]),
                    "runs": runs,
                }
            )

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
    common = {
        "type": "scatter",
        "mode": "lines",
        "x": rounded(x),
        "y": rounded(y),
        "hoverinfo": "skip",
    }
    return {**common, "legendgroup": key, "name": html.escape(key), "showlegend": False, **more}


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
        more["mode"], more["marker"] = "markers", marker | {"size": 8}
        more["error_y"] = {
            "array": rounded(line.errors),
            "color": line.look.colour,
            "thickness": 1.4,
            "width": 3,
        }
    elif line.look.marker:
        more["mode"], more["marker"] = "lines+markers", marker | {"maxdisplayed": 9}

    if line.label:
        more |= {
            "hoverinfo": "all",
            "hovertemplate": f"<b>{html.escape(line.label)}</b><br>{HOVER}<extra></extra>",
        }

    if line.label and line.low is not None and line.high is not None:
        more["customdata"] = [
            list(pair) for pair in zip(rounded(line.low), rounded(line.high), strict=True)
        ]
        more["hovertemplate"] = more["hovertemplate"].replace("<extra>", f"{HOVER_BAND}<extra>")

    return _scatter(line.key, line.x, line.y, **more)


def _rows(panel: Panel) -> list[dict[str, Any]]:
    """Thick pieces of line while a level is in, a tick where it came back."""
    if panel.look is None:
        return []
    bars: list[tuple[float, float, str]] = []
    back: list[tuple[float, float, str]] = []

    for i, row in enumerate(panel.rows):
        label = html.escape(row.label)
        gap = (math.nan, math.nan, "")
        bars += [
            point for start, end in row.spans for point in ((start, i, label), (end, i, label), gap)
        ]
        back += [(at, i, label) for at in row.re_entries]

    high = row_height(panel)
    found = [_levels("in", "", bars, line={"color": panel.look.colour, "width": 0.65 * high})]

    if back:
        marker = {
            "symbol": "line-ns-open",
            "size": 0.6 * high,
            "color": INK,
            "line": {"width": 0.5 if panel.crowded else 1.3},
        }
        found.append(
            _levels("back", "came back in ", back, mode="markers", marker=marker, opacity=0.75)
        )

    return found


def _levels(
    key: str, what: str, points: list[tuple[float, float, str]], **more: Any
) -> dict[str, Any]:
    """Points (round, row, level) that say which level they are of; their rounds are exact."""
    x, y = (np.array([point[i] for point in points]) for i in (0, 1))
    exact = [None if math.isnan(at) else int(at) for at in x]
    told = f"level %{{text}}<br>{what}round %{{x:,.0f}}<extra></extra>"
    names = [point[2] for point in points]

    return _scatter(key, x, y, **more) | {
        "x": exact,
        "text": names,
        "hoverinfo": "text",
        "hovertemplate": told,
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
        found |= {
            "tickvals": [at for at, _ in own.ticks],
            "ticktext": [html.escape(text) for _, text in own.ticks],
        }

    return found | (
        {"exponentformat": "power", "nticks": 7} if own.log else {"exponentformat": "SI"}
    )


def row_height(panel: Panel) -> float:
    """Pixels of a row of a timeline."""
    return max(ROW[0], min(ROW[1], 640 / max(1, len(panel.rows))))


def limits(bounds: tuple[float, float], log: bool) -> list[float]:
    """As plotly writes them.

    >>> limits((1.0, 1000.0), log=True)
    [0.0, 3.0]
    """
    return [math.log10(bound) if log else bound for bound in bounds]
