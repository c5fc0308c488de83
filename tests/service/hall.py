"""A study with its booth, without HTTP: voters vote one after the other, by a clock of the test."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from factored_bandits.service.api.state import Service
from factored_bandits.service.arena import ballots, tables
from factored_bandits.service.arena.booth import Booth, Ended, booth_of
from factored_bandits.service.arena.making import create, draft_of_texts
from factored_bandits.service.arena.reporting import report
from factored_bandits.service.arena.study import checked_rules
from factored_bandits.service.arena.walk import Walk
from factored_bandits.service.engine import Engine
from factored_bandits.service.store import SqliteStore

SECOND = 1_000_000
T = TypeVar("T")


class Clock:
    """Stands still unless told otherwise."""

    def __init__(self) -> None:
        self.now = 1_700_000_000 * SECOND

    def __call__(self) -> int:
        return self.now

    def go_on(self, seconds: float) -> None:
        self.now += round(seconds * SECOND)


class Hall:
    """One study of candidates that are called A, B, C and so on."""

    def __init__(self, store: Any, names: str = "ABC", policy=None, seed=1, **rules: Any) -> None:
        self.store = store
        texts = {name: f"the text of {name}" for name in names}
        draft = draft_of_texts(checked_rules(**{"title": "a vote", **rules}), texts)
        create(store, "vote", draft, policy, seed)
        self.engine = Engine(store)
        self.service = Service(self.engine)
        self._loop = asyncio.new_event_loop()
        self.run(self.service.start())
        self.booth: Booth = booth_of(self.service)
        self.study = self.run(self.booth.study("vote"))
        self.link = self.changed(tables.add_link, "everybody", None)
        self.count = 0

    def run(self, work: Awaitable[T]) -> T:
        return self._loop.run_until_complete(work)

    def changed(self, work: Any, *given: Any) -> Any:
        """Something with the tables, in a transaction."""
        return tables.changed(self.store, work, self.study.id, *given)

    def voter(self) -> bytes:
        """Somebody who opened the link."""
        self.count += 1
        voter = self.count.to_bytes(12, "big")
        assert self.changed(tables.add_voter, self.link.id, voter) is None
        return voter

    def next(self, voter: bytes) -> Any:
        return self.run(self.booth.next(self.study, voter))

    def vote(self, voter: bytes, ballot: Any, choice: str) -> bool:
        return self.run(self.booth.vote(self.study, voter, ballot.token, choice))

    def judge(self, voter: bytes, taste: Any) -> Any:
        """One vote by `taste(left, right)`; what was shown, or why nothing was."""
        shown = self.next(voter)
        if not isinstance(shown, Ended):
            assert self.vote(voter, shown, taste(*shown.arms))
        return shown

    def settle(self) -> None:
        self.run(self.booth.settle(self.study))

    def report(self) -> Any:
        return self.run(report(self.booth, self.study))

    def walk(self) -> Walk:
        return self.run(self.booth.walk(self.study))

    def log(self) -> list[Any]:
        return tables.looked(self.store, lambda tx: tx.events(self.study.id, 0, 10**6))

    def ballots(self) -> list[Any]:
        return tables.looked(self.store, ballots.of_study, self.study.id)

    def close(self) -> None:
        for timer in self.booth._timers:
            timer.cancel()
        self.run(asyncio.sleep(0))
        self.run(self.service.stop())
        self.engine.close()
        self._loop.close()


def better(left: int, right: int) -> str:
    """The taste of those who like the first name best, and the last one least."""
    return "1" if left < right else "2"


def in_file(folder: Any, clock: Any = None, **options: Any) -> Hall:
    """A study in a new file."""
    store = SqliteStore(folder / "votes.db", **({} if clock is None else {"clock": clock}))
    return Hall(store, **options)
