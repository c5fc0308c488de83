"""Experiments in PostgreSQL: any number of processes write, one experiment per transaction."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from factored_bandits.errors import MissingExtraError, StoreError

from . import migrations
from .data import AccessKey, Experiment
from .rows import EXPERIMENT, experiment_of

try:
    import psycopg
    from psycopg import sql
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
except ImportError:
    raise MissingExtraError.of("psycopg", "postgres", "a postgresql:// database") from None

from .postgres_transaction import Clock, PostgresTransaction

if TYPE_CHECKING:
    from .postgres_session import PostgresSession

SCHEMA = "factored_bandits"
MIGRATING = 0x66624231  # of an advisory lock: two programs that start at once
# the disk is full; the database is read-only; a table is gone, or a right to it
HOPELESS = ("53100", "25006", "42")
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
        self._prepared: dict[int, set[str]] = {}  # statements of each connection
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
            self._connections[thread] = self._new_connection()
            self._prepared[thread] = set()
        return self._connections[thread]

    def _new_connection(self) -> Any:
        settings = {**self._timeouts, "search_path": self._schema}
        given = conninfo_to_dict(self._location).get("options") or ""
        options = " ".join(
            [str(given), *(f"-c {name}={value}" for name, value in settings.items())]
        )
        conninfo = make_conninfo(self._location, **CONNECTION, options=options)
        # a plan that was made for an empty table reads the whole of it when it is large
        made = self._connect(conninfo, autocommit=True, prepare_threshold=None)
        try:
            made.execute(FLUSHED)
        except BaseException:
            made.close()
            raise
        return made

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
        """Whether the disk is full, the database read-only, or a table or a right not there."""
        return (getattr(error, "sqlstate", None) or "").startswith(HOPELESS)

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
        return self._transaction(read_only=False)

    def reading(self) -> PostgresTransaction:
        """A transaction that only reads, everything as of one moment."""
        return self._transaction(read_only=True)

    def session(self) -> PostgresSession:
        """A session whose answers need no thread that waits."""
        from .postgres_session import PostgresSession  # which only a server needs

        return PostgresSession(self._new_connection(), self._clock)

    def _transaction(self, read_only: bool) -> PostgresTransaction:
        connection = self._connected()
        prepared = self._prepared[threading.get_ident()]
        return PostgresTransaction(connection, self._clock, prepared, read_only)

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


def _without_password(location: str) -> str:
    """What a message may show of a location."""
    try:
        parts = conninfo_to_dict(location)
    except psycopg.ProgrammingError as error:
        raise StoreError(f"this is no address of a PostgreSQL database: {error}") from None
    user = f"{parts['user']}@" if parts.get("user") else ""
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"postgresql://{user}{parts.get('host') or ''}{port}/{parts.get('dbname') or ''}"
