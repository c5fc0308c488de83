"""What the engine needs of a database: a log per experiment, snapshots, and a few questions.

A log only grows. Its events are numbered from 1 without gaps, and the number is the fence: a second
event with the same number is refused, whoever wrote the first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Protocol

from .data import AccessKey, Event, Experiment, Snapshot
from .derived import Derived


class Transaction(Derived, Protocol):
    """All or nothing; ended by `commit` or `rollback`."""

    def lock(self, experiment: int, after: int | None = None) -> Experiment:
        """Keep all other writers from an experiment; gives its present row.

        Who will ask for the events after number `after` says so: they may come along.
        """

    def try_lock(self, experiment: int, after: int | None = None) -> Experiment | None:
        """The same, but None at once if another writer has the experiment."""

    def clock(self) -> int:
        """Microseconds since 1970, read now: after the lock, which may have taken a while."""

    def mark(self, experiment: int, n: int) -> int | None:
        """The number of the transaction that wrote an event; None if there is no such event."""

    def events(self, experiment: int, after: int, most: int) -> list[Event]:
        """The events after number `after` in their order, `most` of them at most."""

    def snapshot(self, experiment: int) -> Snapshot | None:
        """The last snapshot, if there is one."""

    def asked_by_units(self, experiment: int, units: Collection[bytes]) -> dict[bytes, Event]:
        """The asks that were made for units; those that never asked are missing."""

    def asked_by_keys(self, experiment: int, keys: Collection[bytes]) -> dict[bytes, Event]:
        """The asks with idempotency keys."""

    def asked(self, experiment: int, decision: int) -> Event | None:
        """The ask that is a decision."""

    def settled(self, experiment: int, decision: int) -> Event | None:
        """The tell or the expire that settled a decision."""

    def late(self, experiment: int, decision: int) -> Event | None:
        """The reward that came after a decision had expired."""

    def counts(self, experiment: int) -> dict[str, int]:
        """How many events there are of each kind."""

    def append(self, row: Experiment, expected: int, events: list[Event]) -> None:
        """Append events if `expected` is the head; `row` is the experiment afterwards."""

    def save_snapshot(self, experiment: int, snapshot: Snapshot) -> None:
        """Replace the snapshot of an experiment."""

    def commit(self) -> None:
        """Make everything last. An error leaves open whether it did."""

    def rollback(self) -> None:
        """Undo everything."""


class Session(Protocol):
    """A connection that an event loop has to itself: greenlets of its thread wait for answers."""

    errors: tuple[type[Exception], ...]

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Belong to an event loop; called in its thread."""

    def begin(self) -> Transaction:
        """A transaction that may write; while it waits, the event loop goes on."""

    def close(self) -> None:
        """Give the connection back."""


class Store(Protocol):
    """A database with experiments.

    Attributes
    ----------
    errors
        What its driver raises when something is wrong with the database.
    one_writer
        Whether all experiments share one writer and one transaction.
    name
        What a message calls it; no password is in it.
    """

    errors: tuple[type[Exception], ...]
    one_writer: bool
    name: str

    def begin(self) -> Transaction:
        """A transaction that may write; connects if there is no connection."""

    def reading(self) -> Transaction:
        """A transaction that only reads, and keeps nobody from writing; ended by `rollback`."""

    def session(self) -> Session | None:
        """A new connection for an event loop; None if a thread has to wait for this database."""

    def reconnect(self) -> None:
        """Forget the connection of this thread: something is wrong with it."""

    def is_hopeless(self, error: Exception) -> bool:
        """Whether trying again at once cannot help, as with a full disk."""

    def is_away(self, error: Exception) -> bool:
        """Whether the database cannot be reached, as against refusing what is asked of it."""

    def create(self, key: str, config: str, fingerprint: str) -> Experiment:
        """Create an experiment, unless there is one with this key; gives the one that is there."""

    def find(self, key: str) -> Experiment | None:
        """The experiment with a key."""

    def experiments(self) -> list[Experiment]:
        """All experiments, by key."""

    def secret(self) -> bytes:
        """The key of the hashes of this database; the same for all who open it."""

    def adopt_secret(self, secret: bytes) -> None:
        """Take the secret of another database; nothing happens once there are experiments."""

    def add_key(self, key: AccessKey) -> None:
        """Let somebody use the service."""

    def remove_key(self, name: str) -> None:
        """Take the key with a name away."""

    def keys(self) -> list[AccessKey]:
        """All who may use the service."""

    def close(self) -> None:
        """Give back everything."""
