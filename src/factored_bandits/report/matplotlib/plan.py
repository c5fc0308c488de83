"""The picture of a plan: the share of repetitions in which everything is decided, over time."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.planning.fixed import FixedTest
from factored_bandits.planning.forecast import Forecast
from factored_bandits.report.palette import GREY, INK, looks

from .figures import (
    HEIGHT,
    LEFT,
    SETTINGS,
    check_figure_path,
    load_matplotlib,
    picture,
    save,
)
from .panels import dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 8.4  # inches
AXES = 7.2


def plan_figure(
    forecasts: Sequence[Forecast],
    path: str | Path | None,
    *,
    title: str,
    traffic: float | None,
    fixed: FixedTest | None,
    caption: str,
) -> Figure:
    """Draw it; of policies that decide nothing, the share that has found the best for good."""
    target = None if path is None else check_figure_path(path)
    matplotlib = load_matplotlib()

    with matplotlib.rc_context(SETTINGS):
        figure = picture(WIDTH, HEIGHT + 0.4)
        axes = figure.add_axes((LEFT / WIDTH, 0.17, AXES / WIDTH, 0.63))
        per_day = traffic or 1.0
        _lines(axes, forecasts, per_day)
        if fixed is not None:
            end = fixed.total / per_day
            axes.axvline(end, color=GREY, linewidth=1.6, linestyle=(0, (5.0, 2.0)))
            axes.plot(
                [end],
                [fixed.decided],
                "o",
                color=GREY,
                label=f"{fixed.name}: everything decided",
                zorder=4,
            )
            _name_line(axes, end, f"{fixed.name} (fixed size)")
        firsts = [float(fixed.total)] if fixed else []
        _dress(axes, "days" if traffic else "rounds", _beginning(forecasts, firsts) / per_day)
        figure.text(LEFT / WIDTH, 0.95, title, fontsize=12, color=INK, va="center")
        figure.legend(
            loc="upper left",
            bbox_to_anchor=(LEFT / WIDTH - 0.01, 0.93),
            ncols=2,
            frameon=False,
            fontsize=9,
        )
        text = "\n".join(textwrap.wrap(caption, width=int(WIDTH * 14)))
        figure.text(
            LEFT / WIDTH, 0.02, text, fontsize=8, color="#666666", va="bottom", linespacing=1.3
        )
        if target is not None:
            save(figure, target)

    return figure


def _name_line(axes: Axes, x: float, name: str) -> None:
    """The name of a vertical line, along it."""
    axes.annotate(
        name,
        (x, 0.03),
        xycoords=axes.get_xaxis_transform(),
        xytext=(3, 0),
        textcoords="offset points",
        rotation=90,
        fontsize=8,
        color=GREY,
        va="bottom",
    )


def _lines(axes: Axes, forecasts: Sequence[Forecast], per_day: float) -> None:
    drawn = looks(each.policy for each in forecasts)
    for each in forecasts:
        look = drawn[each.policy]
        rounds, share = curve(each)
        style: Any = (0, look.dashes) if look.dashes else "-"
        what = "everything decided" if each.eliminates else "best found for good"
        if each.estimated:
            what += " (estimate)"
        axes.plot(
            rounds / per_day,
            share,
            color=look.colour,
            linestyle=style,
            linewidth=2.0,
            drawstyle="steps-post",
            marker=look.marker or None,
            markevery=0.12,
            label=f"{each.policy}: {what}",
        )


def curve(each: Forecast) -> tuple[Floats, Floats]:
    """Rounds and, from each of them on, the share."""
    rounds = np.sort(each.all_decided if each.eliminates else each.result.settled())
    rounds = rounds[np.isfinite(rounds)]
    shares = np.arange(1, len(rounds) + 1) / each.result.repetitions
    last = shares[-1] if len(shares) else 0.0
    return np.concatenate([[1.0], rounds, [each.result.horizon]]), np.concatenate(
        [[0.0], shares, [last]]
    )


def _beginning(forecasts: Sequence[Forecast], firsts: list[float]) -> float:
    """A power of ten before anything happens."""
    for each in forecasts:
        rounds, share = curve(each)
        firsts += [float(rounds[share > 0.2][0])] if (share > 0.2).any() else []
    return 10.0 ** math.floor(math.log10(max(10.0, min(firsts, default=10.0) / 3.0)))


def _dress(axes: Axes, unit: str, beginning: float) -> None:
    ticker = load_matplotlib().ticker
    axes.set_xscale("log")
    axes.set_xlim(left=beginning)
    axes.set_ylim(0.0, 1.03)
    axes.xaxis.set_major_formatter(
        ticker.FuncFormatter(lambda x, _: f"{x:,.0f}" if x >= 1.0 else f"{x:g}")
    )
    axes.yaxis.set_major_formatter(ticker.PercentFormatter(1.0, decimals=0))
    axes.set_xlabel(unit, color=INK)
    axes.set_ylabel("share of repetitions", color=INK)
    dress(axes)
