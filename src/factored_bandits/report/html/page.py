"""The report as one HTML page that needs nothing else, and its figures as files beside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from factored_bandits.core.files import write_whole
from factored_bandits.core.table import Table
from factored_bandits.errors import InvalidInputError
from factored_bandits.report.chart import Chart
from factored_bandits.report.claims import Claim
from factored_bandits.report.matplotlib.figures import save
from factored_bandits.report.plotly import script

from .fragments import points_per_run, view_of
from .style import asset, style
from .templates import template
from .verdicts import Link, verdicts_of

NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
FORMATS = ("png", "pdf")  # of figures; the second one only if it is asked for
TITLE = "Factored bandits: what the paper says, and what was measured"


@dataclass(frozen=True, eq=False)
class Section:
    """One experiment on the page.

    Parameters
    ----------
    name
        The anchor on the page, for links.
    title
        The heading.
    text
        Paragraphs, with an empty line between them; names in backticks are set as code.
    charts
        The charts, in this order.
    table
        A table below them.
    """

    name: str
    title: str
    text: str
    charts: Sequence[Chart]
    table: Table | None = None


@dataclass(frozen=True, eq=False)
class Opening:
    """What a reader sees first: a sentence, and perhaps a figure.

    Parameters
    ----------
    sentence
        What was found.
    chart
        The figure that shows it; without one the verdicts stand below the sections.
    """

    sentence: str
    chart: Chart | None = None


def write_page(
    folder: Path,
    sections: Sequence[Section],
    claims: Sequence[Claim],
    facts: Mapping[str, str],
    *,
    title: str = TITLE,
    opening: Opening | None = None,
    pdf: bool = False,
) -> Path:
    """Write `index.html`, and `figures/<name>.png`, into the folder.

    The page opens from disk: script, style and data are inside, and it asks no network for
    anything.

    Parameters
    ----------
    folder
        Where the page goes; it is made if it is not there.
    sections
        The experiments.
    claims
        The rows of the tables of verdicts: one of the paper's sentences, one of our own.
    facts
        Versions, machine, seed, date: they stand at the end.
    title
        The heading of the page.
    opening
        What stands above everything else.
    pdf
        Whether to write `figures/<name>.pdf`, too.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    InvalidInputError
        If names are not good for files or not unique, or the folder cannot be written.
    MissingExtraError
        If plotly or Jinja2 is not installed.

    Examples
    --------
    >>> import tempfile
    >>> section = Section("first", "First", "It ran.", [])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_page(Path(folder), [section], [], {"seed": "1"}).name
    'index.html'
    """
    charts = _charts(sections, opening)
    _check_names(sections, charts)
    # before anything is written: are plotly and Jinja2 there?
    script()
    template("page.html")
    figures = folder / "figures"
    page = folder / "index.html"

    try:
        figures.mkdir(parents=True, exist_ok=True)
        for chart in charts:
            drawn = chart.figure()
            for suffix in FORMATS[: 1 + pdf]:
                save(drawn, figures / f"{chart.name}.{suffix}")
        write_whole(page, page_of(sections, claims, facts, title, opening, pdf=pdf).encode())
    except OSError as error:
        raise InvalidInputError(
            f"cannot write the report into {str(folder)!r}: {error.strerror or error}"
        ) from None

    return page


def page_of(
    sections: Sequence[Section],
    claims: Sequence[Claim],
    facts: Mapping[str, str],
    title: str = TITLE,
    opening: Opening | None = None,
    *,
    pdf: bool = False,
) -> str:
    """The page as text."""
    points = points_per_run(_charts(sections, opening))
    first = opening.chart if opening is not None else None
    verdicts = verdicts_of(claims, _anchors(sections))

    return template("page.html").render(
        title=title,
        style=style(),
        sentence=opening.sentence if opening is not None else "",
        opening=view_of(first, points) if first is not None else None,
        contents=_contents(sections, verdicts, bool(facts)),
        verdicts=verdicts,
        # a figure comes before the tables
        verdicts_last=first is None and any(section.charts for section in sections),
        sections=[_section(section, points) for section in sections],
        formats=FORMATS[: 1 + pdf],
        facts=facts,
        plotly=script(),
        script=asset("page.js"),
    )


def _charts(sections: Sequence[Section], opening: Opening | None) -> list[Chart]:
    """All charts of the page."""
    first = [opening.chart] if opening is not None and opening.chart is not None else []
    return [*first, *(chart for section in sections for chart in section.charts)]


def _check_names(sections: Sequence[Section], charts: Sequence[Chart]) -> None:
    """Names become files and anchors of the page."""
    for what, names in (
        ("section", [section.name for section in sections]),
        ("chart", [chart.name for chart in charts]),
    ):
        for name, count in Counter(names).items():
            if not NAME.fullmatch(name):
                raise InvalidInputError(
                    f"a {what} is named {name!r}; use letters, digits, '_', '-' and '.'"
                )
            if count > 1:
                raise InvalidInputError(
                    f"{count} {what}s are named {name!r}; give each a name of its own"
                )


def _contents(
    sections: Sequence[Section], verdicts: Sequence[dict[str, object]], facts: bool
) -> list[dict[str, object]]:
    """The entries of the table of contents."""
    entries: list[dict[str, object]] = [*verdicts]
    entries += [{"name": section.name, "title": section.title} for section in sections]
    entries += [{"name": "facts", "title": "How it was run"}] if facts else []
    return entries


def _anchors(sections: Sequence[Section]) -> dict[str, Link]:
    """Where a claim can lead to: a chart by its name, or an experiment by its."""
    found = {section.name: Link(section.name, section.title) for section in sections}
    for section in sections:
        for chart in section.charts:
            found[f"chart-{chart.name}"] = Link(f"chart-{chart.name}", chart.title)

    return found


def _section(section: Section, points: int) -> dict[str, object]:
    return {
        "name": section.name,
        "title": section.title,
        "paragraphs": paragraphs(section.text),
        "charts": [view_of(chart, points) for chart in section.charts],
        "table": section.table,
    }


def paragraphs(text: str) -> list[list[dict[str, object]]]:
    """Per paragraph its pieces: plain text, and names in backticks as code.

    >>> [[piece["text"] for piece in pieces] for pieces in paragraphs("Play `tea`.\\n\\nAgain.")]
    [['Play ', 'tea', '.'], ['Again.']]
    """
    found = []
    for paragraph in text.split("\n\n"):
        # every second piece stood in backticks
        pieces = re.split(r"`([^`]+)`", paragraph.strip())
        if pieces != [""]:
            found.append([{"text": piece, "code": i % 2 == 1} for i, piece in enumerate(pieces)])

    return found
