"""Experiments in PostgreSQL: any number of processes write, one experiment per transaction."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from typing import Any

from factored_bandits.errors import MissingExtraError, StoreError

from . import migrations
from .data import AccessKey, Event, Experiment, Found, Snapshot
from .derived import Derived
from .rows import EVENT, EXPERIMENT, event_of, experiment_of, row_of

try:
    import psycopg
    from psycopg import sql
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
except ImportError:
    raise MissingExtraError.of("psycopg", "postgres", "a postgresql:// database") from None

SCHEMA = "factored_bandits"
MIGRATING = 0x66624231  # of an advisory lock: two programs that start at once
FEW = 8  # rows up to which INSERT is quicker than COPY
HOPELESS = ("53100", "25006")  # the disk is full; the database is read-only
AWAY = ("08", "57P", "53300")  # connection errors, operator intervention, too many connections
# A process that is frozen holds its lock until the server ends its session; keepalive packets end
# one whose machine is gone.
CONNECTION: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "application_name": "factored-bandits",
}
TIMEOUTS = {
    "lock_timeout": "8s",
    "statement_timeout": "15s",
    "idle_in_transaction_session_timeout": "5s",
}
# a server may be set up to answer before a commit is on its disk
FLUSHED = (
    "SELECT set_config('synchronous_commit', 'on', false) "
    "WHERE current_setting('synchronous_commit') = 'off'"
)
NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

Clock = Callable[[], int]
Connect = Callable[..., Any]


class PostgresStore:
    """A schema of a PostgreSQL database.

    Parameters
    ----------
    location
        A URL such as "postgresql://user@host/name", or another conninfo of libpq.
    read_only
        Only look, at everything as of one moment.
    schema
        Where the tables are; it is created if need be.
    clock
        Gives microseconds since 1970; by default the server's, read after the lock.
    connect
        Makes connections, as `psycopg.connect` does.
    timeouts
        Settings of the session: how long to wait for a lock, for a statement, and for a process
        that says nothing in the middle of a transaction.
    """

    errors: tuple[type[Exception], ...] = (psycopg.Error,)
    one_writer = False

    def __init__(
        self,
        location: str,
        *,
        read_only: bool = False,
        schema: str = SCHEMA,
        clock: Clock | None = None,
        connect: Connect = psycopg.connect,
        timeouts: dict[str, str] | None = None,
    ) -> None:
        self._location = location
        self._read_only = read_only
        self._schema = schema
        self._clock = clock
        self._connect = connect
        self._timeouts = {**TIMEOUTS, **(timeouts or {})}
        self._connections: dict[int, Any] = {}
        try:
            self.name = _without_password(location)
            self._prepare()
        except psycopg.Error as error:
            self.close()
            shown = str(error).strip().splitlines()[0]
            raise StoreError(f"the database {self.name!r} cannot be used: {shown}") from error
        except BaseException:
            self.close()
            raise

    # ------------------------------------------------------------ connection and version

    def _connected(self) -> Any:
        thread = threading.get_ident()
        if thread not in self._connections:
            settings = {**self._timeouts, "search_path": self._schema}
            given = conninfo_to_dict(self._location).get("options") or ""
            options = " ".join(
                [str(given), *(f"-c {name}={value}" for name, value in settings.items())]
            )
            conninfo = make_conninfo(self._location, **CONNECTION, options=options)
            self._connections[thread] = self._connect(conninfo, autocommit=True)
            self._connections[thread].execute(FLUSHED)
        return self._connections[thread]

    def _prepare(self) -> None:
        newest = len(migrations.POSTGRES)
        version = self._version()
        if version > newest:
            raise StoreError(
                f"{self.name!r} has tables of version {version}; this library knows up to "
                f"{newest}. Install a newer one"
            )
        if version == newest:
            return
        if self._read_only:
            raise StoreError(
                f"{self.name!r} has tables of version {version}, this library's are {newest}: "
                "open it with fb.open once, which brings it up to date"
            )
        self.migrate(newest)

    def _version(self) -> int:
        made = self._connected()
        if made.execute("SELECT to_regclass('meta')").fetchone()[0] is None:
            return 0
        row = made.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()
        return int(bytes(row[0]))

    def migrate(self, target: int) -> None:
        """Take the steps that the tables lack, all or none; programs that start at once wait."""
        made = self._connected()
        made.execute("BEGIN")
        made.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATING,))
        schema = sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(self._schema))
        made.execute(schema)
        version = self._version()
        for step in migrations.POSTGRES[version:target]:
            for statement in step:
                made.execute(statement)
        if version == 0:
            secret = secrets.token_bytes(32)
            made.execute("INSERT INTO meta VALUES ('secret', %s), ('version', '')", (secret,))
        number = str(max(version, target)).encode()
        made.execute("UPDATE meta SET value = %s WHERE name = 'version'", (number,))
        made.execute("COMMIT")

    def reconnect(self) -> None:
        """Forget the connection of this thread; the server undoes what was not committed."""
        made = self._connections.pop(threading.get_ident(), None)
        if made is not None:
            made.close()

    def close(self) -> None:
        """Give back all connections."""
        while self._connections:
            self._connections.popitem()[1].close()

    def is_hopeless(self, error: Exception) -> bool:
        """Whether the disk is full, or the database is read-only."""
        return getattr(error, "sqlstate", None) in HOPELESS

    def is_away(self, error: Exception) -> bool:
        """Whether there is no server, or it is starting, ending, or takes no more connections."""
        if not isinstance(error, psycopg.OperationalError):
            return False
        return error.sqlstate is None or error.sqlstate.startswith(AWAY)

    # ------------------------------------------------------------ experiments

    def begin(self) -> PostgresTransaction:
        """A transaction; the lock of its experiment comes next."""
        if self._read_only:
            return self.reading()
        made = self._connected()
        made.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
        return PostgresTransaction(made, self._clock, read_only=False)

    def reading(self) -> PostgresTransaction:
        """A transaction that only reads, everything as of one moment."""
        made = self._connected()
        made.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        return PostgresTransaction(made, self._clock, read_only=True)

    def create(self, key: str, config: str, fingerprint: str) -> Experiment:
        """Create an experiment, unless there is one with this key; gives the one that is there."""
        self._connected().execute(
            "INSERT INTO experiment (key, config, fingerprint, status, head, at) "
            "VALUES (%s, %s, %s, 'running', 0, 0) ON CONFLICT (key) DO NOTHING",
            (key, config, fingerprint),
        )
        found = self.find(key)
        assert found is not None, "it was there or was just created"
        return found

    def find(self, key: str) -> Experiment | None:
        """The experiment with a key."""
        query = f"SELECT {EXPERIMENT} FROM experiment WHERE key = %s"
        row = self._connected().execute(query, (key,)).fetchone()
        return None if row is None else experiment_of(row)

    def experiments(self) -> list[Experiment]:
        """All experiments, by key."""
        query = f'SELECT {EXPERIMENT} FROM experiment ORDER BY key COLLATE "C"'
        return [experiment_of(row) for row in self._connected().execute(query).fetchall()]

    def secret(self) -> bytes:
        """The key of the hashes of this database."""
        query = "SELECT value FROM meta WHERE name = 'secret'"
        return bytes(self._connected().execute(query).fetchone()[0])

    def add_key(self, key: AccessKey) -> None:
        """Let somebody use the service."""
        self._connected().execute("INSERT INTO access VALUES (%s, %s, %s)", tuple(key))

    def remove_key(self, name: str) -> None:
        """Take a key away."""
        self._connected().execute("DELETE FROM access WHERE name = %s", (name,))

    def keys(self) -> list[AccessKey]:
        """All who may use the service."""
        rows = self._connected().execute("SELECT digest, name, role FROM access").fetchall()
        return [AccessKey(bytes(digest), name, role) for digest, name, role in rows]

    def adopt_secret(self, secret: bytes) -> None:
        """Hash units as another database does; only while there are no experiments."""
        self._connected().execute(
            "UPDATE meta SET value = %s WHERE name = 'secret' "
            "AND NOT EXISTS (SELECT 1 FROM experiment)",
            (secret,),
        )


class PostgresTransaction(Derived):
    """What happens between BEGIN and COMMIT; `Transaction` describes the methods."""

    def __init__(self, connection: Any, clock: Clock | None, read_only: bool) -> None:
        self._connection = connection
        self._clock = clock
        self._read_only = read_only

    _by_code = ' COLLATE "C"'

    def _one(self, query: str, *given: Any) -> Any:
        return self._connection.execute(query, given).fetchone()

    def _rows(self, query: str, *given: Any) -> list[Any]:
        return list(self._connection.execute(query.replace("?", "%s"), given).fetchall())

    def _change(self, query: str, *given: Any) -> int:
        return int(self._connection.execute(query.replace("?", "%s"), given).rowcount)

    def _event(self, condition: str, *given: Any) -> Event | None:
        row = self._one(f"SELECT {EVENT} FROM event WHERE exp = %s AND {condition}", *given)
        return None if row is None else event_of(row)

    def lock(self, experiment: int) -> Experiment:
        """The row, locked until the end of the transaction."""
        query = f"SELECT {EXPERIMENT} FROM experiment WHERE id = %s"
        row = self._one(query if self._read_only else f"{query} FOR UPDATE", experiment)
        if row is None:
            raise StoreError(f"the experiment with number {experiment} is gone from the database")
        return experiment_of(row)

    def clock(self) -> int:
        """In a statement of its own after the lock: now() would be the time of BEGIN."""
        return int(self._one(NOW)[0]) if self._clock is None else self._clock()

    def mark(self, experiment: int, n: int) -> int | None:
        """The transaction that wrote an event."""
        row = self._one("SELECT tx FROM event WHERE exp = %s AND n = %s", experiment, n)
        return None if row is None else int(row[0])

    def events(self, experiment: int, after: int, most: int) -> list[Event]:
        """The next events of a log."""
        query = f"SELECT {EVENT} FROM event WHERE exp = %s AND n > %s ORDER BY n LIMIT %s"
        rows = self._connection.execute(query, (experiment, after, most)).fetchall()
        return [event_of(row) for row in rows]

    def snapshot(self, experiment: int) -> Snapshot | None:
        """The last snapshot."""
        row = self._one("SELECT n, body FROM snapshot WHERE exp = %s", experiment)
        return None if row is None else Snapshot(*row)

    def asked_by_unit(self, experiment: int, unit: bytes) -> Event | None:
        """The ask of a unit."""
        return self._event("unit = %s AND kind = 'ask'", experiment, unit)

    def asked_by_key(self, experiment: int, idem: bytes) -> Event | None:
        """The ask with an idempotency key."""
        return self._event("idem = %s AND kind = 'ask'", experiment, idem)

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
        return dict(self._connection.execute(query, (experiment,)).fetchall())

    def execute(self, statement: str, *given: Any) -> Found:
        """A statement about the tables beside the log."""
        done = self._connection.execute(statement.replace("?", "%s"), given)
        return Found([] if done.description is None else done.fetchall(), done.rowcount)

    def append(self, row: Experiment, expected: int, events: list[Event]) -> None:
        """Append events at the head."""
        rows = [row_of(row.id, event) for event in events]
        columns = f"exp, {EVENT}"
        with self._connection.cursor() as cursor:
            if len(rows) <= FEW:
                marks = ", ".join(["%s"] * len(rows[0]))
                for each in rows:
                    cursor.execute(f"INSERT INTO event ({columns}) VALUES ({marks})", each)
            else:
                with cursor.copy(f"COPY event ({columns}) FROM STDIN") as copy:
                    for each in rows:
                        copy.write_row(each)

        changed = self._connection.execute(
            "UPDATE experiment SET status = %s, reason = %s, fingerprint = %s, head = %s, at = %s "
            "WHERE id = %s AND head = %s",
            (row.status, row.reason, row.fingerprint, row.head, row.at, row.id, expected),
        )
        if changed.rowcount != 1:
            raise psycopg.IntegrityError(f"the head of {row.key!r} is no longer {expected}")

    def save_snapshot(self, experiment: int, snapshot: Snapshot) -> None:
        """Replace the snapshot."""
        self._connection.execute(
            "INSERT INTO snapshot VALUES (%s, %s, %s) "
            "ON CONFLICT (exp) DO UPDATE SET n = excluded.n, body = excluded.body",
            (experiment, *snapshot),
        )

    def commit(self) -> None:
        """Write and flush."""
        # after a failed statement the server answers COMMIT with ROLLBACK, and no error
        said = self._connection.execute("COMMIT").statusmessage
        if said != "COMMIT":
            raise psycopg.InternalError(f"COMMIT was answered by {said}")

    def rollback(self) -> None:
        """Undo everything."""
        self._connection.execute("ROLLBACK")


def _without_password(location: str) -> str:
    """What a message may show of a location."""
    try:
        parts = conninfo_to_dict(location)
    except psycopg.ProgrammingError as error:
        raise StoreError(f"this is no address of a PostgreSQL database: {error}") from None
    user = f"{parts['user']}@" if parts.get("user") else ""
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"postgresql://{user}{parts.get('host') or ''}{port}/{parts.get('dbname') or ''}"
