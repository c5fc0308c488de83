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

NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
TITLE = "Factored bandits: what the paper says, and what was measured"
# of one claim, and of several
WORDS = {
    "holds": ("holds", "hold"),
    "fails": ("fails", "fail"),
    "undecided": ("undecided", "undecided"),
}
MARKS = {"holds": "✓", "fails": "✗", "undecided": "?"}  # for those who do not see the colour


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


def write_page(
    folder: Path,
    sections: Sequence[Section],
    claims: Sequence[Claim],
    facts: Mapping[str, str],
    *,
    title: str = TITLE,
) -> Path:
    """Write `index.html`, and `figures/<name>.png` and `.pdf`, into the folder.

    The page opens from disk: script, style and data are inside, and it asks no network for
    anything.

    Parameters
    ----------
    folder
        Where the page goes; it is made if it is not there.
    sections
        The experiments.
    claims
        The rows of the table at the top.
    facts
        Versions, machine, seed, date: they stand at the end.
    title
        The heading of the page.

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
    _check_names(sections)
    # before anything is written: are plotly and Jinja2 there?
    script()
    template("page.html")
    figures = folder / "figures"
    page = folder / "index.html"

    try:
        figures.mkdir(parents=True, exist_ok=True)
        for chart in (chart for section in sections for chart in section.charts):
            drawn = chart.figure()
            for suffix in ("png", "pdf"):
                save(drawn, figures / f"{chart.name}.{suffix}")
        write_whole(page, page_of(sections, claims, facts, title).encode())
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
) -> str:
    """The page as text."""
    points = points_per_run([chart for section in sections for chart in section.charts])
    return template("page.html").render(
        title=title,
        style=style(),
        contents=_contents(sections, bool(claims), bool(facts)),
        claims=[_claim(claim, sections) for claim in claims],
        counts=_counts(claims),
        sections=[_section(section, points) for section in sections],
        facts=facts,
        plotly=script(),
        script=asset("page.js"),
    )


def _check_names(sections: Sequence[Section]) -> None:
    """Names become files and anchors of the page."""
    for what, names in (
        ("section", [section.name for section in sections]),
        ("chart", [chart.name for section in sections for chart in section.charts]),
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


def _contents(sections: Sequence[Section], claims: bool, facts: bool) -> list[dict[str, str]]:
    """The entries of the table of contents."""
    entries = [("claims", "Claims")] if claims else []
    entries += [(section.name, section.title) for section in sections]
    entries += [("facts", "How it was run")] if facts else []
    return [{"name": name, "title": title} for name, title in entries]


def _counts(claims: Sequence[Claim]) -> list[dict[str, object]]:
    """How many claims have each verdict."""
    counts = Counter(str(claim.verdict) for claim in claims)
    return [
        {
            "verdict": verdict,
            "mark": MARKS[verdict],
            "number": counts[verdict],
            "word": one if counts[verdict] == 1 else several,
        }
        for verdict, (one, several) in WORDS.items()
        if counts[verdict]
    ]


def _claim(claim: Claim, sections: Sequence[Section]) -> dict[str, object]:
    return {
        "says": claim.says,
        "measured": claim.measured.split("; "),
        "verdict": claim.verdict,
        "mark": MARKS[claim.verdict],
        "link": _link(claim, sections),
    }


def _link(claim: Claim, sections: Sequence[Section]) -> dict[str, str] | None:
    """To the figure if it is on the page, otherwise to the experiment."""
    for section in sections:
        for chart in section.charts:
            if chart.name == claim.figure:
                return {"anchor": f"chart-{chart.name}", "title": chart.title}

    for section in sections:
        if section.name == claim.experiment:
            return {"anchor": section.name, "title": section.title}

    return None


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
