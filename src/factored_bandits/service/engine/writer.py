"""Whoever answers requests, whatever goes wrong.

A commit that fails may have happened: the connection can be lost between the database and us. The
transaction wrote its own random number into its events, so the next look at the log says which.
"""

from __future__ import annotations

import secrets
import time

from factored_bandits.errors import ExperimentError, StoreError
from factored_bandits.service.store import Event, Store

from .batch import Answers, plain
from .breaker import FAILURES, Breaker
from .handle import LOGGER, Handle
from .meter import Meter
from .queue import Queue
from .transacting import (
    AGENT_TIME,
    MARK,
    SNAPSHOT_EVERY,
    Attempt,
    CulpritError,
    Group,
    Transacting,
)

PAUSE = 0.01  # seconds between two attempts; doubled each time
LONGEST_PAUSE = 1.0


class Writer(Transacting):
    """Answers requests to experiments of one store; a thread has one of its own.

    Parameters
    ----------
    store
        Where the experiments are.
    queue
        Has what came meanwhile, and takes requests that are left for the next batch.
    breaker
        Is told whether the database can be reached.
    meter
        Counts what is done.
    snapshot_every
        A snapshot whenever the log has grown by that many events.
    agent_time
        Seconds that the agents may take in one transaction, about.
    """

    _store: Store

    def __init__(
        self,
        store: Store,
        queue: Queue,
        breaker: Breaker,
        meter: Meter,
        snapshot_every: int = SNAPSHOT_EVERY,
        agent_time: float = AGENT_TIME,
    ) -> None:
        super().__init__(store, queue, meter, snapshot_every, agent_time)
        self._breaker = breaker

    def work(
        self,
        groups: list[Group],
        *,
        more: bool = True,
        ended: tuple[Attempt, Exception] | None = None,
    ) -> None:
        """Answer every request, each with what is in the log, or with an error.

        With `more`, those that come before the experiment is locked are answered, too. `ended` is
        an attempt of somebody else, and the error that it has ended with.
        """
        pause = PAUSE
        failures = 0
        while True:
            attempt = Attempt()
            try:
                if ended is not None:
                    (attempt, error), ended = ended, None
                    raise error
                self.transact(groups, attempt, more=more)
                self._breaker.passed()
                self.finish(attempt)
                return
            except CulpritError as culprit:
                self._forget(groups)
                self._one_by_one(groups, culprit.error)
                return
            except self._store.errors as error:
                self._forget(groups)
                failures += self._store.is_away(error)
                if failures >= FAILURES:
                    self._breaker.failed()
                if self._has_happened(groups, attempt, error):
                    self.finish(attempt)
                    return
                groups = self._still_wanted(groups, attempt, error)
                if not any(requests for _, requests in groups):
                    return
            except Exception as error:
                LOGGER.exception("the writer of %s failed", self._store.name)
                self._forget(groups)
                self._store.reconnect()
                self._answer([(each, None, error) for _, requests in groups for each in requests])
                return
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def probe(self) -> bool:
        """Look whether the database is back; whether it is."""
        try:
            self._store.begin().rollback()
        except self._store.errors:
            self._store.reconnect()
            return False
        return self._breaker.passed()

    # ------------------------------------------------------------ when something goes wrong

    def _forget(self, groups: list[Group]) -> None:
        """What is in memory is not what is in the log; the next transaction reads it again."""
        for handle, _ in groups:
            handle.forget()

    def _has_happened(self, groups: list[Group], attempt: Attempt, error: Exception) -> bool:
        """Whether a transaction was committed, though its commit ended with an error."""
        LOGGER.warning("the database %s: %s", self._store.name, error)
        self._store.reconnect()
        if attempt.mark is None:
            return False

        experiment, n, mark = attempt.mark
        hopeless = self._store.is_hopeless(error)
        pause = PAUSE
        while True:
            try:
                tx = self._store.begin()
                tx.lock(experiment)  # waits for the end of the transaction, if it still runs
                found = tx.mark(experiment, n)
                tx.rollback()
                self._breaker.passed()
                return found == mark
            except self._store.errors as next_error:
                self._store.reconnect()
                if self._store.is_away(next_error):
                    self._breaker.failed()
                LOGGER.warning("the database %s: %s", self._store.name, next_error)
                over = all(request.is_over for _, requests in groups for request in requests)
                if over or (hopeless and self._store.is_hopeless(next_error)):
                    attempt.answers = []
                    return False
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)

    def _still_wanted(self, groups: list[Group], attempt: Attempt, error: Exception) -> list[Group]:
        """The requests that are worth another attempt; the others hear of the error."""
        hopeless = self._store.is_hopeless(error)
        stored = "Nothing was stored"
        if attempt.mark is not None and not hopeless:
            stored = (
                "It is not known whether this was stored; the same call again, with the same unit "
                "or key, has the same answer"
            )
        said = StoreError(f"the database {self._store.name!r} cannot be used: {error}. {stored}")
        said.__cause__ = error
        away = self._breaker.error()
        turned_away = self._breaker.is_open and attempt.mark is None

        wanted: list[Group] = []
        given_up: Answers = []
        for handle, requests in groups:
            kept = []
            for request in requests:
                if turned_away and not request.patient:
                    given_up.append((request, None, away))
                elif hopeless or request.is_over:
                    given_up.append((request, None, said))
                else:
                    kept.append(request)
            wanted.append((handle, kept))
        self._answer(given_up)
        return wanted

    def _one_by_one(self, groups: list[Group], error: Exception) -> None:
        """Redo what a failing agent has spoilt, and pause the experiment that it belongs to."""
        if len(groups) > 1:
            for group in groups:
                self.work([group], more=False)
            return

        handle, requests = groups[0]
        if len(requests) > 1:
            for request in requests:
                self.work([(handle, [request])], more=False)
            return

        reason = plain(f"{type(error).__name__}: {error}")
        LOGGER.error("the experiment %r is paused: %s", handle.key, reason, exc_info=error)
        self._pause(handle, reason)
        said = ExperimentError(f"the experiment {handle.key!r} is paused: {reason}")
        said.__cause__ = error
        self._answer([(request, None, said) for request in requests])

    def _pause(self, handle: Handle, reason: str | None) -> None:
        """Write a pause, without the agent. If that fails, the next request fails alike."""
        try:
            tx = self._store.begin()
            row = tx.lock(handle.id)
            if row.status != "running":
                tx.rollback()
                return
            at = max(row.at + 1, tx.clock())
            event = Event(row.head + 1, at, secrets.randbits(MARK), "pause", body=reason)
            paused = row._replace(status="paused", reason=reason, head=row.head + 1, at=at)
            tx.append(paused, row.head, [event])
            tx.commit()
        except self._store.errors as error:
            self._store.reconnect()
            LOGGER.warning("the pause of %r could not be written: %s", handle.key, error)
