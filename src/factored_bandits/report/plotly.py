"""Charts for plotly: traces and layout of each panel as plain data, whole figures for notebooks."""

from __future__ import annotations

import html
import math
from importlib import resources
from typing import Any

from factored_bandits.errors import MissingExtraError

from .chart import Axis, Chart
from .palette import INK, PALE
from .traces import all_runs, bands, traces

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"


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
        "title": {"text": html.escape(chart.title), "subtitle": {"text": html.escape(chart.story)}},
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
    # 0.3, not 300m
    return found | {"exponentformat": "none" if abs(own.limits[1]) <= 1.0 else "SI"}


def limits(bounds: tuple[float, float], log: bool) -> list[float]:
    """As plotly writes them.

    >>> limits((1.0, 1000.0), log=True)
    [0.0, 3.0]
    """
    return [math.log10(bound) if log else bound for bound in bounds]
