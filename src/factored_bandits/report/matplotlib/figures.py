"""Charts drawn with matplotlib, and written as PNG, PDF or SVG."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factored_bandits.core.files import draft_of
from factored_bandits.errors import InvalidInputError, MissingExtraError
from factored_bandits.report.chart import Chart
from factored_bandits.report.palette import INK, SOFT

from .labels import LINE, name_ends, width
from .panels import draw_panel
from .rows import names_width, rows_height, text_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".pdf", ".svg")
# Inches.
HEIGHT = 5.0  # of a figure with one panel
LEFT = 0.8  # of the axes
AXES_WIDTH = 5.8
TITLE = 0.62  # above the axes
STORY_LINE = 0.2
MARKS = 0.28  # a line that says what marks stand for
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
    """The chart as a figure; names stand beside the lines, in full where there is one panel."""
    target = None if path is None else check_figure_path(path)
    with load_matplotlib().rc_context(SETTINGS):
        figure = _single(chart, runs) if len(chart.panels) == 1 else _grid(chart, runs)
        if target is not None:
            save(figure, target)
    return figure


def _single(chart: Chart, runs: bool) -> Figure:
    (panel,) = chart.panels
    left = LEFT + names_width(panel)
    beside = width(panel.lines) + text_width(panel) + 0.2
    # High enough for the names beside the lines, and for the rows of a timeline.
    names = LINE * 1.02 * len(chart.legend())
    high = max(HEIGHT - TITLE - BELOW - 0.4, names, rows_height(panel))
    if panel.dots:
        high = rows_height(panel)

    figure, bottom = _blank(chart, left + AXES_WIDTH + beside, high)
    axes = figure.add_axes(_shares(figure, left, bottom, AXES_WIDTH, high))
    draw_panel(axes, panel, runs)
    name_ends(axes, panel.lines, (AXES_WIDTH, high))
    return figure


def _grid(chart: Chart, runs: bool) -> Figure:
    columns = 2 if len(chart.panels) in (2, 4) else 3
    if any(panel.lines for panel in chart.panels):
        columns = 2  # names stand beside the lines
    lines = -(-len(chart.panels) // columns)

    left = LEFT + max(names_width(panel) for panel in chart.panels)
    right = max(width(panel.lines, brief=True) + text_width(panel) for panel in chart.panels)
    step = GAP[0] + left - LEFT + right
    wide = left + columns * SMALL[0] + (columns - 1) * step + right + 0.3
    tall = max(rows_height(panel) or SMALL[1] for panel in chart.panels)
    high = lines * tall + (lines - 1) * GAP[1] + 0.25
    figure, bottom = _blank(chart, wide, high)

    for i, panel in enumerate(chart.panels):
        row, column = divmod(i, columns)
        base = bottom + (lines - 1 - row) * (tall + GAP[1])
        begin = left + column * (SMALL[0] + step)
        axes = figure.add_axes(_shares(figure, begin, base, SMALL[0], tall))
        named = column > 0 and chart.panels[i - 1].y.label == panel.y.label
        draw_panel(axes, panel, runs, title=panel.title, first=not named)
        name_ends(axes, panel.lines, (SMALL[0], tall), brief=True)

    return figure


def _blank(chart: Chart, wide: float, high: float) -> tuple[Figure, float]:
    """A figure with title and caption around a space of `high` inches, and where that begins."""
    caption = _wrapped(" ".join(filter(None, [chart.caption, _grey_names(chart)])), wide, PER_INCH)
    title = _wrapped(chart.title, wide, 9.5)
    story = _wrapped(chart.story, wide, 12.5)
    bottom = BELOW + 0.12 + CAPTION_LINE * (caption.count("\n") + 1)
    above = TITLE + 0.22 * title.count("\n")
    if story:
        above += STORY_LINE * (story.count("\n") + 1)
    if chart.marks:
        above += MARKS
    height = bottom + high + above
    figure = picture(wide, height)

    left = 0.25 if any(panel.dots for panel in chart.panels) else LEFT
    top = 1.0 - 0.14 / height
    figure.text(left / wide, top, title, fontsize=12, color=INK, va="top")
    below_title = top - (0.27 + 0.22 * title.count("\n")) / height
    below: dict[str, Any] = {"color": SOFT, "va": "bottom", "linespacing": 1.3}
    figure.text(left / wide, below_title, story, fontsize=9.5, color=INK, va="top", linespacing=1.3)
    figure.text(left / wide, 0.1 / height, caption, fontsize=8, **below)
    if chart.marks:
        _marks(figure, chart, left, height - above + MARKS + 0.12)
    return figure, bottom


def _wrapped(text: str, wide: float, per_inch: float) -> str:
    return "\n".join(textwrap.wrap(text, width=int((wide - 0.3) * per_inch)))


def _grey_names(chart: Chart) -> str:
    """The names of the grey lines, where they do not stand beside them."""
    quiet = [line.label for line in chart.legend().values() if line.quiet]
    return f"In grey: {', '.join(quiet)}." if quiet and len(chart.panels) > 1 else ""


def _marks(figure: Figure, chart: Chart, left: float, top: float) -> None:
    """What the marks stand for, in a line."""
    line_2d = load_matplotlib().lines.Line2D
    handles = [
        line_2d([], [], color=look.colour, marker=look.marker, linestyle="", label=text)
        for look, text in chart.marks
    ]
    where = _shares(figure, left, top, 0.0, 0.0)[:2]
    common: dict[str, Any] = {"frameon": False, "fontsize": 9, "borderaxespad": 0.0}
    common |= {"borderpad": 0.0, "handletextpad": 0.3, "labelcolor": INK}
    figure.legend(handles=handles, loc="upper left", bbox_to_anchor=where, ncols=9, **common)


def _shares(
    figure: Figure, left: float, bottom: float, wide: float, high: float
) -> tuple[float, float, float, float]:
    """Inches as shares of the figure."""
    width, height = figure.get_size_inches()
    return left / width, bottom / height, wide / width, high / height
