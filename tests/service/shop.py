"""A small shop for the tests: an engine without threads, a clock by hand, and deaths on order."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from factored_bandits.service.config import made
from factored_bandits.service.durable import DurableAgent
from factored_bandits.service.engine import Engine
from factored_bandits.service.fingerprint import fingerprint
from factored_bandits.service.store import Event, SqliteStore
from factored_bandits.service.verify import verify

MINUTE = 60_000_000  # microseconds
FACTORS = {"headline": ["short", "long"], "button": ["red", "green", "blue"]}
CONFIG: dict[str, Any] = {
    "policy": "tea",
    "factors": FACTORS,
    "ttl": "30m",
    "default": 0.0,
    "seed": 3,
}


class Death(BaseException):
    """The process is no more; nobody may catch this."""


class Faults:
    """Counts statements, and does something before or after one of them.

    `kind` "death": the process ends there; "error": the driver says that the connection is lost.
    """

    def __init__(self, at: int = 0, *, after: bool = False, kind: str = "death") -> None:
        self.at = at
        self.after = after
        self.kind = kind
        self.count = 0
        self.statements: list[str] = []
        self.error: Exception = AssertionError("no connection says how it is lost")

    def around(self, statement: str, run: Callable[[], Any]) -> Any:
        self.count += 1
        self.statements.append(statement)
        if self.count != self.at:
            return run()
        if self.after:
            run()
        if self.kind == "death":
            raise Death
        raise self.error


class Connection:
    """A connection whose statements are counted. It does not flush: nobody pulls a plug here."""

    def __init__(self, real: sqlite3.Connection, faults: Faults) -> None:
        self._real = real
        self._faults = faults

    def execute(self, statement: str, *args: Any) -> Any:
        if statement.startswith("PRAGMA"):
            return self._real.execute(statement.replace("FULL", "OFF"), *args)
        return self._faults.around(statement, lambda: self._real.execute(statement, *args))

    def close(self) -> None:
        self._real.close()


class Shop:
    """An experiment in a file; `open` it again after a death."""

    def __init__(self, path: Path, config: dict[str, Any] = CONFIG, **engine: Any) -> None:
        self.path = path
        self.now = 1_000 * MINUTE
        self.config, self.module = made(config, {})
        self.engine_arguments = {"snapshot_every": 7, **engine}
        self.faults = Faults()
        self.engine: Engine
        self.agent: DurableAgent
        self.open()

    def open(self) -> None:
        store = self.store()
        self.engine = self.new_engine(store)
        row = store.create("home", self.config.text(), fingerprint())
        handle = self.engine.serve(row, self.module, compiled=False)
        self.agent = DurableAgent(self.engine, handle, timeout=2.0, release=lambda: None)

    def new_engine(self, store: Any) -> Engine:
        return Engine(store, writers=0, **self.engine_arguments)

    def store(self, read_only: bool = False) -> Any:
        if read_only:
            return SqliteStore(self.path, read_only=True)
        return SqliteStore(self.path, clock=lambda: self.now, connect=self.connect)

    def connect(self, *args: Any, **kwargs: Any) -> Any:
        return Connection(sqlite3.connect(*args, **kwargs), self.relay())

    def relay(self) -> Faults:
        return Relay(self)

    def lost(self) -> Exception:
        """What the driver says when the connection is lost."""
        return sqlite3.OperationalError("connection lost, by order")

    def die(self) -> None:
        """Lose everything that is in memory, and the connection."""
        self.engine.store.close()

    def reopen(self) -> None:
        self.die()
        self.open()

    def log(self) -> list[Event]:
        store = self.store(read_only=True)
        tx = store.begin()
        events = tx.events(1, 0, 10**6)
        store.close()
        return events

    def verify(self) -> Any:
        store = self.store(read_only=True)
        tx = store.begin()
        found = verify(tx, tx.lock(1), self.module)
        store.close()
        return found

    def close(self) -> None:
        self.engine.close()


class Relay(Faults):
    """The faults that the shop has at that moment."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop

    def around(self, statement: str, run: Callable[[], Any]) -> Any:
        self._shop.faults.error = self._shop.lost()
        return self._shop.faults.around(statement, run)


Make = Callable[..., Shop]


def shops(folder: Path) -> Make:
    """Makes shops in files of this folder."""
    numbers = itertools.count()
    return lambda config=CONFIG, **engine: Shop(folder / f"{next(numbers)}.db", config, **engine)
