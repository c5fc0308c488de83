"""Names beside the ends of lines, moved apart where they would overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from factored_bandits.report.chart import Line
from factored_bandits.report.palette import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTER, LINE = 0.084, 0.2  # inches: the width of a letter, the distance of two names
FEW = 8  # names; more of them stand farther away
SAMPLE = 0.3  # inches of the line, beside its name


def width(lines: Sequence[Line]) -> float:
    """Inches that the names take beside the axes."""
    return (
        (0.3 if len(lines) <= FEW else 0.5)
        + SAMPLE
        + LETTER * max((len(line.label) for line in lines), default=0)
    )


def name_ends(axes: Axes, lines: Sequence[Line], inches: tuple[float, float]) -> None:
    """Each line's name beside its end, with a piece of the line; `inches` are the width and height
    of the axes.
    """
    to_axes = axes.transData + axes.transAxes.inverted()
    right = axes.get_xlim()[1]
    (bottom, top) = axes.get_ylim()
    named = [line for line in lines if line.label]
    wanted = [
        float(to_axes.transform((right, min(top, max(_end(line), bottom))))[1]) for line in named
    ]
    apart = min(LINE / inches[1], 1.0 / max(1, len(named) - 1))
    bend = 0.15 if len(named) <= FEW else 0.35
    a, b, c = (1.0 + step / inches[0] for step in (0.03, bend, bend + SAMPLE))

    for line, at, y in zip(named, wanted, spread(wanted, apart), strict=True):
        common: dict[str, Any] = {
            "transform": axes.transAxes,
            "color": line.look.colour,
            "clip_on": False,
        }
        axes.plot([a, b], [at, y], linewidth=0.8, **common)
        axes.plot(
            [b, (b + c) / 2, c], [y] * 3, linewidth=1.8, **style(line), markevery=[1], **common
        )
        place: dict[str, Any] = {
            "transform": axes.transAxes,
            "va": "center_baseline",
            "fontsize": 9.5,
            "color": INK,
        }
        axes.text(c + 0.05 / inches[0], y, line.label, **place)


def style(line: Line) -> dict[str, Any]:
    """Dashes and marker, for matplotlib."""
    dashes: Any = (0, line.look.dashes) if line.look.dashes else "-"
    return {"linestyle": dashes, "marker": line.look.marker or None, "markersize": 5}


def _end(line: Line) -> float:
    return float(line.y[-1])


def spread(wanted: Sequence[float], apart: float) -> list[float]:
    """Places between 0 and 1, near those wanted and in the same order, at least `apart` from one
    another.

    >>> [round(place, 3) for place in spread([0.5, 0.5, 0.9], 0.1)]
    [0.45, 0.55, 0.9]
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    groups: list[list[int]] = []

    for i in order:
        groups.append([i])
        while len(groups) > 1 and _lowest(wanted, groups[-1], apart) < _next_free(
            wanted, groups[-2], apart
        ):
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
