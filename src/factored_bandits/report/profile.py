"""Performance profiles: on what share of the problems is a policy within a factor x of the best one there?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from .figures import (
    AXES_WIDTH,
    HEIGHT,
    INK,
    LEFT,
    LETTER,
    PALE,
    SETTINGS,
    _end_labels,
    _matplotlib,
    check_figure_path,
    save,
)
from .palette import looks
from .tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Regrets = Mapping[str, Mapping[str, float]]  # problem -> policy -> mean regret; who cannot play it is not there
COLUMNS = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
WIDEST = 100.0  # factors beyond it are not drawn


def factors(regrets: Regrets) -> dict[str, list[float]]:
    """Per policy and problem, its regret as a multiple of the best one's there; inf where it did not play.

    >>> factors({"easy": {"a": 10.0, "b": 15.0}, "hard": {"a": 80.0}})
    {'a': [1.0, 1.0], 'b': [1.5, inf]}
    """
    policies = sorted({policy for row in regrets.values() for policy in row})
    found: dict[str, list[float]] = {policy: [] for policy in policies}
    for row in regrets.values():
        best = min(row.values())
        for policy in policies:
            regret = row.get(policy, math.inf)
            found[policy].append(regret / best if best > 0.0 else (1.0 if regret <= best else math.inf))
    return found


def share(multiples: list[float], within: float) -> float:
    """The share of the problems on which a policy is within this factor of the best.

    >>> share([1.0, 1.5, 4.0, math.inf], 2.0)
    0.5
    """
    return sum(multiple <= within * (1.0 + 1e-12) for multiple in multiples) / len(multiples)


def profile_table(regrets: Regrets, title: str = "", caption: str = "") -> Table:
    """One row per policy, those that are near the best most often first; and its largest factor."""
    rows = []
    for policy, multiples in sorted(factors(regrets).items(), key=lambda item: _rank(item[1])):
        played = [multiple for multiple in multiples if math.isfinite(multiple)]
        worst = f"{max(played):,.1f}" if played else "-"
        cells = [f"{share(multiples, within):.0%}" for within in COLUMNS]
        rows.append((policy, *cells, worst, f"{len(played)} of {len(multiples)}"))
    heads = ["best"] + [f"within {within:g} x" for within in COLUMNS[1:]]
    return Table(title, ("policy", *heads, "largest factor", "problems played"), rows, caption)


def _rank(multiples: list[float]) -> tuple[float, ...]:
    """By the area under the profile, on a logarithmic axis up to `WIDEST`."""
    return (sum(min(math.log(multiple), math.log(WIDEST)) for multiple in multiples),)


def profile_figure(regrets: Regrets, path: str | Path | None = None, *, title: str = "", caption: str = "") -> Figure:
    """Draw the share of the problems on which each policy is within a factor x of the best, over x.

    >>> figure = profile_figure({"easy": {"tea": 10.0, "ucb1": 15.0}, "hard": {"tea": 80.0, "ucb1": 20.0}})
    >>> [line.get_label() for line in figure.axes[0].lines[:2]]
    ['tea', 'ucb1']
    """
    if not regrets:
        raise InvalidInput("regrets is empty: there is nothing to draw")
    target = None if path is None else check_figure_path(path)
    multiples, matplotlib = factors(regrets), _matplotlib()
    with matplotlib.rc_context(SETTINGS):
        width = LEFT + AXES_WIDTH + 0.35 + LETTER * max(map(len, multiples))
        height = max(HEIGHT, 0.24 * len(multiples))
        figure: Figure = matplotlib.figure.Figure(figsize=(width, height), dpi=150, facecolor="white")
        axes = figure.add_axes((LEFT / width, 0.17, AXES_WIDTH / width, 0.74))
        _axes(axes)
        ends = _steps(axes, multiples)
        axes.set_title(title or "Performance profile", loc="left", fontsize=12, color=INK, pad=12)
        _end_labels(axes, ends)
        figure.text(LEFT / width, 0.02, caption, fontsize=8, color="#666666", va="bottom", linespacing=1.3)
        if target is not None:
            save(figure, target)
    return figure


def _axes(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_xlim(1.0, WIDEST)
    axes.set_xticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
    axes.set_ylim(0.0, 1.02)
    axes.set_xlabel("factor x of the smallest mean regret on a problem", color=INK)
    axes.set_ylabel("share of the problems within the factor", color=INK)
    axes.grid(True, which="major", color=PALE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.minorticks_off()
    axes.tick_params(colors=INK, which="both", length=3)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color("#999999")


def _steps(axes: Axes, multiples: dict[str, list[float]]) -> list[Any]:
    """The best policy first, so that the names stand in that order; what comes back is where each line ends."""
    drawn, ends = looks(multiples), []
    for policy in sorted(multiples, key=lambda name: _rank(multiples[name]), reverse=True):
        look, own = drawn[policy], multiples[policy]
        xs = [1.0, *sorted(multiple for multiple in own if 1.0 < multiple <= WIDEST), WIDEST]
        ys = [share(own, x) for x in xs]
        style: dict[str, Any] = {"color": look.colour, "linestyle": (0, look.dashes) if look.dashes else "-"}
        style |= {"marker": look.marker or None, "markersize": 5, "markevery": 0.12}
        axes.plot(xs, ys, drawstyle="steps-post", linewidth=1.8, label=policy, **style)
        ends.append((policy, ys[-1], look))
    return ends
