"""Regret over time: the mean of each policy, the middle 80 % of its repetitions, and what was measured, below."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import InvalidInput, MissingExtra
from ..result import Result
from .palette import Look, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".pdf", ".svg")
Scale = Literal["auto", "linear", "log"]
HEIGHT, LEFT, AXES_WIDTH = 5.0, 0.8, 5.8  # inches
LETTER, LINE = 0.089, 0.055  # of the names: width in inches, height as a share of the axes
INK, PALE = "#333333", "#d9d9d9"
RATIO = 6.0  # of the largest to the smallest final regret, beyond which a linear axis hides the smaller ones
SETTINGS: dict[str, Any] = {
    "font.size": 10,
    "font.family": "DejaVu Sans",
    "svg.hashsalt": "factored-bandits",  # the same figure gives the same file
    "pdf.fonttype": 42,  # fonts that journals accept
}


def check_figure_path(path: str | Path) -> Path:
    """The path, if a figure can be written there.

    >>> check_figure_path("regret.gif")
    Traceback (most recent call last):
    ...
    factored_bandits.errors.InvalidInput: cannot draw 'regret.gif': a figure ends in .png, .pdf or .svg
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"cannot draw {str(path)!r}: a figure ends in .png, .pdf or .svg")
    if not path.parent.is_dir():
        raise InvalidInput(f"cannot draw {str(path)!r}: there is no directory {str(path.parent)!r}")
    return path


