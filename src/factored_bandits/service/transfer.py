"""Experiments moved to another database, and a database copied while it is in use."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from factored_bandits.core.files import draft_of
from factored_bandits.errors import InvalidInputError, StoreError

from .arena.tables import copy_study
from .export import pages
from .store import Experiment, SqliteStore, Store

Progress = Callable[[int], None]


def copy_experiment(
    source: Store, row: Experiment, target: Store, progress: Progress | None = None
) -> Experiment:
    """Copy an experiment with its log, its snapshot and its votes; all of it, or nothing.

    Parameters
    ----------
    source
        Where it is.
    row
        The experiment there.
    target
        Where it should be; an empty one takes over the secret of the hashes of units.
    progress
        Called with the number of events after every page.

    Returns
    -------
    Experiment
        The copy.

    Raises
    ------
    InvalidInputError
        If there is an experiment with that key, or the target hashes units with another secret.
    """
    if not target.experiments():
        target.adopt_secret(source.secret())
    if target.secret() != source.secret():
        raise InvalidInputError(
            f"{target.name!r} hashes units with another secret than {source.name!r}: the units of "
            f"{row.key!r} would not be known there. Import into a new database"
        )
    there = target.find(row.key)
    if there is not None and there.head > 0:
        raise InvalidInputError(
            f"there is an experiment {row.key!r} in {target.name!r} already, with {there.head:,} "
            "events"
        )

    reading = source.begin()
    now = reading.lock(row.id)
    made = target.create(now.key, now.config, now.fingerprint)
    tx = target.begin()
    head = 0
    for page in pages(reading, row.id):
        last = page[-1]
        tx.append(now._replace(id=made.id, head=last.n, at=last.at), head, page)
        head = last.n
        if progress is not None:
            progress(len(page))

    tx.add_changes(made.id, reading.changes(row.id))
    snapshot = reading.snapshot(row.id)
    if snapshot is not None:
        tx.save_snapshot(made.id, snapshot)
    voted = copy_study(reading, row.id, tx, made.id)
    if head > 0 or voted:
        tx.commit()
    else:
        tx.rollback()
    reading.rollback()
    return now._replace(id=made.id)


def backup(path: Path, target: Path) -> int:
    """Copy a database file as it is at this moment, though a program may be writing it.

    Parameters
    ----------
    path
        The database.
    target
        The copy; it appears complete or not at all.

    Returns
    -------
    int
        The bytes of the copy.

    Raises
    ------
    StoreError
        If the database cannot be read, or the copy is damaged.
    """
    store = SqliteStore(path, read_only=True)
    try:
        with draft_of(target) as draft:
            copy = sqlite3.connect(draft, isolation_level=None)
            try:
                store.copy_to(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # one file, nothing beside it
                said = copy.execute("PRAGMA integrity_check").fetchone()[0]
            finally:
                copy.close()
            if said != "ok":
                raise StoreError(f"the copy of {str(path)!r} is damaged: {said}")
    except sqlite3.Error as error:
        raise StoreError(f"{str(path)!r} cannot be copied: {error}") from error
    finally:
        store.close()
    return target.stat().st_size
