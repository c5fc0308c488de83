"""`arena`: votes of people, made and read on the command line."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from factored_bandits.core.files import draft_of
from factored_bandits.errors import InvalidInputError

from .experiments import as_json, database, found, reading
from .output import show, show_json

if TYPE_CHECKING:
    from factored_bandits.service.arena.results import Outcome, Results
    from factored_bandits.service.arena.study import Draft, Rules

TABLES = (".csv", ".jsonl", ".ndjson")
COLUMNS = ("candidate", "verdict", "not the best", "wins", "ties", "losses", "voters it rests on")
address = click.option(
    "--address",
    default="http://127.0.0.1:8000",
    show_default=True,
    help="Where voters reach the service.",
)


@click.group()
def arena() -> None:
    """Let people vote: two candidates side by side, blind, until the best is known.

    DB is the path of a database file, or an address such as postgresql://user@host/name. A file
    that a service has open takes no new study this way: use its page /studies/new, or POST
    /v1/studies.

    \b
    factored-bandits arena new votes.db answers.csv --key answers --title "Answers"
    factored-bandits serve --db votes.db
    factored-bandits arena results votes.db answers
    """


@arena.command()
@database
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--key", required=True, help="Names the study, and is in the address of its page.")
@click.option("--title", required=True, help="What voters see on top.")
@click.option("--question", default="Which one is better?", show_default=True)
@click.option("--markdown", is_flag=True, help="Texts are Markdown.")
@click.option("--cap", default=50, show_default=True, help="Votes of one voter that count.")
@click.option(
    "--liars",
    default=1,
    show_default=True,
    help="How many voters may lie and the result still stands.",
)
@click.option("--alpha", default=0.05, show_default=True, help="The probability of error.")
@click.option("--reveal", is_flag=True, help="Show names and result to voters in the end.")
@click.option("--policy", help="Which two meet; by default duel_top_two.")
@address
def new(
    location: str,
    files: tuple[Path, ...],
    key: str,
    policy: str | None,
    address: str,
    markdown: bool,
    **rules: Any,
) -> None:
    """Make a study, and a link that invites voters.

    FILES is a table, CSV or JSON lines: a column `item` and one for each candidate with its
    answers, or the columns `candidate` and `text`. Or they are images, one for each candidate.
    """
    from factored_bandits.service.arena import links, making, tables
    from factored_bandits.service.arena.study import checked_rules
    from factored_bandits.service.store import opened

    is_table = files[0].suffix.lower() in TABLES
    kind = ("markdown" if markdown else "text") if is_table else "image"
    draft = _draft(checked_rules(format=kind, **rules), files)
    with contextlib.closing(opened(location)) as store:
        made = making.create(store, key, draft, policy)
        link = tables.changed(store, tables.add_link, made.row.id, "everybody", None)
        signed = links.signed(store.secret(), key, link.id)

    where = quote(key, safe="")
    number = len(draft.prompts)
    items = f", {number:,} item{'' if number == 1 else 's'}" if number else ""
    click.echo(f"{key}: {len(draft.names):,} candidates{items}")
    click.echo(f"invite: {address.rstrip('/')}/arena/{where}?invite={signed}")
    click.echo(f"results: {address.rstrip('/')}/studies/{where}")


def _draft(rules: Rules, files: tuple[Path, ...]) -> Draft:
    from factored_bandits.service.arena.making import draft_of_images
    from factored_bandits.service.arena.reading import draft_of_table

    if rules.format != "image":
        if len(files) > 1:
            raise InvalidInputError("a study is made of one table, or of several images")
        return draft_of_table(rules, files[0].name, files[0].read_bytes())
    named = {path.stem: path.read_bytes() for path in files}
    if len(named) < len(files):
        raise InvalidInputError("two images have the same name, which names their candidates")
    return draft_of_images(rules, named)


@arena.command()
@database
@click.argument("key")
@as_json
@click.option(
    "--pairs",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all votes to this CSV file: model_a, model_b, winner.",
)
def results(location: str, key: str, as_json: bool, pairs: Path | None) -> None:
    """Show what a vote has come to: who is best, how sure, and how many voters that rests on."""
    from factored_bandits.service.arena.reporting import report_of

    with reading(location) as (store, tx):
        read = report_of(tx, found(store, tx, key))
    if pairs is not None:
        _write(pairs, read)
    if as_json:
        return show_json(_document(read))
    for title, outcome in (("", read.original), ("without excluded voters", read.without)):
        if outcome is not None:
            _show(title, outcome)
    click.echo(str(read.bias) if read.bias.verdicts else "no votes yet")


def _write(path: Path, read: Results) -> None:
    from factored_bandits.service.arena.managing import csv_of

    try:
        with draft_of(path) as draft:
            draft.write_text(csv_of(read.original.arena.to_pairs()), "utf-8", newline="")
    except OSError as error:
        raise InvalidInputError(f"--pairs {str(path)!r}: {error.strerror or error}") from None
    click.echo(f"wrote {path}", err=True)


def _show(title: str, outcome: Outcome) -> None:
    from factored_bandits.core.table import Table

    rows = []
    for row in outcome.candidates:
        tally = row.tally
        sure = row.sure
        counts = (str(tally.wins), str(tally.ties), str(tally.losses))
        rests = "-" if row.colluders is None else str(row.colluders)
        rows.append((row.name, row.verdict, sure, *counts, rests))
    show(Table(title, COLUMNS, rows, outcome.sentence, align="llrrrrr"))


def _document(read: Results) -> dict[str, Any]:
    def one(outcome: Outcome | None) -> Any:
        if outcome is None:
            return None
        return {
            "top": list(outcome.top),
            "best": outcome.arena.best,
            "confidence": outcome.arena.confidence,
            "candidates": [
                {**row._asdict(), "tally": vars(row.tally)} for row in outcome.candidates
            ],
        }

    return {
        "result": one(read.original),
        "without": one(read.without),
        "sides": read.bias._asdict(),
        "scores": [each._asdict() for each in read.scores],
    }
