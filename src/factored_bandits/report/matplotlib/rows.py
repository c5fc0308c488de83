"""Rows on the axes of matplotlib: dots with intervals, and the levels of a timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from factored_bandits.report.chart import Panel
from factored_bandits.report.palette import COLOURS, FAINT, INK, PALE, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW_HEIGHT = 0.14  # inches of a row of a timeline
DOT_HEIGHT = 0.21  # inches of a row of dots
LETTER = 0.078  # inches: the width of a letter beside a row
TEXT = 0.5  # inches for the text beside a dot


def rows_height(panel: Panel) -> float:
    """Inches that the rows of a panel need."""
    return ROW_HEIGHT * len(panel.rows) + DOT_HEIGHT * (len(panel.dots) + 1) * bool(panel.dots)


def names_width(panel: Panel) -> float:
    """Inches that the names of rows need on the left, beyond what a number takes."""
    longest = max((len(text) for _, text in panel.y.ticks), default=0)
    return max(0.0, LETTER * longest - 0.45) if panel.dots else 0.0


def text_width(panel: Panel) -> float:
    """Inches that the texts beside the dots need on the right."""
    return TEXT if any(dot.text for dot in panel.dots) else 0.0


def draw_dots(axes: Axes, panel: Panel) -> None:
    """Dots with intervals; below them the side that was the paper says, and the reference."""
    if not panel.dots:
        return
    axes.grid(False, axis="y")

    if panel.reference is not None:
        at, name = panel.reference
        axes.axvline(at, color=COLOURS["blue"], linewidth=1.6, zorder=2)
        above: dict[str, Any] = {"color": COLOURS["blue"], "ha": "center", "va": "bottom"}
        axes.text(at, panel.y.limits[1], name, fontsize=8.5, **above)
        for i, dot in enumerate(panel.dots):
            if dot.claimed:
                end = panel.x.limits[1] if dot.claimed > 0 else panel.x.limits[0]
                left, right = sorted((at, end))
                pale: dict[str, Any] = {"color": PALE, "alpha": 0.55, "linewidth": 0, "zorder": 1}
                axes.broken_barh([(left, right - left)], (i - 0.38, 0.76), **pale)

    right_edge = axes.get_yaxis_transform()
    for i, dot in enumerate(panel.dots):
        colour = FAINT if dot.quiet else dot.look.colour
        axes.plot([dot.low, dot.high], [i, i], color=colour, linewidth=1.8, zorder=3)
        marker: dict[str, Any] = {"marker": dot.look.marker or "o", "markersize": 6, "zorder": 4}
        axes.plot([dot.value], [i], color=colour, linestyle="", label=f"_{dot.label}", **marker)
        beside: dict[str, Any] = {"fontsize": 8, "color": SOFT, "va": "center"}
        axes.text(1.02, i, dot.text, transform=right_edge, **beside)

    for label, dot in zip(axes.get_yticklabels(), panel.dots, strict=True):
        label.set_color(SOFT if dot.quiet else INK)
        label.set_fontsize(8.5)


def draw_rows(axes: Axes, panel: Panel) -> None:
    """Bars while a level is active; a tick where it re-enters."""
    if panel.look is None:
        return
    axes.grid(False, axis="y")
    for i, row in enumerate(panel.rows):
        axes.hlines(i, *panel.x.limits, color=PALE, linewidth=0.6, zorder=1)
        height = 0.82 if row.best else 0.62
        bars = [(start, end - start) for start, end in row.spans]
        axes.broken_barh(
            bars, (i - height / 2, height), color=panel.look.colour, linewidth=0, zorder=2
        )
        shown = row.re_entries[:: panel.every]
        if shown:
            ticks: dict[str, Any] = {"color": COLOURS["vermillion"], "markersize": 6, "zorder": 4}
            axes.plot(shown, [i] * len(shown), "|", markeredgewidth=1.2, label="_re-entry", **ticks)
