"""The report as one HTML page that needs nothing else, and its figures as files beside it."""

from __future__ import annotations

import functools
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from factored_bandits.core.table import Table
from factored_bandits.errors import InvalidInputError
from factored_bandits.report.chart import Chart
from factored_bandits.report.claims import Claim
from factored_bandits.report.matplotlib.figures import save
from factored_bandits.report.palette import DARK
from factored_bandits.report.plotly import FONT, script

from .fragments import element, fragment, paragraphs, points_per_run, table_of, text

NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
TITLE = "Factored bandits: what the paper says, and what was measured"
LIGHT_COLOURS = {
    "ground": "#f6f7f9",
    "card": "#ffffff",
    "ink": "#1f2328",
    "soft": "#59636e",
    "line": "#dfe3e8",
    "link": "#0b5cad",
    "on-link": "#ffffff",
    "holds": "#0f6b45",
    "fails": "#b42318",
    "undecided": "#7a5300",
}
DARK_COLOURS = {
    "ground": "#0f1216",
    "card": "#171b21",
    "ink": "#e6e9ed",
    "soft": "#a3acb8",
    "line": "#2c333d",
    "link": "#7ab8f5",
    "on-link": "#0f1216",
    "holds": "#5fd39b",
    "fails": "#ff9085",
    "undecided": "#e5b95c",
}
WORDS = (
    ("holds", "holds", "hold"),
    ("fails", "fails", "fail"),
    ("undecided", "undecided", "undecided"),
)
MARKS = {"holds": "✓", "fails": "✗", "undecided": "?"}  # for those who do not see the colour


@dataclass(frozen=True, eq=False)
class Section:
    """One experiment on the page."""

    name: str  # the place on the page, for links
    title: str
    text: str  # paragraphs, with an empty line between them
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
    """Write `index.html` and `figures/<name>.png` and `.pdf` into the folder; the path of the page
    comes back.

    The page opens from disk: script, style and data are inside, and it asks no network for
    anything. `facts` (versions, machine, seed, date) stand at its end.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_page(Path(folder), [Section("first", "First", "It ran.", [])], [], {"seed": "1"}).name
    'index.html'
    """
    _check_names(sections)
    script()  # before anything is written: is plotly there?
    figures = folder / "figures"
    page = folder / "index.html"

    try:
        figures.mkdir(parents=True, exist_ok=True)
        for chart in (chart for section in sections for chart in section.charts):
            drawn = chart.figure()
            for suffix in ("png", "pdf"):
                _replace(figures / f"{chart.name}.{suffix}", functools.partial(save, drawn))
        _replace(page, functools.partial(_write, page_of(sections, claims, facts, title)))
    except OSError as error:
        raise InvalidInputError(
            f"cannot write the report into {str(folder)!r}: {error.strerror or error}"
        ) from None

    return page


def _write(content: str, path: Path) -> None:
    path.write_text(content, encoding="utf-8")


def _replace(path: Path, write: Callable[[Path], None]) -> None:
    """Write a draft beside it and rename that, so that nobody ever reads half a file."""
    draft = path.with_name(f".{os.getpid()}-{path.name}")
    try:
        write(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def page_of(
    sections: Sequence[Section],
    claims: Sequence[Claim],
    facts: Mapping[str, str],
    title: str = TITLE,
) -> str:
    """The page as text."""
    points = points_per_run([chart for section in sections for chart in section.charts])
    told = [_section(section, points) for section in sections]
    parts = {
        "title": text(title),
        "style": _style(),
        "contents": _contents(sections, bool(claims), bool(facts)),
        "body": "\n".join([_claims(claims, sections), *told, _facts(facts)]),
        "plotly": script(),
        "script": _asset("page.js"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], _asset("page.html"))


def _check_names(sections: Sequence[Section]) -> None:
    """Names become files and places on the page."""
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


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")


def _style() -> str:
    """The style sheet, after the colours of both themes."""
    light = dict(LIGHT_COLOURS)
    dark = dict(DARK_COLOURS)

    for colour, other in DARK.items():
        light[f"c-{colour[1:].lower()}"] = colour
        dark[f"c-{colour[1:].lower()}"] = other

    light["c-333333"], dark["c-333333"] = LIGHT_COLOURS["ink"], DARK_COLOURS["ink"]
    bright, dim = (
        " ".join(f"--{name}: {value};" for name, value in theme.items()) for theme in (light, dark)
    )

    return "\n".join(
        [
            f":root {{ --font: {FONT}; color-scheme: light; {bright} }}",
            f":root[data-theme='dark'] {{ color-scheme: dark; {dim} }}",
            "@media (prefers-color-scheme: dark) "
            f"{{ :root:not([data-theme]) {{ color-scheme: dark; {dim} }} }}",
            _asset("page.css"),
        ]
    )


def _contents(sections: Sequence[Section], claims: bool, facts: bool) -> str:
    entries = [("claims", "Claims")] if claims else []
    entries += [(section.name, section.title) for section in sections]
    entries += [("facts", "How it was run")] if facts else []
    return "\n".join(
        f'<li><a href="#{text(name)}">{text(title)}</a></li>' for name, title in entries
    )


def _claims(claims: Sequence[Claim], sections: Sequence[Section]) -> str:
    if not claims:
        return ""
    counts = Counter(str(claim.verdict) for claim in claims)
    told = "".join(
        f'<span class="verdict {verdict}">{MARKS[verdict]} {count} '
        f"{one if count == 1 else several}</span>"
        for verdict, one, several in WORDS
        if (count := counts[verdict])
    )
    rows = "\n".join(_claim(claim, sections) for claim in claims)
    heads = "".join(
        f'<th scope="col">{head}</th>'
        for head in ("The paper says", "Measured", "Verdict", "Figure")
    )
    table = f'<table class="claims"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
    return f'<section id="claims"><h2>Claims</h2><p class="counts">{told}</p><div class="card">{table}</div></section>'


def _claim(claim: Claim, sections: Sequence[Section]) -> str:
    badge = f'<span class="verdict {text(claim.verdict)}">{MARKS[claim.verdict]} {text(claim.verdict)}</span>'
    measured = "<br>".join(map(text, claim.measured.split("; ")))
    cells = [("The paper says", text(claim.says)), ("Measured", measured), ("", badge)]
    told = "".join(f"<td{_head(head)}>{cell}</td>" for head, cell in cells)
    return f'<tr>{told}<td class="plain">{_link(claim, sections)}</td></tr>'


def _head(head: str) -> str:
    return f' data-head="{text(head)}"' if head else ' class="plain"'


def _link(claim: Claim, sections: Sequence[Section]) -> str:
    """To the figure if it is on the page, otherwise to the experiment."""
    for section in sections:
        for chart in section.charts:
            if chart.name == claim.figure:
                return f'<a href="#chart-{text(chart.name)}">{text(chart.title)}</a>'

    for section in sections:
        if section.name == claim.experiment:
            return f'<a href="#{text(section.name)}">{text(section.title)}</a>'

    return ""


def _section(section: Section, points: int) -> str:
    parts = [element("h2", section.title), paragraphs(section.text)]
    parts += [fragment(chart, points) for chart in section.charts]
    if section.table is not None:
        parts.append(f"<figure>{table_of(section.table)}</figure>")
    return f'<section id="{text(section.name)}">{"".join(parts)}</section>'


def _facts(facts: Mapping[str, str]) -> str:
    if not facts:
        return ""
    rows = "".join(f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in facts.items())
    return f'<section id="facts"><h2>How it was run</h2><div class="card"><dl>{rows}</dl></div></section>'
