"""The traces of plotly, as plain data: lines, bands and runs, dots, and rows of timelines."""

from __future__ import annotations

import html
import math
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats

from .chart import Dot, Line, Panel
from .palette import COLOURS, FAINT, PALE

SYMBOLS = {
    "o": "circle",
    "s": "square",
    "^": "triangle-up",
    "D": "diamond",
    "v": "triangle-down",
    "P": "cross",
    "X": "x",
}
DIGITS = 4  # significant ones of the numbers in a page
HOVER = "%{x:,.4~r}: %{y:,.4~r}"
HOVER_BAND = "<br>middle 80 %: %{customdata[0]:,.4~r} to %{customdata[1]:,.4~r}"
ROW = (7, 17)  # pixels of a row of a timeline, smallest and largest
DOT_ROW = 22  # pixels of a row of dots
TICK = 1.5  # pixels of the tick of a re-entry


def bands(panel: Panel) -> list[dict[str, Any]]:
    """Below the lines; the page makes its own, from the numbers of the lines."""
    return [
        _band(line, line.low, line.high)
        for line in panel.lines
        if line.low is not None and line.high is not None and not line.quiet
    ]


def traces(panel: Panel) -> list[dict[str, Any]]:
    """The lines, the dots or the rows; what is quiet lies below the rest."""
    lines = sorted(panel.lines, key=lambda line: not line.quiet)
    return [*map(_line, lines), *_claimed_sides(panel), *_dots(panel), *_rows(panel)]


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
    colour = FAINT if line.quiet else line.look.colour
    look: dict[str, Any] = {"color": colour, "width": 1.0 if line.quiet else line.width}
    if line.look.dashes and not line.quiet:
        look["dash"] = ",".join(f"{line.width * part:.3g}px" for part in line.look.dashes)
    if line.steps:
        look["shape"] = "hv"
    more: dict[str, Any] = {
        "line": look,
        "showlegend": bool(line.label),
        "name": html.escape(line.label or line.key),
    }
    marker = {
        "color": colour,
        "symbol": SYMBOLS.get(line.look.marker, "circle"),
        "size": 5 if line.quiet else 7,
    }

    if line.bars is not None:
        more["mode"] = "markers"
        more["marker"] = marker | {"size": 5 if line.quiet else 8}
        more["error_y"] = _error_bars(line.y, *line.bars, colour)
    elif line.look.marker and not line.quiet:
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

    # What the page needs: the name at the end, and the colour of a quiet line that is touched.
    more["meta"] = {"end": line.name, "quiet": line.quiet, "colour": line.look.colour}
    return _scatter(line.key, line.x, line.y, **more)


def _error_bars(values: Floats, low: Floats, high: Floats, colour: str) -> dict[str, Any]:
    return {
        "symmetric": False,
        "array": rounded(high - values),
        "arrayminus": rounded(values - low),
        "color": colour,
        "thickness": 1.4,
        "width": 3,
    }


def _dots(panel: Panel) -> list[dict[str, Any]]:
    """A dot per row with its interval, and the line that they are held against."""
    found = []
    if panel.reference is not None:
        at, name = panel.reference
        ends = np.array([panel.y.limits[0], panel.y.limits[1]])
        line = {"color": COLOURS["blue"], "width": 2}
        found.append(_scatter(name, np.array([at, at]), ends, line=line))

    for i, dot in enumerate(panel.dots):
        found.append(_dot(i, dot))

    return found


def _dot(row: int, dot: Dot) -> dict[str, Any]:
    colour = FAINT if dot.quiet else dot.look.colour
    low, value, high = (np.array([number]) for number in (dot.low, dot.value, dot.high))
    bars = _error_bars(value, low, high, colour) | {"thickness": 2, "width": 0}
    marker = {"color": colour, "symbol": SYMBOLS.get(dot.look.marker, "circle"), "size": 9}

    return _scatter(
        dot.key,
        value,
        np.array([float(row)]),
        mode="markers",
        marker=marker,
        error_x=bars,
        hoverinfo="text",
        hovertemplate=f"{html.escape(dot.told or dot.label)}<extra></extra>",
        meta={"text": dot.text, "quiet": dot.quiet, "colour": dot.look.colour},
    )


def _claimed_sides(panel: Panel) -> list[dict[str, Any]]:
    """Per row of dots the side on which the dot should lie, as thick pale pieces of line."""
    claimed = [(i, dot.claimed) for i, dot in enumerate(panel.dots) if dot.claimed]
    if panel.reference is None or not claimed:
        return []
    at = panel.reference[0]
    x: list[float] = []
    y: list[float] = []
    for row, side in claimed:
        end = panel.x.limits[1] if side > 0 else panel.x.limits[0]
        x += [at, end, math.nan]
        y += [row, row, math.nan]

    line = {"color": PALE, "width": 0.72 * DOT_ROW}
    return [_scatter("claimed", np.array(x), np.array(y), line=line, opacity=0.55)]


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
        re_entries += [(at, i, label) for at in row.re_entries[:: panel.every]]

    high = row_height(panel)
    line = {"color": panel.look.colour, "width": 0.65 * high}
    found = [_levels("active", "", bars, line=line)]

    if re_entries:
        colour = COLOURS["vermillion"]
        marker = {
            "symbol": "line-ns-open",
            "size": 0.62 * high,
            "color": colour,
            "line": {"width": TICK, "color": colour},
        }
        ticks = {"mode": "markers", "marker": marker}
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


def row_height(panel: Panel) -> float:
    """Pixels of a row of a timeline, or of dots."""
    if panel.dots:
        return DOT_ROW
    return max(ROW[0], min(ROW[1], 640 / max(1, len(panel.rows))))
