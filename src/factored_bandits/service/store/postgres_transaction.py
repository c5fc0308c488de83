"""A transaction of PostgreSQL in as few round trips as can be.

Each one costs two changes of process, and while it lasts nobody else has the experiment. So BEGIN,
the lock, the clock and the events of others go in one; all events of a batch, the new head and
COMMIT in another. The server does such statements one after another, and none after an error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

import psycopg
from psycopg import sql

from factored_bandits.errors import StoreError

from .data import Event, Experiment, Found, Snapshot
from .derived import Derived
from .rows import (
    EVENT,
    EXPERIMENT,
    Row,
    action_text,
    event_of,
    experiment_of,
    propensity_text,
    text,
)

BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"
BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
PAGE = 1000  # events of others that are read with the lock
NAMES = EVENT.split(", ")
# If the head is not where it is expected, the number of the experiment is NULL: an error. Planning
# takes longer than appending a few events, and this plan, unlike those of look-ups, does not depend
# on how long the log is; so a session prepares it once.
APPENDING = (
    "PREPARE fb_append (text, text, text, bigint, bigint, integer, bigint, json) AS "
    "WITH moved AS (UPDATE experiment SET status = $1, reason = $2, fingerprint = $3, head = $4, "
    "at = $5 WHERE id = $6 AND head = $7 RETURNING id) "
    f"INSERT INTO event (exp, {EVENT}) SELECT (SELECT id FROM moved), "
    f"{', '.join(f'e.{name}' for name in NAMES)} FROM json_to_recordset($8) AS e(n bigint, "
    "at bigint, tx bigint, kind text, decision bigint, unit bytea, idem bytea, action text, "
    "propensity text, body text, who text)"
)
APPEND = sql.SQL("EXECUTE fb_append ({}, {}, {}, {}, {}, {}, {}, {})")
# One by one, though in one statement: without statistics a list is looked for in the whole log.
ASKED_BY = (
    "SELECT e.* FROM unnest(%s::bytea[]) AS wanted(hash) CROSS JOIN LATERAL ("
    f"SELECT {EVENT} FROM event WHERE exp = %s AND {{}} = wanted.hash AND kind = 'ask' LIMIT 1"
    ") AS e"
)
SAVE = sql.SQL(
    "INSERT INTO snapshot VALUES ({}, {}, {}) "
    "ON CONFLICT (exp) DO UPDATE SET n = excluded.n, body = excluded.body"
)

Clock = Callable[[], int]


class PostgresTransaction(Derived):
    """What happens between BEGIN and COMMIT; `Transaction` describes the methods.

    Parameters
    ----------
    connection
        Of psycopg, in autocommit mode.
    clock
        Gives microseconds since 1970; by default the server's, read after the lock.
    prepared
        Statements that the session has prepared; one that this prepares is added.
    read_only
        Only look, at everything as of one moment.
    """

    _by_code = ' COLLATE "C"'

    def __init__(
        self, connection: Any, clock: Clock | None, prepared: set[str], read_only: bool = False
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._prepared = prepared
        self._begin = BEGIN_READING if read_only else BEGIN
        self._for_update = "" if read_only else " FOR UPDATE"
        self._begun = False
        self._now: int | None = None  # read with the lock, and not asked for yet
        self._ahead: tuple[int, int, list[Event]] | None = None  # read with the lock
        self._unsent: list[str] = []  # statements that go with COMMIT

    def _execute(self, query: str, *given: Any) -> Any:
        """A statement, after those that must come before it."""
        before = self._before()
        if before:
            self._connection.execute("; ".join(before))
        return self._connection.execute(query, given)

    def _before(self) -> list[str]:
        """BEGIN, if this is the first statement, and what was not sent yet."""
        before = [*([] if self._begun else [self._begin]), *self._unsent]
        self._begun = True
        self._unsent = []
        return before

    def _write(self, statement: sql.SQL, *given: Any) -> None:
        self._unsent.append(statement.format(*map(sql.Literal, given)).as_string(None))

    def _one(self, query: str, *given: Any) -> Any:
        return self._execute(query, *given).fetchone()

    def execute(self, statement: str, *given: Any) -> Found:
        """A statement about the tables beside the log."""
        done = self._execute(statement.replace("?", "%s"), *given)
        return Found([] if done.description is None else done.fetchall(), done.rowcount)

    def _event(self, condition: str, *given: Any) -> Event | None:
        row = self._one(f"SELECT {EVENT} FROM event WHERE exp = %s AND {condition}", *given)
        return None if row is None else event_of(row)

    def lock(self, experiment: int, after: int | None = None) -> Experiment:
        """The row, locked until the end of the transaction; the clock is read after that."""
        row = self._locked(int(experiment), after, self._for_update)
        if row is None:
            raise StoreError(f"the experiment with number {experiment} is gone from the database")
        return row

    def try_lock(self, experiment: int, after: int | None = None) -> Experiment | None:
        """The row, locked; None if it is locked already, or gone."""
        return self._locked(int(experiment), after, f"{self._for_update} SKIP LOCKED")

    def _locked(self, number: int, after: int | None, how: str) -> Experiment | None:
        statements = self._before()
        skipped = len(statements)
        statements.append(f"SELECT {EXPERIMENT} FROM experiment WHERE id = {number}{how}")
        if self._clock is None:
            # in a statement of its own after the lock: now() would be the time of BEGIN
            statements.append(NOW)
        if after is not None:
            statements.append(
                f"SELECT {EVENT} FROM event WHERE exp = {number} AND n > {after} "
                f"ORDER BY n LIMIT {PAGE}"
            )
        found = iter(_results(self._connection.execute("; ".join(statements)))[skipped:])
        rows = next(found)
        if not rows:
            return None
        if self._clock is None:
            self._now = int(next(found)[0][0])
        if after is not None:
            self._ahead = (number, after, [event_of(row) for row in next(found)])
        return experiment_of(rows[0])

    def clock(self) -> int:
        """The time after the lock."""
        if self._clock is not None:
            return self._clock()
        now = self._now
        self._now = None
        return int(self._one(NOW)[0]) if now is None else now

    def mark(self, experiment: int, n: int) -> int | None:
        """The transaction that wrote an event."""
        row = self._one("SELECT tx FROM event WHERE exp = %s AND n = %s", experiment, n)
        return None if row is None else int(row[0])

    def events(self, experiment: int, after: int, most: int) -> list[Event]:
        """The next events of a log."""
        if self._ahead is not None and self._ahead[:2] == (experiment, after):
            return self._ahead[2][:most]
        query = f"SELECT {EVENT} FROM event WHERE exp = %s AND n > %s ORDER BY n LIMIT %s"
        rows = self._execute(query, experiment, after, most).fetchall()
        return [event_of(row) for row in rows]

    def snapshot(self, experiment: int) -> Snapshot | None:
        """The last snapshot."""
        row = self._one("SELECT n, body FROM snapshot WHERE exp = %s", experiment)
        return None if row is None else Snapshot(*row)

    def asked_by_units(self, experiment: int, units: Collection[bytes]) -> dict[bytes, Event]:
        """The asks of units."""
        rows = self._execute(ASKED_BY.format("unit"), list(units), experiment).fetchall()
        return {event.unit: event for event in map(event_of, rows) if event.unit is not None}

    def asked_by_keys(self, experiment: int, keys: Collection[bytes]) -> dict[bytes, Event]:
        """The asks with idempotency keys."""
        rows = self._execute(ASKED_BY.format("idem"), list(keys), experiment).fetchall()
        return {event.idem: event for event in map(event_of, rows) if event.idem is not None}

    def asked(self, experiment: int, decision: int) -> Event | None:
        """The ask that is a decision."""
        return self._event("decision = %s AND kind = 'ask'", experiment, decision)

    def settled(self, experiment: int, decision: int) -> Event | None:
        """The tell or the expire of a decision."""
        return self._event("decision = %s AND kind IN ('tell', 'expire')", experiment, decision)

    def late(self, experiment: int, decision: int) -> Event | None:
        """The late reward of a decision."""
        return self._event("decision = %s AND kind = 'late'", experiment, decision)

    def counts(self, experiment: int) -> dict[str, int]:
        """How many events there are of each kind."""
        query = "SELECT kind, count(*) FROM event WHERE exp = %s GROUP BY kind"
        return dict(self._execute(query, experiment).fetchall())

    def append(self, row: Experiment, expected: int, events: list[Event]) -> None:
        """Append events at the head; sent with COMMIT, which fails if they are refused."""
        if APPENDING not in self._prepared:
            # by itself, and known at once: it outlasts the transaction, however that ends
            self._execute(APPENDING)
            self._prepared.add(APPENDING)
        documents = ",".join([_document(event) for event in events])
        changed = (row.status, row.reason, row.fingerprint, row.head, row.at)
        self._write(APPEND, *changed, row.id, expected, f"[{documents}]")

    def save_snapshot(self, experiment: int, snapshot: Snapshot) -> None:
        """Replace the snapshot; sent with COMMIT."""
        self._write(SAVE, experiment, *snapshot)

    def commit(self) -> None:
        """Write and flush."""
        cursor = self._connection.execute("; ".join([*self._before(), "COMMIT"]))
        while cursor.nextset():
            pass
        # after a failed statement the server answers COMMIT with ROLLBACK, and no error
        if cursor.statusmessage != "COMMIT":
            raise psycopg.InternalError(f"COMMIT was answered by {cursor.statusmessage}")

    def rollback(self) -> None:
        """Undo everything."""
        self._unsent = []
        self._execute("ROLLBACK")


def _results(cursor: Any) -> list[list[Row]]:
    """The rows of several statements that were sent as one."""
    found = []
    while True:
        found.append([] if cursor.description is None else cursor.fetchall())
        if not cursor.nextset():
            return found


def _document(event: Event) -> str:
    """An event as JSON that the server reads; what is missing is NULL.

    Written by hand, because a dictionary and an encoder take twice as long.
    """
    n, at, tx, kind, decision, unit, idem, action, propensity, body, who = event
    document = f'{{"n":{n},"at":{at},"tx":{tx},"kind":"{kind}"'
    if decision is not None:
        document += f',"decision":{decision}'
    if unit is not None:
        document += rf',"unit":"\\x{unit.hex()}"'
    if idem is not None:
        document += rf',"idem":"\\x{idem.hex()}"'
    if action is not None:
        document += f',"action":"{action_text(action)}"'
    if propensity is not None:
        document += f',"propensity":"{propensity_text(propensity)}"'
    written = text(body)
    if written is not None:
        document += f',"body":{quoted(written)}'
    if who is not None:
        document += f',"who":{quoted(who)}'
    return document + "}"
