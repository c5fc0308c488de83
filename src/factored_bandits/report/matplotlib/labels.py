"""Names beside the ends of lines, moved apart where they would overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from factored_bandits.report.chart import Line
from factored_bandits.report.palette import FAINT, INK, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTER = 0.084  # inches: the width of a letter
LINE = 0.2  # inches: the distance of two names
FEW = 8  # names; more of them stand farther away
SAMPLE = 0.3  # inches of the line, beside its name


def width(lines: Sequence[Line], *, brief: bool = False) -> float:
    """Inches that the names take beside the axes."""
    named = _named(lines, brief)
    if not named:
        return 0.0
    away = 0.3 if len(named) <= FEW else 0.5
    longest = max(len(_text(line, brief)) for line in named)
    return away + SAMPLE + LETTER * longest


def _named(lines: Sequence[Line], brief: bool) -> list[Line]:
    """Where there is little room, only lines with a colour are named."""
    return [line for line in lines if line.label and not (brief and line.quiet)]


def _text(line: Line, brief: bool) -> str:
    return line.name if brief else line.label


def name_ends(
    axes: Axes, lines: Sequence[Line], inches: tuple[float, float], *, brief: bool = False
) -> None:
    """Each line's name beside its end, with a piece of the line.

    `inches` are the width and height of the axes. With `brief`, names are short.
    """
    to_axes = axes.transData + axes.transAxes.inverted()
    right = axes.get_xlim()[1]
    bottom, top = axes.get_ylim()
    named = _named(lines, brief)
    ends = [min(top, max(float(line.y[-1]), bottom)) for line in named]
    wanted = [float(to_axes.transform((right, end))[1]) for end in ends]
    apart = min(LINE / inches[1], 1.0 / max(1, len(named) - 1))
    bend = 0.15 if len(named) <= FEW else 0.35
    a, b, c = (1.0 + step / inches[0] for step in (0.03, bend, bend + SAMPLE))

    for line, at, y in zip(named, wanted, spread(wanted, apart), strict=True):
        drawn: dict[str, Any] = {"transform": axes.transAxes, "clip_on": False}
        drawn["color"] = FAINT if line.quiet else line.look.colour
        axes.plot([a, b], [at, y], linewidth=0.8, **drawn)

        sample = style(line) | drawn
        if line.quiet:
            sample |= {"linestyle": "-", "marker": None}
        thick = 0.9 if line.quiet else 1.8
        axes.plot([b, (b + c) / 2, c], [y] * 3, linewidth=thick, markevery=[1], **sample)

        text: dict[str, Any] = {"transform": axes.transAxes, "va": "center_baseline"}
        ink = SOFT if line.quiet else INK
        axes.text(c + 0.05 / inches[0], y, _text(line, brief), fontsize=9.5, color=ink, **text)


def style(line: Line) -> dict[str, Any]:
    """Dashes and marker, for matplotlib."""
    dashes: Any = (0, line.look.dashes) if line.look.dashes else "-"
    return {"linestyle": dashes, "marker": line.look.marker or None, "markersize": 5}


def spread(wanted: Sequence[float], apart: float) -> list[float]:
    """Heights between 0 and 1, near those wanted and in their order, at least `apart` apart.

    >>> [round(height, 3) for height in spread([0.5, 0.5, 0.9], 0.1)]
    [0.45, 0.55, 0.9]
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    groups: list[list[int]] = []

    for i in order:
        groups.append([i])
        # Groups that would overlap become one, centred on what its members want.
        while len(groups) > 1 and _overlap(wanted, groups[-2], groups[-1], apart):
            groups[-2:] = [groups[-2] + groups[-1]]

    heights = list(wanted)
    for group in groups:
        for step, i in enumerate(group):
            heights[i] = _lowest(wanted, group, apart) + step * apart

    return heights


def _overlap(wanted: Sequence[float], below: list[int], above: list[int], apart: float) -> bool:
    next_free = _lowest(wanted, below, apart) + apart * len(below)
    return _lowest(wanted, above, apart) < next_free


def _lowest(wanted: Sequence[float], group: list[int], apart: float) -> float:
    height = apart * (len(group) - 1)
    centre = sum(wanted[i] for i in group) / len(group)
    return max(0.0, min(centre - height / 2, 1.0 - height))
