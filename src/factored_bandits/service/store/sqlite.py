"""Experiments in a file: SQLite with a write-ahead log, flushed at every commit."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from factored_bandits.errors import StoreError

from . import migrations
from .data import AccessKey, Event, Experiment, Found, Snapshot
from .derived import TAIL, TAIL_COLUMNS, Derived, Settled
from .lock import ProcessLock
from .rows import COLUMNS, EVENT, EXPERIMENT, event_of, experiment_of, row_of

APPLICATION = 0x66624231  # how a database says whose it is
# Events that are appended by one statement: that takes little more than half of the time, and other
# threads have the interpreter once instead of once for each.
TOGETHER = (64, 16, 4, 1)
ROW = f"({', '.join('?' * COLUMNS)})"
INSERT = {size: f"INSERT INTO event VALUES {', '.join([ROW] * size)}" for size in TOGETHER}
HOPELESS = (
    "SQLITE_FULL",
    "SQLITE_IOERR",
    "SQLITE_READONLY",
    "SQLITE_CORRUPT",
    "SQLITE_NOTADB",
    "SQLITE_ERROR",  # a table is gone, say
)

Clock = Callable[[], int]
Connect = Callable[..., Any]


def wall_clock() -> int:
    """Microseconds since 1970."""
    return time.time_ns() // 1000


class SqliteStore:
    """A database file; one process may write it, any number may read.

    Parameters
    ----------
    path
        The file; it is created if need be, with the folder it lies in.
    read_only
        Only look; takes no lock, so that a running program is not disturbed.
    clock
        Gives microseconds since 1970.
    connect
        Makes connections, as `sqlite3.connect` does.
    """

    errors: tuple[type[Exception], ...] = (sqlite3.Error,)
    one_writer = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        read_only: bool = False,
        clock: Clock = wall_clock,
        connect: Connect = sqlite3.connect,
    ) -> None:
        self.path = Path(path)
        self.name = str(path)
        self.clock = clock
        self._connect = connect
        self._read_only = read_only
        # one for each thread: a transaction of one is not to be seen by another
        self._connections: dict[int, Any] = {}
        self._lock: ProcessLock | None = None
        try:
            if read_only:
                if not self.path.is_file():
                    raise StoreError(
                        f"there is no database {self.name!r}; fb.open and `factored-bandits serve` "
                        "make one"
                    )
            else:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._lock = ProcessLock(self.path)
            self._prepare()
        except sqlite3.Error as error:
            self.close()
            raise StoreError(f"{self.name!r} cannot be used as a database: {error}") from error
        except OSError as error:
            self.close()
            raise StoreError(f"{self.name!r} cannot be opened: {error.strerror}") from error
        except BaseException:
            self.close()
            raise

    # ------------------------------------------------------------ connection and version

    def _connected(self) -> Any:
        thread = threading.get_ident()
        if thread not in self._connections:
            mode = "ro" if self._read_only else "rwc"
            address = f"{self.path.absolute().as_uri()}?mode={mode}"
            made = self._connect(address, uri=True, isolation_level=None, check_same_thread=False)
            made.execute("PRAGMA busy_timeout = 5000")
            if not self._read_only:
                made.execute("PRAGMA journal_mode = WAL")
                # every commit is on the disk before anybody hears of it
                made.execute("PRAGMA synchronous = FULL")
            self._connections[thread] = made
        return self._connections[thread]

    def _prepare(self) -> None:
        """Check whose database it is, and bring its tables up to date."""
        made = self._connected()
        version = made.execute("PRAGMA user_version").fetchone()[0]
        owner = made.execute("PRAGMA application_id").fetchone()[0]
        tables = made.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        newest = len(migrations.SQLITE)

        if owner != APPLICATION and tables:
            raise StoreError(
                f"{self.name!r} is a database of another program; give a new file, or one that "
                "fb.open made"
            )
        if version > newest:
            raise StoreError(
                f"{self.name!r} has tables of version {version}; this library knows up to "
                f"{newest}. Install a newer one"
            )
        if self._read_only:
            if version < newest:
                raise StoreError(
                    f"{self.name!r} has tables of version {version}, this library's are {newest}: "
                    "open it with fb.open once, which brings it up to date"
                )
            return

        if version < newest:
            self.migrate(newest)

    def migrate(self, target: int) -> None:
        """Take the steps that the tables lack, all or none."""
        made = self._connected()
        made.execute("BEGIN IMMEDIATE")
        version = made.execute("PRAGMA user_version").fetchone()[0]
        for step in migrations.SQLITE[version:target]:
            for statement in step:
                made.execute(statement)
        if version == 0:
            made.execute("INSERT INTO meta VALUES ('secret', ?)", (secrets.token_bytes(32),))
        made.execute(f"PRAGMA application_id = {APPLICATION}")
        made.execute(f"PRAGMA user_version = {target}")
        made.execute("COMMIT")

    def session(self) -> None:
        """Nothing can be done while a file is being flushed: that takes a thread."""
        return None

    def reconnect(self) -> None:
        """Forget the connection of this thread; what was not committed is undone."""
        made = self._connections.pop(threading.get_ident(), None)
        if made is not None:
            made.close()

    def close(self) -> None:
        """Give back the file and the lock."""
        while self._connections:
            self._connections.popitem()[1].close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def is_hopeless(self, error: Exception) -> bool:
        """Whether the disk is full or broken, the file not writable, or a table not there."""
        name = getattr(error, "sqlite_errorname", None) or ""
        return name.startswith(HOPELESS)

    def is_away(self, error: Exception) -> bool:
        """Whether the file cannot be opened, as on a share that is gone."""
        return (getattr(error, "sqlite_errorname", None) or "").startswith("SQLITE_CANTOPEN")

    # ------------------------------------------------------------ experiments

    def begin(self) -> SqliteTransaction:
        """A transaction that writes; it waits for no reader."""
        made = self._connected()
        made.execute("BEGIN" if self._read_only else "BEGIN IMMEDIATE")
        return SqliteTransaction(made, self.clock)

    def reading(self) -> SqliteTransaction:
        """A transaction that only reads; it keeps nobody from writing."""
        made = self._connected()
        made.execute("PRAGMA query_only = ON")
        made.execute("BEGIN")
        return SqliteTransaction(made, self.clock, read_only=True)

    def create(self, key: str, config: str, fingerprint: str) -> Experiment:
        """Create an experiment, unless there is one with this key; gives the one that is there."""
        self._connected().execute(
            "INSERT INTO experiment (key, config, fingerprint, status, head, at) "
            "VALUES (?, ?, ?, 'running', 0, 0) ON CONFLICT (key) DO NOTHING",
            (key, config, fingerprint),
        )
        found = self.find(key)
        assert found is not None, "it was there or was just created"
        return found

    def find(self, key: str) -> Experiment | None:
        """The experiment with a key."""
        query = f"SELECT {EXPERIMENT} FROM experiment WHERE key = ?"
        row = self._connected().execute(query, (key,)).fetchone()
        return None if row is None else experiment_of(row)

    def experiments(self) -> list[Experiment]:
        """All experiments, by key."""
        rows = self._connected().execute(f"SELECT {EXPERIMENT} FROM experiment ORDER BY key")
        return [experiment_of(row) for row in rows.fetchall()]

    def secret(self) -> bytes:
        """The key of the hashes of this database."""
        query = "SELECT value FROM meta WHERE name = 'secret'"
        return bytes(self._connected().execute(query).fetchone()[0])

    def add_key(self, key: AccessKey) -> None:
        """Let somebody use the service."""
        self._connected().execute("INSERT INTO access VALUES (?, ?, ?)", tuple(key))

    def remove_key(self, name: str) -> None:
        """Take a key away."""
        self._connected().execute("DELETE FROM access WHERE name = ?", (name,))

    def keys(self) -> list[AccessKey]:
        """All who may use the service."""
        rows = self._connected().execute("SELECT digest, name, role FROM access").fetchall()
        return [AccessKey(bytes(digest), name, role) for digest, name, role in rows]

    def adopt_secret(self, secret: bytes) -> None:
        """Hash units as another database does; only while there are no experiments."""
        self._connected().execute(
            "UPDATE meta SET value = ? WHERE name = 'secret' "
            "AND NOT EXISTS (SELECT 1 FROM experiment)",
            (secret,),
        )

    def copy_to(self, other: sqlite3.Connection) -> None:
        """Copy all pages as they are at one moment."""
        self._connected().backup(other)


class SqliteTransaction(Derived):
    """What happens between BEGIN IMMEDIATE and COMMIT; `Transaction` describes the methods."""

    def __init__(self, connection: Any, clock: Clock, read_only: bool = False) -> None:
        self._connection = connection
        self.clock = clock
        self._read_only = read_only

    def _one(self, query: str, *given: Any) -> Any:
        return self._connection.execute(query, given).fetchone()

    def _event(self, condition: str, *given: Any) -> Event | None:
        row = self._one(f"SELECT {EVENT} FROM event WHERE exp = ? AND {condition}", *given)
        return None if row is None else event_of(row)

    def lock(self, experiment: int, after: int | None = None) -> Experiment:
        """The row; BEGIN IMMEDIATE has locked the whole database."""
        row = self._one(f"SELECT {EXPERIMENT} FROM experiment WHERE id = ?", experiment)
        if row is None:
            raise StoreError(f"the experiment with number {experiment} is gone from the database")
        return experiment_of(row)

    def try_lock(self, experiment: int, after: int | None = None) -> Experiment:
        """The row; no other writer can have it."""
        return self.lock(experiment, after)

    def mark(self, experiment: int, n: int) -> int | None:
        """The transaction that wrote an event."""
        row = self._one("SELECT tx FROM event WHERE exp = ? AND n = ?", experiment, n)
        return None if row is None else int(row[0])

    def events(self, experiment: int, after: int, most: int) -> list[Event]:
        """The next events of a log."""
        query = f"SELECT {EVENT} FROM event WHERE exp = ? AND n > ? ORDER BY n LIMIT ?"
        rows: Iterable[Any] = self._connection.execute(query, (experiment, after, most)).fetchall()
        return [event_of(row) for row in rows]

    def snapshot(self, experiment: int) -> Snapshot | None:
        """The last snapshot."""
        row = self._one("SELECT n, body FROM snapshot WHERE exp = ?", experiment)
        return None if row is None else Snapshot(*row)

    def asked_by_units(self, experiment: int, units: Collection[bytes]) -> dict[bytes, Event]:
        """The asks of units."""
        found = {each: self._event("unit = ? AND kind = 'ask'", experiment, each) for each in units}
        return {unit: event for unit, event in found.items() if event is not None}

    def asked_by_keys(self, experiment: int, keys: Collection[bytes]) -> dict[bytes, Event]:
        """The asks with idempotency keys."""
        found = {each: self._event("idem = ? AND kind = 'ask'", experiment, each) for each in keys}
        return {key: event for key, event in found.items() if event is not None}

    def asked(self, experiment: int, decision: int) -> Event | None:
        """The ask that is a decision."""
        return self._event("decision = ? AND kind = 'ask'", experiment, decision)

    def settled(self, experiment: int, decision: int) -> Event | None:
        """The tell or the expire of a decision."""
        return self._event("decision = ? AND kind IN ('tell', 'expire')", experiment, decision)

    def late(self, experiment: int, decision: int) -> Event | None:
        """The late reward of a decision."""
        return self._event("decision = ? AND kind = 'late'", experiment, decision)

    def counts(self, experiment: int) -> dict[str, int]:
        """How many events there are of each kind."""
        query = "SELECT kind, count(*) FROM event WHERE exp = ? GROUP BY kind"
        return dict(self._connection.execute(query, (experiment,)).fetchall())

    def tail(self, experiment: int, after: int, most: int) -> list[Settled]:
        """The next events with their asks; as one row, for which others wait only once."""
        row = self._one(
            TAIL.format(f"json_group_array(json_array({TAIL_COLUMNS}))"), experiment, after, most
        )
        return [Settled(*each) for each in sorted(json.loads(row[0]))]

    def execute(self, statement: str, *given: Any) -> Found:
        """A statement about the tables beside the log."""
        done = self._connection.execute(statement, given)
        return Found(done.fetchall(), done.rowcount)

    def append(self, row: Experiment, expected: int, events: list[Event]) -> None:
        """Append events at the head."""
        rows = [row_of(row.id, event) for event in events]
        done = 0
        for size, statement in INSERT.items():
            while done + size <= len(rows):
                values = chain.from_iterable(rows[done : done + size])
                self._connection.execute(statement, tuple(values))
                done += size
        changed = self._connection.execute(
            "UPDATE experiment SET status = ?, reason = ?, fingerprint = ?, head = ?, at = ? "
            "WHERE id = ? AND head = ?",
            (row.status, row.reason, row.fingerprint, row.head, row.at, row.id, expected),
        )
        if changed.rowcount != 1:
            raise sqlite3.IntegrityError(f"the head of {row.key!r} is no longer {expected}")

    def save_snapshot(self, experiment: int, snapshot: Snapshot) -> None:
        """Replace the snapshot."""
        self._connection.execute(
            "INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?)", (experiment, *snapshot)
        )

    def commit(self) -> None:
        """Write and flush."""
        self._end("COMMIT")

    def rollback(self) -> None:
        """Undo everything."""
        self._end("ROLLBACK")

    def _end(self, how: str) -> None:
        self._connection.execute(how)
        if self._read_only:
            self._connection.execute("PRAGMA query_only = OFF")