def regret_figure(
    results: Sequence[Result],
    path: str | Path | None = None,
    *,
    title: str | None = None,
    y: Scale = "auto",
    caption: str | None = None,
) -> Figure:
    """Draw the regret of several policies on one problem; write it to `path` (.png, .pdf, .svg) if there is one.

    `y="auto"` takes a logarithmic axis where the final regrets lie far apart.
    """
    if not results:
        raise InvalidInput("results is empty: there is nothing to draw")
    if y not in ("auto", "linear", "log"):
        raise InvalidInput(f"y must be 'auto', 'linear' or 'log', not {y!r}")
    target = None if path is None else check_figure_path(path)
    matplotlib = _matplotlib()
    with matplotlib.rc_context(SETTINGS):
        width = LEFT + AXES_WIDTH + 0.35 + LETTER * max(len(result.policy) for result in results)
        figure: Figure = matplotlib.figure.Figure(figsize=(width, HEIGHT), dpi=150, facecolor="white")
        axes = figure.add_axes((LEFT / width, 0.2, AXES_WIDTH / width, 0.69))
        _axes(axes, results, y)
        ends = _curves(axes, results)
        axes.set_title(title or results[0].problem, loc="left", fontsize=12, color=INK, pad=12)
        _end_labels(axes, ends)
        text = _wrapped(caption or describe(results), int(width * 14))
        figure.text(LEFT / width, 0.02, text, fontsize=8, color="#666666", va="bottom", linespacing=1.3)
        if target is not None:
            save(figure, target)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write the figure, without a date, so that the same results give the same file."""
    dates = {".png": {}, ".pdf": {"CreationDate": None}, ".svg": {"Date": None}}
    try:
        figure.savefig(path, metadata=dates[path.suffix.lower()])
    except OSError as error:
        raise InvalidInput(f"cannot write the figure {str(path)!r}: {error.strerror or error}") from None


def describe(results: Sequence[Result]) -> str:
    """What was measured: the caption of figures and tables."""
    first = results[0]
    counts = sorted({result.repetitions for result in results})
    many = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    plural = "s" if counts[-1] != 1 else ""
    return (
        f"{first.problem}; regret in unit {first.unit!r}; horizon {first.horizon:,}; {many} repetition{plural}; "
        f"seed {first.seed}"
    )


def _matplotlib() -> Any:
    try:
        import matplotlib
        import matplotlib.figure
        import matplotlib.ticker
    except ImportError:
        raise MissingExtra.of("matplotlib", "plot", "drawing a figure") from None
    return matplotlib


def _wrapped(caption: str, letters: int) -> str:
    lines = textwrap.wrap(caption, width=letters)
    return "\n".join([*lines, "Line: mean. Band: the middle 80 % of the repetitions."])


def _axes(axes: Axes, results: Sequence[Result], y: Scale) -> None:
    finals = [float(result.regret[:, -1].mean()) for result in results]
    far_apart = min(finals) > 0 and max(finals) > RATIO * min(finals)
    logarithmic = max(finals) > 0 and (y == "log" or (y == "auto" and far_apart))
    axes.set_xscale("log")
    axes.set_xlim(beginning(results), max(2, *(result.horizon for result in results)))
    if logarithmic:
        axes.set_yscale("log", nonpositive="mask")
    else:
        axes.yaxis.set_major_formatter(_matplotlib().ticker.EngFormatter(sep=""))  # 300k
    _fit_height(axes, results)
    axes.set_xlabel("round", color=INK)
    axes.set_ylabel(f"cumulative regret (unit: {results[0].unit})", color=INK)
    axes.grid(True, which="major", color=PALE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(colors=INK, which="both", length=3)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color("#999999")


def beginning(results: Sequence[Result]) -> float:
    """Where the axis of rounds begins: a power of ten, long before two means differ by a quarter for good."""
    rounds = np.unique(np.concatenate([result.checkpoints for result in results]))
    means = np.array([np.interp(rounds, result.checkpoints, result.regret.mean(axis=0)) for result in results])
    apart = means.max(axis=0) > 1.25 * means.min(axis=0)
    alike = np.flatnonzero(~apart)
    if len(results) == 1 or len(alike) == 0 or alike[-1] + 1 == len(rounds):
        return 1.0
    return float(10.0 ** max(0, int(np.log10(rounds[alike[-1] + 1] / 30))))


def _curves(axes: Axes, results: Sequence[Result]) -> list[tuple[str, float, Look]]:
    """Bands first, lines above them; what comes back is where each line ends."""
    drawn = looks(result.policy for result in results)
    for result in results:
        low, high = np.quantile(result.regret, [0.1, 0.9], axis=0)
        colour = drawn[result.policy].colour
        axes.fill_between(result.checkpoints, low, high, color=colour, alpha=0.16, linewidth=0, zorder=2)
    ends = []
    for result in results:
        look = drawn[result.policy]
        mean = result.regret.mean(axis=0)
        style: Any = (0, look.dashes) if look.dashes else "-"
        axes.plot(
            result.checkpoints,
            mean,
            color=look.colour,
            linestyle=style,
            linewidth=2.0,
            marker=look.marker or None,
            markersize=5,
            markevery=0.12,
            label=result.policy,
            zorder=3,
        )
        ends.append((result.policy, float(mean[-1]), look))
    return ends


def _fit_height(axes: Axes, results: Sequence[Result]) -> None:
    """From zero, or on a logarithmic axis from the smallest mean in view, to a little above the highest band."""
    view = axes.get_xlim()[0]
    top = max(float(np.quantile(result.regret[:, -1], 0.9)) for result in results)
    if axes.get_yscale() == "linear":
        axes.set_ylim(0, 1.05 * top if top > 0 else 1.0)
        return
    seen = np.concatenate([result.regret.mean(axis=0)[result.checkpoints >= view] for result in results])
    axes.set_ylim(float(seen[seen > 0].min()) / 1.2, 1.3 * top)


def _end_labels(axes: Axes, ends: list[tuple[str, float, Look]]) -> None:
    """Each policy's name beside the end of its line, moved apart where they would overlap."""
    to_axes = axes.transData + axes.transAxes.inverted()
    right, bottom = axes.get_xlim()[1], axes.get_ylim()[0]
    wanted = [float(to_axes.transform((right, max(end, bottom)))[1]) for _, end, _ in ends]
    apart = min(LINE, 1.0 / len(ends))
    size = 10 * apart / LINE
    for (label, _, look), at, y in zip(ends, wanted, spread(wanted, apart), strict=True):
        axes.plot([1.005, 1.03], [at, y], transform=axes.transAxes, color=look.colour, linewidth=0.8, clip_on=False)
        place: dict[str, Any] = {
            "transform": axes.transAxes,
            "va": "center_baseline",
            "fontsize": size,
            "fontweight": "bold",
        }
        axes.text(1.038, y, label, color=look.colour, **place)


def spread(wanted: Sequence[float], apart: float) -> list[float]:
    """Places between 0 and 1, near those wanted and in the same order, at least `apart` from one another.

    >>> [round(place, 3) for place in spread([0.5, 0.5, 0.9], 0.1)]
    [0.45, 0.55, 0.9]
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    groups: list[list[int]] = []
    for i in order:
        groups.append([i])
        while len(groups) > 1 and _lowest(wanted, groups[-1], apart) < _next_free(wanted, groups[-2], apart):
            groups[-2:] = [groups[-2] + groups[-1]]
    places = list(wanted)
    for group in groups:
        for step, i in enumerate(group):
            places[i] = _lowest(wanted, group, apart) + step * apart
    return places


def _lowest(wanted: Sequence[float], group: list[int], apart: float) -> float:
    height = apart * (len(group) - 1)
    centre = sum(wanted[i] for i in group) / len(group)
    return max(0.0, min(centre - height / 2, 1.0 - height))


def _next_free(wanted: Sequence[float], group: list[int], apart: float) -> float:
    return _lowest(wanted, group, apart) + apart * len(group)
