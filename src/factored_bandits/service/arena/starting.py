"""`/studies/new`: a study from a form."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from factored_bandits.errors import ExperimentError, InvalidInputError, MissingExtraError
from factored_bandits.service.api.problems import ProblemError
from factored_bandits.service.pages import Pages, Visit

from .making import create, draft_of_images, draft_of_texts
from .markup import rendered
from .reading import draft_of_table
from .study import Draft, Rules, checked_rules
from .tables import add_link, changed

BLANK = {
    "title": "",
    "key": "",
    "question": "Which one is better?",
    "kind": "texts",
    "cap": "50",
    "liars": "1",
    "alpha": "0.05",
    "reveal": "",
    "markdown": "",
    "policy": "",
}
SHOWN = 4  # empty fields for candidates


async def show(pages: Pages, visit: Visit) -> Response:
    """The empty form."""
    return _form(pages, visit, dict(BLANK), [("", "")] * SHOWN, "")


async def make(pages: Pages, visit: Visit) -> Response:
    """The study, or the form again with what is wrong."""
    fields = {name: visit.text(name, "") for name in BLANK}
    rows = list(zip(visit.texts("name"), visit.texts("text"), strict=False))
    try:
        rules = checked_rules(**_rules(fields))
        draft = await pages.service.aside(_draft, visit, rules, fields, rows)
        policy = fields["policy"] or None
        made = await pages.service.aside(create, pages.service.store, fields["key"], draft, policy)
        if made.new:
            await pages.service.aside(
                changed, pages.service.store, add_link, made.row.id, "everybody", None
            )
    except (InvalidInputError, ExperimentError, MissingExtraError) as error:
        return _form(pages, visit, fields, rows, str(error))
    pages.service.know(made.row)
    return pages.redirect(f"/studies/{quote(made.row.key, safe='')}")


def _form(
    pages: Pages, visit: Visit, fields: dict[str, str], rows: list[tuple[str, str]], failed: str
) -> Response:
    rows = rows + [("", "")] * max(0, SHOWN - len(rows))
    status = 422 if failed else 200
    return pages.render(visit, "arena/new.html", status, given=fields, rows=rows, failed=failed)


def _rules(fields: dict[str, str]) -> dict[str, Any]:
    return {
        "title": fields["title"],
        "question": fields["question"],
        "format": _format(fields),
        "cap": _number("votes per voter", fields["cap"]),
        "liars": _number("voters who may lie", fields["liars"]),
        "alpha": _number("probability of error", fields["alpha"]),
        "reveal": bool(fields["reveal"]),
    }


def _format(fields: dict[str, str]) -> str:
    if fields["kind"] == "images":
        return "image"
    return "markdown" if fields["markdown"] else "text"


def _number(what: str, given: str) -> float:
    try:
        number = float(given)
    except ValueError:
        raise InvalidInputError(f"{what} must be a number, not {given[:20]!r}") from None
    return int(number) if number.is_integer() else number


def _draft(
    visit: Visit, rules: Rules, fields: dict[str, str], rows: list[tuple[str, str]]
) -> Draft:
    if rules.format == "markdown":
        rendered("")  # an error now rather than in front of voters, if a library is missing
    if fields["kind"] == "texts":
        filled = [
            (name.strip(), text.strip()) for name, text in rows if name.strip() or text.strip()
        ]
        names = [name for name, _ in filled]
        if len(set(names)) < len(names):
            raise InvalidInputError("two candidates have the same name")
        return draft_of_texts(rules, dict(filled))
    if fields["kind"] == "table":
        files = visit.files.get("table", [])
        if not files:
            raise InvalidInputError("choose a CSV or JSONL file with the table")
        return draft_of_table(rules, files[0].name, files[0].content)
    if fields["kind"] == "images":
        images = visit.files.get("images", [])
        named = {PurePath(each.name).stem: each.content for each in images}
        if len(named) < len(images):
            raise InvalidInputError("two images have the same name, which names their candidates")
        return draft_of_images(rules, named)
    raise ProblemError(422, "kind must be texts, table or images")
