"""`experiments`: what is in a database of `fb.open`, checked, exported, moved and saved."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from factored_bandits.errors import InvalidInputError, StoreError, UnknownNameError

from .output import show, show_json

if TYPE_CHECKING:
    from factored_bandits.service.store import Experiment, Store, Transaction

COLUMNS = ("key", "kind", "policy", "status", "asked", "told", "expired", "late", "last event")
TOLD = ("ask", "tell", "expire", "late")

database = click.argument("location", metavar="DB")
as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document instead of a table."
)
quiet = click.option("--quiet", is_flag=True, help="No progress bar.")


@click.group()
def experiments() -> None:
    """See, check, export, move and save the experiments that fb.open keeps in a database.

    DB is the path of a database file, or an address such as postgresql://user@host/name. Programs
    that have it open are not disturbed.

    \b
    factored-bandits experiments list shop.db
    factored-bandits experiments verify shop.db
    factored-bandits experiments export shop.db home --parquet home.parquet
    factored-bandits experiments backup shop.db saved.db
    factored-bandits experiments keys list shop.db
    """


@experiments.command("list")
@database
@as_json
def list_(location: str, as_json: bool) -> None:
    """List the experiments: how many decisions were asked, told, expired, and when the last was."""
    from factored_bandits.core.table import Table

    with reading(location) as (store, tx):
        rows = [_summary(tx, row) for row in store.experiments()]
        if as_json:
            return show_json(rows)
        if not rows:
            raise InvalidInputError(f"{store.name!r} holds no experiments")
        cells = [_cells(row) for row in rows]
        show(Table("", COLUMNS, cells, align="llllrrrrl"))


@experiments.command("show")
@database
@click.argument("key")
@as_json
def show_(location: str, key: str, as_json: bool) -> None:
    """Show one experiment: its configuration, and what its agent knows of every level."""
    with reading(location) as (store, tx):
        row = found(store, tx, key)
        summary = _summary(tx, row)
        configuration = _configuration(row)
        if as_json:
            document = {**summary, "fingerprint": row.fingerprint, "configuration": configuration}
            return show_json(document)

        for name, value in configuration.items():
            click.echo(f"{name}: {value}")
        click.echo(f"status: {row.status}{f', {row.reason}' if row.reason else ''}")
        click.echo(f"events: {row.head:,}, the last {summary['last event'] or '-'}")
        click.echo(f"computed by: {row.fingerprint}\n")
        click.echo(str(_agent_of(tx, row).status()))


@experiments.command()
@database
@click.argument("keys", metavar="[KEY]...", nargs=-1)
@as_json
@quiet
def verify(location: str, keys: tuple[str, ...], as_json: bool, quiet: bool) -> None:
    """Compute every log anew and compare it with what is stored.

    Decisions, propensities, expiries, snapshots: the first event that differs is named, and the
    exit code is 2. Without KEY all experiments are checked.
    """
    from factored_bandits.service import verify as verification

    results = []
    with reading(location) as (store, tx):
        for row in chosen(store, tx, keys):
            with counting(f"verify {row.key}", row.head, not quiet) as count:
                results.append(verification.verify(tx, row, progress=count))

    if as_json:
        show_json([vars(result) for result in results])
    for result in results:
        click.echo(_sentence(result), err=as_json)
    faults = [result for result in results if result.fault is not None]
    if faults:
        raise StoreError(f"{len(faults)} of {len(results)} experiments differ from their log")


@experiments.command()
@database
@click.argument("key")
@click.option(
    "--parquet",
    "path",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write.",
)
@quiet
def export(location: str, key: str, path: Path, quiet: bool) -> None:
    """Write the decisions of an experiment to a Parquet file, one row each.

    A row has the level of each factor, the probability that it had (p.FACTOR), the reward, how
    the decision was settled, and the times. `fb.load_log` reads such files.
    """
    from factored_bandits.service.export import table, write_parquet

    with reading(location) as (store, tx):
        row = found(store, tx, key)
        with counting(f"export {key}", row.head, not quiet) as count:
            columns = table(tx, row, progress=count)
    try:
        write_parquet(columns, path)
    except OSError as error:
        raise InvalidInputError(f"--parquet {str(path)!r}: {error.strerror or error}") from None
    click.echo(f"wrote {path}: {len(columns['decision']):,} decisions", err=True)


@experiments.command("import")
@database
@click.argument("keys", metavar="[KEY]...", nargs=-1)
@click.option(
    "--from", "source", metavar="DB", required=True, help="The database to copy them from."
)
@quiet
def import_(location: str, keys: tuple[str, ...], source: str, quiet: bool) -> None:
    """Copy experiments with their logs into another database, and verify the copies.

    DB is created if need be. It must be new, or a copy of the same database: the hashes of units
    depend on a secret that the first import takes along.

    \b
    factored-bandits experiments import new.db --from shop.db home
    """
    from factored_bandits.service import verify as verification
    from factored_bandits.service.store import opened
    from factored_bandits.service.transfer import copy_experiment

    with reading(source) as (old, tx), contextlib.closing(opened(location)) as new:
        rows = chosen(old, tx, keys)
        tx.rollback()  # each copy reads in a transaction of its own
        for row in rows:
            with counting(f"import {row.key}", 2 * row.head, not quiet) as count:
                copy = copy_experiment(old, row, new, count)
                checking = new.begin()
                result = verification.verify(checking, checking.lock(copy.id), progress=count)
                checking.rollback()
            click.echo(_sentence(result), err=True)


@experiments.command()
@database
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
def backup(location: str, target: Path) -> None:
    """Save a database file as it is at this moment, while a program may be writing it.

    TARGET appears complete or not at all, and is checked. To restore, stop the program and put
    the copy in the place of the database.
    """
    from factored_bandits.service.store.places import is_address
    from factored_bandits.service.transfer import backup as saved

    if is_address(location):
        raise InvalidInputError("a PostgreSQL database is saved by pg_dump, which comes with it")
    try:
        size = saved(Path(location), target)
    except OSError as error:
        raise InvalidInputError(f"{str(target)!r}: {error.strerror or error}") from None
    click.echo(f"wrote {target}: {size:,} bytes", err=True)


# ------------------------------------------------------------ what the commands share


@contextlib.contextmanager
def reading(location: str) -> Iterator[tuple[Store, Transaction]]:
    """A store to look at, and everything in it as of one moment."""
    from factored_bandits.service.store import opened

    store = opened(location, read_only=True)
    try:
        yield store, store.begin()
    except store.errors as error:
        raise StoreError(f"{store.name!r} cannot be read: {error}") from error
    finally:
        store.close()


def found(store: Store, tx: Transaction, key: str) -> Experiment:
    """The experiment with a key, or an error with those that there are."""
    row = store.find(key)
    if row is None:
        raise UnknownNameError.of("experiment", key, [each.key for each in store.experiments()])
    return tx.lock(row.id)


def chosen(store: Store, tx: Transaction, keys: tuple[str, ...]) -> list[Experiment]:
    """The experiments that are named, or all of them."""
    return [found(store, tx, key) for key in keys] if keys else store.experiments()


@contextlib.contextmanager
def counting(title: str, total: int, enabled: bool) -> Iterator[Callable[[int], None]]:
    """A progress bar that is told how many more events are done."""
    from factored_bandits.core.progress import Progress

    done = 0
    with Progress(title, max(total, 1), enabled=enabled) as bar:

        def count(more: int) -> None:
            nonlocal done
            done += more
            bar.update(done)

        yield count


def _configuration(row: Experiment) -> dict[str, Any]:
    from factored_bandits.service.config import Config
    from factored_bandits.service.durations import written

    given = dict(Config.of(row.config).given)
    if given["ttl"] is not None:
        given["ttl"] = written(given["ttl"])
    return {name: value for name, value in given.items() if value is not None}


def _agent_of(tx: Transaction, row: Experiment) -> Any:
    from factored_bandits.service.engine import Handle

    return Handle(row, compiled=False).caught_up(tx, row).agent


def _summary(tx: Transaction, row: Experiment) -> dict[str, Any]:
    from factored_bandits.service.config import Config

    config = Config.of(row.config)
    counts = tx.counts(row.id)
    last = datetime.fromtimestamp(row.at / 1e6, UTC) if row.head else None
    return {
        "key": row.key,
        "kind": "duels" if config.given["arms"] else "factors",
        "policy": config.given["policy"] or "default",
        "status": row.status,
        **{kind: counts.get(kind, 0) for kind in TOLD},
        "last event": None if last is None else last.isoformat(" ", "seconds"),
    }


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    words = [str(row[name]) for name in ("key", "kind", "policy", "status")]
    return (*words, *(f"{row[kind]:,}" for kind in TOLD), row["last event"] or "-")


def _sentence(result: Any) -> str:
    if result.fault is not None:
        return f"{result.key}: differs at {result.fault}"
    rest = result.events - result.recomputed
    other = f", {rest:,} of them by another version, not computed anew" if rest else ""
    return f"{result.key}: {result.events:,} events as computed anew{other}"
