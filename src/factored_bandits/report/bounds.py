"""Measured regret between the bounds of the theory, over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..environments import Problem
from ..result import Result
from ..theory import Check, check
from .figures import (
    AXES_WIDTH,
    HEIGHT,
    INK,
    LEFT,
    LETTER,
    SETTINGS,
    _axes,
    _curves,
    _end_labels,
    _matplotlib,
    _wrapped,
    check_figure_path,
    describe,
    save,
)
from .palette import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

UPPER = Look("#777777", (5.0, 2.0), "")
LOWER = Look("#777777", (1.2, 1.6), "")


def bounds_figure(
    result: Result, environment: Problem, path: str | Path | None = None, *, title: str | None = None
) -> Figure:
    """Draw the regret of a policy with its upper bound, if the paper has one, and the lower bound, once it applies.

    Both axes are logarithmic. Writes the figure to `path` (.png, .pdf, .svg) if there is one.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(levels=3, best=0.81, gap=0.5)
    >>> result = fb.simulate("tea", problem, horizon=10_000, repetitions=2, seed=1, progress=False)
    >>> [line.get_label() for line in bounds_figure(result, problem).axes[0].lines[:3]]
    ['tea', 'upper bound', 'lower bound']
    """
    target = None if path is None else check_figure_path(path)
    verdict, matplotlib = check(result, environment), _matplotlib()
    with matplotlib.rc_context(SETTINGS):
        width = LEFT + AXES_WIDTH + 0.35 + LETTER * max(len(result.policy), len("upper bound"))
        figure: Figure = matplotlib.figure.Figure(figsize=(width, HEIGHT), dpi=150, facecolor="white")
        axes = figure.add_axes((LEFT / width, 0.24, AXES_WIDTH / width, 0.65))
        _axes(axes, [result], "log")
        ends = [*_curves(axes, [result]), *_bounds(axes, verdict)]
        _fit(axes, verdict)
        axes.set_title(title or result.problem, loc="left", fontsize=12, color=INK, pad=12)
        _end_labels(axes, ends)
        caption = _wrapped(f"{describe([result])}; {'; '.join(verdict.verdicts())}.", int(width * 14))
        figure.text(LEFT / width, 0.02, caption, fontsize=8, color="#666666", va="bottom", linespacing=1.3)
        if target is not None:
            save(figure, target)
    return figure


def _bounds(axes: Axes, verdict: Check) -> list[tuple[str, float, Look]]:
    """The bounds that say something; what comes back is where each ends."""
    lower = np.where(verdict.late & (verdict.lower > 0.0), verdict.lower, np.nan)
    ends = []
    for name, curve, look in (("upper bound", verdict.upper, UPPER), ("lower bound", lower, LOWER)):
        if np.isfinite(curve[-1]):
            axes.plot(verdict.rounds, curve, color=look.colour, linestyle=(0, look.dashes), linewidth=1.6, label=name)
            ends.append((name, float(curve[-1]), look))
    return ends


def _fit(axes: Axes, verdict: Check) -> None:
    """From the first regret to a little above the highest curve."""
    seen = np.concatenate([verdict.regret, verdict.upper[np.isfinite(verdict.upper)]])
    seen = seen[seen > 0.0]
    if len(seen):
        axes.set_ylim(float(seen.min()) / 1.5, 2.0 * float(seen.max()))
