"""One panel of a chart on the axes of matplotlib."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from factored_bandits.report.chart import Axis, Line, Panel
from factored_bandits.report.palette import EDGE, INK, PALE

from .labels import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DECADES = 1e3  # beyond which a logarithmic axis has no small ticks


def draw_panel(
    axes: Axes, panel: Panel, runs: bool = False, *, title: str = "", first: bool = True
) -> None:
    """Everything but the names of the lines; the `first` panel of a row names its vertical axis."""
    _scale(axes, panel.x, "x")
    _scale(axes, panel.y, "y")
    axes.set_xlabel(panel.x.label, color=INK)
    axes.set_ylabel(panel.y.label if first and not panel.rows else "", color=INK)

    if title:
        wrapped = "\n".join(textwrap.wrap(title, 48))
        axes.set_title(wrapped, loc="left", fontsize=10, color=INK, pad=6)

    dress(axes)
    for line in panel.lines:
        if line.low is not None and line.high is not None:
            band: dict[str, Any] = {"color": line.look.colour, "alpha": 0.16, "linewidth": 0}
            axes.fill_between(line.x, line.low, line.high, zorder=2, **band)

    for line in panel.lines:
        _line(axes, line, runs)
    _rows(axes, panel)


def _scale(axes: Axes, axis: Axis, which: str) -> None:
    import matplotlib.ticker as ticker

    own = axes.xaxis if which == "x" else axes.yaxis

    if axis.log:
        (axes.set_xscale if which == "x" else axes.set_yscale)("log", nonpositive="mask")
    elif not axis.ticks:
        own.set_major_formatter(ticker.EngFormatter(sep=""))  # 300k

    (axes.set_xlim if which == "x" else axes.set_ylim)(*axis.limits)
    if axis.log and axis.limits[1] > DECADES * axis.limits[0]:
        # Small ticks would be crowded, and cost half of the time.
        own.set_minor_locator(ticker.NullLocator())

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
    colour: dict[str, Any] = {"color": line.look.colour}
    if runs and line.runs is not None:
        axes.plot(line.x, line.runs.T, linewidth=0.5, alpha=0.3, zorder=2.5, **colour)
    if line.errors is not None:
        marker = line.look.marker or "o"
        axes.errorbar(
            line.x,
            line.y,
            yerr=line.errors,
            fmt=marker,
            markersize=5,
            capsize=2,
            label=line.label,
            zorder=3,
            **colour,
        )
        return

    how = {"linewidth": line.width, "markevery": 0.12, "zorder": 3} | style(line) | colour
    drawn = axes.plot(line.x, line.y, label=line.label or "_fit", **how)
    if line.steps:
        drawn[0].set_drawstyle("steps-post")


def _rows(axes: Axes, panel: Panel) -> None:
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
        if row.re_entries:
            ticks: dict[str, Any] = {"color": INK, "markersize": 5, "alpha": 0.75, "zorder": 4}
            thin = 0.35 if panel.crowded else 0.8
            axes.plot(
                row.re_entries,
                [i] * len(row.re_entries),
                "|",
                markeredgewidth=thin,
                label="_re-entry",
                **ticks,
            )
