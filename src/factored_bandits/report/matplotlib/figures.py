"""Charts drawn with matplotlib, and written as PNG, PDF or SVG."""

from __future__ import annotations

import math
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factored_bandits.core.files import draft_of
from factored_bandits.errors import InvalidInputError, MissingExtraError
from factored_bandits.report.chart import Chart, Panel
from factored_bandits.report.palette import INK, SOFT

from .labels import LINE, name_ends, style, width
from .panels import draw_panel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".pdf", ".svg")
# Inches.
HEIGHT = 5.0  # of a figure with one panel
LEFT = 0.8  # of the axes
AXES_WIDTH = 5.8
TITLE = 0.5  # above the axes
BELOW = 0.62  # below the axes
CAPTION_LINE = 0.16
SMALL = (3.5, 2.6)  # a panel that is one of several
GAP = (0.8, 0.85)  # between panels

PER_INCH = 14  # letters of the caption
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
    factored_bandits.errors.InvalidInputError: cannot draw 'regret.gif': a figure ends in .png,
    .pdf or .svg
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise InvalidInputError(f"cannot draw {str(path)!r}: a figure ends in .png, .pdf or .svg")
    if not path.parent.is_dir():
        raise InvalidInputError(
            f"cannot draw {str(path)!r}: there is no directory {str(path.parent)!r}"
        )

    return path


def save(figure: Figure, path: Path) -> None:
    """Write the figure, without a date, so that the same results give the same file."""
    dates = {".png": {}, ".pdf": {"CreationDate": None}, ".svg": {"Date": None}}
    suffix = path.suffix.lower()
    try:
        with draft_of(path) as draft:
            figure.savefig(draft, format=suffix[1:], metadata=dates[suffix])
    except OSError as error:
        raise InvalidInputError(
            f"cannot write the figure {str(path)!r}: {error.strerror or error}"
        ) from None


def load_matplotlib() -> Any:
    """matplotlib without pyplot, or an error that says what to install."""
    try:
        import matplotlib
        import matplotlib.figure
        import matplotlib.lines
        import matplotlib.ticker
    except ImportError:
        raise MissingExtraError.of("matplotlib", "plot", "drawing a figure") from None

    return matplotlib


def picture(wide: float, high: float) -> Figure:
    """An empty figure of that many inches, which a notebook shows by itself."""
    from .picture import Picture

    return Picture(figsize=(wide, high), dpi=150, facecolor="white")


def draw(chart: Chart, path: str | Path | None = None, *, runs: bool = False) -> Figure:
    """The chart as a figure; one panel has names beside the lines, several share a legend."""
    target = None if path is None else check_figure_path(path)
    with load_matplotlib().rc_context(SETTINGS):
        figure = _single(chart, runs) if len(chart.panels) == 1 else _grid(chart, runs)
        if target is not None:
            save(figure, target)
    return figure


def _single(chart: Chart, runs: bool) -> Figure:
    (panel,) = chart.panels
    beside = width(panel.lines)
    wide = LEFT + AXES_WIDTH + beside
    # High enough for the names beside the lines, and for the rows of a timeline.
    names = LINE * 1.02 * len(chart.legend())
    high = max(HEIGHT - TITLE - BELOW - 0.4, names, _rows_height(panel))

    figure, bottom = _blank(chart, wide, high)
    axes = figure.add_axes(_shares(figure, LEFT, bottom, AXES_WIDTH, high))
    draw_panel(axes, panel, runs)
    name_ends(axes, panel.lines, (AXES_WIDTH, high))
    return figure


def _grid(chart: Chart, runs: bool) -> Figure:
    columns = 2 if len(chart.panels) in (2, 4) else 3
    lines = -(-len(chart.panels) // columns)
    wide = LEFT + columns * SMALL[0] + (columns - 1) * GAP[0] + 0.3
    tall = max(SMALL[1], *(_rows_height(panel) for panel in chart.panels))
    per_line, legend = _legend_lines(chart, wide)
    high = lines * tall + (lines - 1) * GAP[1] + legend + 0.25
    figure, bottom = _blank(chart, wide, high)

    for i, panel in enumerate(chart.panels):
        row, column = divmod(i, columns)
        left = LEFT + column * (SMALL[0] + GAP[0])
        base = bottom + legend + (lines - 1 - row) * (tall + GAP[1])
        axes = figure.add_axes(_shares(figure, left, base, SMALL[0], tall))
        draw_panel(axes, panel, runs, title=panel.title, first=column == 0)

    if legend:
        _legend(figure, chart, (LEFT, bottom - BELOW + legend), per_line)
    return figure


def _blank(chart: Chart, wide: float, high: float) -> tuple[Figure, float]:
    """A figure with title and caption around a space of `high` inches, and where that begins."""
    caption = "\n".join(textwrap.wrap(chart.caption, width=int(wide * PER_INCH)))
    bottom = BELOW + 0.12 + CAPTION_LINE * (caption.count("\n") + 1)
    title = "\n".join(textwrap.wrap(chart.title, width=int(wide * 9.5)))
    height = bottom + high + TITLE + 0.22 * title.count("\n")
    figure = picture(wide, height)
    figure.text(LEFT / wide, 1.0 - 0.14 / height, title, fontsize=12, color=INK, va="top")
    figure.text(
        LEFT / wide, 0.1 / height, caption, fontsize=8, color=SOFT, va="bottom", linespacing=1.3
    )
    return figure, bottom


def _shares(
    figure: Figure, left: float, bottom: float, wide: float, high: float
) -> tuple[float, float, float, float]:
    """Inches as shares of the figure."""
    width, height = figure.get_size_inches()
    return left / width, bottom / height, wide / width, high / height


def _rows_height(panel: Panel) -> float:
    return 0.14 * len(panel.rows)


def _legend_lines(chart: Chart, wide: float) -> tuple[int, float]:
    """Names per line, and the height of the legend in inches."""
    names = [line.label for line in chart.legend().values()]
    if not names:
        return 1, 0.0
    per_line = max(1, int((wide - LEFT) / (0.6 + 0.08 * max(map(len, names)))))
    return per_line, 0.15 + 0.21 * math.ceil(len(names) / per_line)


def _legend(figure: Figure, chart: Chart, corner: tuple[float, float], per_line: int) -> None:
    """The legend; its upper left corner is `corner`, in inches."""
    line_2d = load_matplotlib().lines.Line2D
    handles = [
        line_2d([], [], color=line.look.colour, label=line.label, linewidth=1.8, **style(line))
        for line in chart.legend().values()
    ]
    common: dict[str, Any] = {
        "frameon": False,
        "fontsize": 9,
        "handlelength": 2.6,
        "labelcolor": INK,
        "columnspacing": 1.4,
        "labelspacing": 0.35,
        "borderaxespad": 0.0,
        "borderpad": 0.0,
    }
    where = _shares(figure, *corner, 0.0, 0.0)[:2]
    figure.legend(handles=handles, loc="upper left", bbox_to_anchor=where, ncols=per_line, **common)
