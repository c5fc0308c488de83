"""A chart as data: panels of lines, dots or rows, which matplotlib and plotly draw alike.

`svg.py` draws lines and rows without any library.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from factored_bandits.core.arrays import Floats
from factored_bandits.core.table import Table

from .palette import Look, short

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Axis(NamedTuple):
    """An axis as it is first shown, and how it looks after a switch of its scale."""

    label: str
    limits: tuple[float, float]
    log: bool = False
    # the limits after switching between linear and logarithmic; None: there is no switch
    other: tuple[float, float] | None = None
    ticks: tuple[tuple[float, str], ...] = ()  # where the drawing library should not choose


@dataclass(frozen=True, eq=False)
class Line:
    """One line: perhaps with a band and the runs that it is the mean of, or points with errors."""

    key: str  # what the legend switches: lines with one key come and go together
    label: str  # in the legend; empty for a line that has no entry of its own
    look: Look
    x: Floats  # (n,)
    y: Floats  # (n,)
    low: Floats | None = None  # (n,) the band
    high: Floats | None = None
    runs: Floats | None = None  # (repetitions, n)
    bars: tuple[Floats, Floats] | None = None  # ends of the error bars; points, not a line
    width: float = 2.0
    steps: bool = False  # y holds until the next x
    quiet: bool = False  # grey until a reader touches it
    end: str = ""  # at its end where there is little room; by default the label, shortened

    @property
    def name(self) -> str:
        """What stands at its end; empty for a line without an entry in the legend."""
        return self.end or short(self.label)


class Dot(NamedTuple):
    """One row of a chart of dots: a value with an interval around it."""

    key: str  # dots with one key are touched together
    label: str  # beside the row
    look: Look
    value: float
    low: float  # the ends of the interval; equal to the value where it is not known
    high: float
    text: str = ""  # beside the dot, on the other side
    told: str = ""  # what a reader hears who touches it
    quiet: bool = False
    claimed: int = 0  # where it should lie: 1 right of the reference, -1 left of it, 0 anywhere


class Row(NamedTuple):
    """One level in a timeline: when it was active, and when it re-entered."""

    label: str
    spans: tuple[tuple[float, float], ...]  # from its first round to that of its elimination
    re_entries: tuple[float, ...]  # rounds
    best: bool


@dataclass(frozen=True, eq=False)
class Panel:
    """One pair of axes."""

    title: str
    x: Axis
    y: Axis
    lines: tuple[Line, ...] = ()
    rows: tuple[Row, ...] = ()  # the first one at the bottom
    dots: tuple[Dot, ...] = ()  # the first one at the bottom
    reference: tuple[float, str] | None = None  # where a line stands among the dots, and its name
    look: Look | None = None  # of the rows
    every: int = 1  # of so many re-entries of a row one has a tick, so that ticks can be seen
    alt: str = ""  # what a reader who cannot see it should know


@dataclass(frozen=True, eq=False)
class Chart:
    """What a figure shows. `figure()` draws it with matplotlib, `interactive()` with plotly.

    Examples
    --------
    >>> from factored_bandits.report.charts import curves
    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(levels=3, best=0.81, gap=0.8)
    >>> comparison = fb.compare("uniform, flat_ucb1", problem, 2_000, 4, progress=False)
    >>> chart = curves(comparison.results, name="first")
    >>> chart.name, chart.title, [line.label for line in chart.panels[0].lines]
    ('first', 'rank1 (3 x 3 levels)', ['uniform', 'flat_ucb1'])
    """

    name: str  # of the files, and of the section of the page
    title: str
    caption: str  # what was measured, and how to read it
    panels: tuple[Panel, ...]
    story: str = ""  # what happened, in two sentences; stands above the panels
    numbers: tuple[Table, ...] = ()  # the same in figures
    order: tuple[str, ...] = ()  # of the keys in the legend; by default that of the lines
    marks: tuple[tuple[Look, str], ...] = ()  # what a mark stands for, where colours are no policy

    def figure(self, path: str | Path | None = None, *, runs: bool = False) -> Figure:
        """Draw with matplotlib.

        Parameters
        ----------
        path
            Where to write the figure (.png, .pdf or .svg), if anywhere.
        runs
            Draw every run as well.

        Returns
        -------
        The figure.
        """
        from factored_bandits.report.matplotlib.figures import draw

        return draw(self, path, runs=runs)

    def interactive(self, *, runs: bool = False) -> Any:
        """Draw with plotly.

        Parameters
        ----------
        runs
            Draw every run as well.

        Returns
        -------
        The figure.
        """
        from .plotly import figure

        return figure(self, runs=runs)

    @property
    def alt(self) -> str:
        """What a reader who cannot see it should know."""
        told = [f"{self.title}.", self.story, *(panel.alt for panel in self.panels)]
        return " ".join(filter(None, told))

    def legend(self) -> dict[str, Line]:
        """The lines that have an entry, by key; those that `order` names first."""
        entries: dict[str, Line] = {}
        for panel in self.panels:
            for line in panel.lines:
                if line.label:
                    entries.setdefault(line.key, line)

        keys = dict.fromkeys([*self.order, *entries])
        return {key: entries[key] for key in keys if key in entries}
