"""Charts as SVG without any library: for pages that draw on the server and must stay small.

Colours are attributes, so that a drawing stands alone, and classes, so that the style sheet of a
page can replace them in the dark. Nothing in it is a script or a style, and every text is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from factored_bandits.core.arrays import Floats

from .chart import Axis, Chart, Line, Panel, Row
from .palette import COLOURS, EDGE, GREY, INK, PALE, SOFT

CLASSES = {**{code: f"c-{name}" for name, code in COLOURS.items()}, GREY: "c-grey"}
LINE_HEIGHT = 210
ROW = 24
LETTER = 6.6  # the width of a character at 12 pixels, about
LONGEST = 22  # characters of a label beside a row


class Frame(NamedTuple):
    """Where the data of a panel are drawn."""

    left: float
    top: float
    width: float
    height: float
    x: Axis
    y: Axis

    def at_x(self, value: float) -> float:
        """Pixels from the left."""
        return self.left + self.width * _part(value, self.x)

    def at_y(self, value: float) -> float:
        """Pixels from the top."""
        return self.top + self.height * (1.0 - _part(value, self.y))


def svg(chart: Chart, width: int = 720, name: str = "") -> str:
    """Draw a chart, its panels below one another.

    Parameters
    ----------
    chart
        What to draw: panels of lines or of rows.
    width
        In pixels; texts are 12 pixels high.
    name
        Makes the ids of title and description unique in a page; by default the chart's name.

    Returns
    -------
    str
        One element `svg`.
    """
    drawn = []
    top = 0.0
    labels = [len(_short(row.label)) for panel in chart.panels for row in panel.rows]
    left = min(14 + LETTER * max(labels, default=0), 0.42 * width)  # the same for all panels
    for panel in chart.panels:
        rows = bool(panel.rows)
        content, height = _rows(panel, width, top, left) if rows else _lines(panel, width, top)
        drawn.append(content)
        top += height

    own = name or chart.name
    ids = f"{own}-title {own}-desc"
    return (
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top:.0f}" '
        f'width="{width}" height="{top:.0f}" role="img" aria-labelledby={quoteattr(ids)} '
        f'font-family="system-ui, sans-serif" font-size="12" fill="{INK}">'
        f"<title id={quoteattr(f'{own}-title')}>{escape(chart.title)}</title>"
        f"<desc id={quoteattr(f'{own}-desc')}>{escape(chart.alt)}</desc>"
        f"{''.join(drawn)}</svg>"
    )


def sparkline(values: Sequence[float], told: str, width: int = 120, height: int = 28) -> str:
    """A line as small as a word.

    Parameters
    ----------
    values
        From left to right; nan is a gap.
    told
        What a reader who cannot see it should know.
    width, height
        In pixels.

    Returns
    -------
    str
        One element `svg`.

    Examples
    --------
    >>> sparkline([0.0, 1.0], "from 0 to 1").count("<path")
    1
    """
    known = [value for value in values if not math.isnan(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    middle = low == high
    steps = max(len(values) - 1, 1)
    points = [
        (
            3 + (width - 6) * i / steps,
            3 + (height - 6) * (0.5 if middle else 1.0 - (value - low) / (high - low)),
        )
        for i, value in enumerate(values)
        if not math.isnan(value)
    ]
    blue = COLOURS["blue"]
    drawn = ""
    if len(points) > 1:
        line = f'd="{_path(points)}" fill="none" stroke="{blue}" stroke-width="1.6"'
        drawn += f'<path class="c-blue" {line}/>'
    if points:
        x, y = points[-1]
        drawn += f'<circle class="f-blue" cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{blue}"/>'
    return (
        f'<svg class="spark" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label={quoteattr(told)}>{drawn}</svg>'
    )


# ------------------------------------------------------------ panels


def _lines(panel: Panel, width: int, top: float) -> tuple[str, float]:
    ticks = _ticks(panel.y)
    left = 14 + LETTER * max((len(text) for _, text in ticks), default=1)
    frame = Frame(left, top + 30, width - left - 12, LINE_HEIGHT, panel.x, panel.y)
    parts = [_text(0, top + 14, panel.title or panel.y.label, "strong")]
    for value, text in ticks:
        y = frame.at_y(value)
        parts.append(_rule(frame.left, y, frame.left + frame.width, y))
        parts.append(_text(frame.left - 8, y + 4, text, "soft", "end"))
    parts += _below(frame)
    parts += [_line(frame, line) for line in panel.lines]
    parts += _legend(panel.lines, frame)
    labelled = [line for line in panel.lines if line.label]
    return "".join(parts), 30 + LINE_HEIGHT + 44 + (22 if labelled else 0)


def _line(frame: Frame, line: Line) -> str:
    colour = line.look.colour
    name = CLASSES.get(colour, "c-grey")
    drawn = ""
    if line.low is not None and line.high is not None:
        upper = _points(frame, line.x, line.high)
        lower = _points(frame, line.x, line.low)
        if len(upper) > 1:
            outline = f"{_path(upper)}L{_path(lower[::-1])[1:]}Z"
            fill = name.replace("c-", "f-")
            drawn += f'<path class="{fill}" d="{outline}" fill="{colour}" fill-opacity="0.15"/>'
    points = _points(frame, line.x, line.y)
    dashes = ""
    if line.look.dashes:
        lengths = " ".join(f"{line.width * length:g}" for length in line.look.dashes)
        dashes = f' stroke-dasharray="{lengths}"'
    if len(points) > 1:
        drawn += (
            f'<path class="{name}" d="{_path(points)}" fill="none" stroke="{colour}" '
            f'stroke-width="{line.width:g}" stroke-linejoin="round"{dashes}/>'
        )
    if not line.look.dashes and 0 < len(points) <= 40:
        fill = name.replace("c-", "f-")
        drawn += "".join(
            f'<circle class="{fill}" cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>'
            for x, y in points
        )
    return drawn


def _legend(lines: Sequence[Line], frame: Frame) -> list[str]:
    parts = []
    x = frame.left
    y = frame.top + frame.height + 58
    for line in lines:
        if not line.label:
            continue
        colour = line.look.colour
        dashes = ' stroke-dasharray="5 3"' if line.look.dashes else ""
        parts.append(
            f'<path class="{CLASSES.get(colour, "c-grey")}" d="M{x:.1f} {y - 4:.1f}h22" '
            f'stroke="{colour}" stroke-width="2.4"{dashes}/>'
        )
        parts.append(_text(x + 28, y, line.label))
        x += 28 + LETTER * len(line.label) + 22
    return parts


def _rows(panel: Panel, width: int, top: float, left: float) -> tuple[str, float]:
    """Rows of bars; the first one is at the bottom."""
    labels = [_short(row.label) for row in panel.rows]
    height = ROW * len(panel.rows)
    frame = Frame(left, top + 26, width - left - 12, height, panel.x, panel.y)
    parts = [_text(0, top + 14, panel.title, "strong")]
    for i, (row, label) in enumerate(zip(panel.rows[::-1], labels[::-1], strict=True)):
        middle = frame.top + ROW * (i + 0.5)
        parts.append(_text(frame.left - 8, middle + 4, label, "best" if row.best else "", "end"))
        parts.append(_rule(frame.left, middle, frame.left + frame.width, middle))
        parts.append(_bars(frame, row, middle))
    parts += _below(frame)
    return "".join(parts), 26 + height + 38


def _bars(frame: Frame, row: Row, middle: float) -> str:
    colour = COLOURS["green" if row.best else "blue"]
    name = "f-green" if row.best else "f-blue"
    drawn = ""
    for first, last in row.spans:
        x = frame.at_x(first)
        wide = max(frame.at_x(last) - x, 1.5)
        drawn += (
            f'<rect class="{name}" x="{x:.1f}" y="{middle - 6:.1f}" width="{wide:.1f}" height="12" '
            f'rx="3" fill="{colour}"/>'
        )
    for at in row.re_entries:
        x = frame.at_x(at)
        drawn += (
            f'<path class="c-vermillion" d="M{x:.1f} {middle - 9:.1f}v18" '
            f'stroke="{COLOURS["vermillion"]}" stroke-width="2.4"/>'
        )
    return drawn


def _below(frame: Frame) -> list[str]:
    """The axis below a panel."""
    bottom = frame.top + frame.height
    right = frame.left + frame.width
    parts = [f'<path class="axis" d="M{frame.left:.1f} {bottom:.1f}H{right:.1f}" stroke="{EDGE}"/>']
    free = -math.inf
    for value, text in _ticks(frame.x):
        x = frame.at_x(value)
        half = LETTER * len(text) / 2
        if x - half < free:
            continue  # there is no room
        middle = min(max(x, frame.left + half - 10), right - half + 10)
        parts.append(_text(middle, bottom + 17, text, "soft", "middle"))
        free = x + half + 10
    parts.append(_text(right, bottom + 33, frame.x.label, "soft", "end"))
    return parts


# ------------------------------------------------------------ texts and numbers


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    given = {
        "strong": ' font-weight="600"',
        "best": ' font-weight="600"',
        "soft": f' fill="{SOFT}"',
    }
    side = "" if anchor == "start" else f' text-anchor="{anchor}"'
    named = f' class="t-{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}"{side}{given.get(kind, "")}>{escape(text)}</text>'


def _rule(x: float, y: float, to_x: float, to_y: float) -> str:
    return f'<path class="grid" d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" stroke="{PALE}"/>'


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _points(frame: Frame, x: Floats, y: Floats) -> list[tuple[float, float]]:
    pairs = zip(x.tolist(), y.tolist(), strict=True)
    return [(frame.at_x(a), frame.at_y(b)) for a, b in pairs if math.isfinite(a + b)]


def _part(value: float, axis: Axis) -> float:
    """How far along an axis a value lies, from 0 to 1 inside its limits."""
    low, high = axis.limits
    if axis.log:
        low, high, value = math.log(low), math.log(high), math.log(max(value, 1e-300))
    return (value - low) / (high - low) if high > low else 0.5


def _ticks(axis: Axis) -> list[tuple[float, str]]:
    """Where an axis has numbers: as it says, or about five round ones."""
    if axis.ticks:
        return list(axis.ticks)
    low, high = axis.limits
    if axis.log:
        powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
        return [(10.0**power, f"{10.0**power:g}") for power in powers]
    return [(value, f"{value:,.10g}") for value in round_numbers(low, high)]


def round_numbers(low: float, high: float) -> list[float]:
    """About five round numbers between two others.

    >>> [round(number, 10) for number in round_numbers(0.08, 0.31)]
    [0.1, 0.2, 0.3]
    """
    step = _round_step((high - low) / 4)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [i * step for i in range(first, last + 1)]


def _round_step(least: float) -> float:
    """The next number of the form 1, 2 or 5 times a power of ten.

    >>> _round_step(0.03), _round_step(170.0)
    (0.05, 200.0)
    """
    if least <= 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next((m * power for m in (1.0, 2.0, 5.0) if m * power >= least * (1 - 1e-9)), 10 * power)


def _short(label: str) -> str:
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"
