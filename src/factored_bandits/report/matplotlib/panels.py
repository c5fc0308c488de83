"""One panel of a chart on the axes of matplotlib."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from factored_bandits.report.chart import Axis, Line, Panel
from factored_bandits.report.palette import EDGE, FAINT, INK, PALE

from .labels import style
from .rows import draw_dots, draw_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW_DECADES = 100.0  # below which it has 2 and 5 beside the powers of ten


def draw_panel(
    axes: Axes, panel: Panel, runs: bool = False, *, title: str = "", first: bool = True
) -> None:
    """Everything but the names of the lines; the `first` panel with a vertical axis names it."""
    _scale(axes, panel.x, "x")
    _scale(axes, panel.y, "y")
    axes.set_xlabel(panel.x.label, color=INK)
    axes.set_ylabel(panel.y.label if first and not (panel.rows or panel.dots) else "", color=INK)

    if title:
        wrapped = "\n".join(textwrap.wrap(title, 48))
        above = 20 if panel.reference is not None else 6  # its name stands between
        # with y given, matplotlib does not measure every tick to find a place for it
        axes.set_title(wrapped, loc="left", fontsize=10, color=INK, pad=above, y=1.0)

    dress(axes)
    for line in panel.lines:
        if line.low is not None and line.high is not None and not line.quiet:
            band: dict[str, Any] = {"color": line.look.colour, "alpha": 0.16, "linewidth": 0}
            axes.fill_between(line.x, line.low, line.high, zorder=2, **band)

    for line in panel.lines:
        _line(axes, line, runs)
    draw_rows(axes, panel)
    draw_dots(axes, panel)


def _scale(axes: Axes, axis: Axis, which: str) -> None:
    import matplotlib.ticker as ticker

    own = axes.xaxis if which == "x" else axes.yaxis

    if axis.log:
        (axes.set_xscale if which == "x" else axes.set_yscale)("log", nonpositive="mask")
    elif not axis.ticks and axis.limits[1] >= 1.0:
        own.set_major_formatter(ticker.EngFormatter(sep=""))  # 300k

    (axes.set_xlim if which == "x" else axes.set_ylim)(*axis.limits)
    if axis.log:
        # Small ticks without numbers say little, and are a third of the time of a figure.
        own.set_minor_locator(ticker.NullLocator())
    if axis.log and axis.limits[1] <= FEW_DECADES * axis.limits[0]:
        own.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
        own.set_major_formatter(ticker.EngFormatter(sep=""))

    if axis.ticks:
        own.set_major_locator(ticker.FixedLocator([at for at, _ in axis.ticks]))
        own.set_major_formatter(ticker.FixedFormatter([text for _, text in axis.ticks]))
        own.set_minor_locator(ticker.NullLocator())


def dress(axes: Axes) -> None:
    """A pale grid, two sides, everything in ink."""
    axes.grid(True, which="major", color=PALE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(colors=INK, which="both", length=3)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(EDGE)


def _line(axes: Axes, line: Line, runs: bool) -> None:
    colour: dict[str, Any] = {"color": FAINT if line.quiet else line.look.colour}
    above = 2.8 if line.quiet else 3
    if runs and line.runs is not None:
        axes.plot(line.x, line.runs.T, linewidth=0.5, alpha=0.3, zorder=2.5, **colour)

    if line.bars is not None:
        axes.errorbar(
            line.x,
            line.y,
            yerr=(line.y - line.bars[0], line.bars[1] - line.y),
            fmt=line.look.marker or "o",
            markersize=3 if line.quiet else 5,
            capsize=2,
            elinewidth=0.8 if line.quiet else 1.4,
            label=line.label,
            zorder=above,
            **colour,
        )
        return

    how = {"linewidth": line.width, "markevery": 0.12} | style(line) | colour
    if line.quiet:
        how |= {"linewidth": 0.9, "linestyle": "-", "marker": None}
    drawn = axes.plot(line.x, line.y, label=line.label or "_fit", zorder=above, **how)
    if line.steps:
        drawn[0].set_drawstyle("steps-post")
