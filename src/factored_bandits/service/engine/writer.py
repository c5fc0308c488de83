"""The loop that makes events of requests: lock, fold, apply, commit, and only then answer.

A commit that fails may have happened: the connection can be lost between the database and us. The
transaction wrote its own random number into its events, so the next look at the log says which.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field

from factored_bandits.errors import ExperimentError, StoreError
from factored_bandits.service.store import Event, Experiment, Store, Transaction

from .batch import Answers, Batch, plain
from .breaker import FAILURES, Breaker
from .fold import Fold
from .handle import LOGGER, Handle
from .meter import Meter
from .queue import MOST, Queue
from .requests import Rebase, Request

AGENT_TIME = 0.02  # seconds of work in one transaction, about
SNAPSHOT_EVERY = 2000  # events
MARK = 47  # bits of the number of a transaction; SQLite keeps them in six bytes
PAUSE = 0.01  # seconds between two attempts; doubled each time
LONGEST_PAUSE = 1.0

Group = tuple[Handle, list[Request]]


@dataclass
class Attempt:
    """What a transaction would say, once it is known to have happened."""

    answers: Answers = field(default_factory=list)
    left: list[tuple[int, list[Request]]] = field(default_factory=list)  # for the next batch
    batches: list[tuple[Handle, Fold, Batch]] = field(default_factory=list)
    alone: bool = True  # whether nobody else has written meanwhile
    # where to look for the transaction if its commit fails: experiment, event, own number
    mark: tuple[int, int, int] | None = None


class CulpritError(Exception):
    """An agent that raised an error which is not the fault of the one who asked."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class Writer:
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

    def __init__(
        self,
        store: Store,
        queue: Queue,
        breaker: Breaker,
        meter: Meter,
        snapshot_every: int = SNAPSHOT_EVERY,
        agent_time: float = AGENT_TIME,
    ) -> None:
        self._store = store
        self._queue = queue
        self._breaker = breaker
        self._meter = meter
        self._snapshot_every = snapshot_every
        self._agent_time = agent_time
        self._unheard: list[Request] = []  # those who have an answer, and were not woken yet

    def work(self, groups: list[Group], *, more: bool = True) -> None:
        """Answer every request, each with what is in the log, or with an error.

        With `more`, those that come before the experiment is locked are answered, too.
        """
        pause = PAUSE
        failures = 0
        while True:
            attempt = Attempt()
            try:
                self._transact(groups, attempt, more)
                self._breaker.passed()
                self._finish(attempt)
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
                    self._finish(attempt)
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

    # ------------------------------------------------------------ one transaction

    def _transact(self, groups: list[Group], attempt: Attempt, more: bool) -> None:
        try:
            self._transacted(groups, attempt, more)
        finally:
            self.wake()

    def _transacted(self, groups: list[Group], attempt: Attempt, more: bool) -> None:
        tx = self._store.begin()
        rows = [self._locked(tx, handle) for handle, _ in groups]
        if more:
            self._add_those_who_came(groups)
        for (handle, _), row in zip(groups, rows, strict=True):
            handle.is_shared = handle.followed not in (None, row.head)
        attempt.alone = not any(handle.is_shared for handle, _ in groups)
        clock = tx.clock()
        self._meter.clock(clock)
        mark = secrets.randbits(MARK)
        until = time.perf_counter() + self._agent_time

        for (handle, requests), row in zip(groups, rows, strict=True):
            try:
                rebase = any(isinstance(request, Rebase) for request in requests)
                fold = handle.caught_up(tx, row, rebase=rebase)
            except (ExperimentError, StoreError) as error:
                handle.forget()
                attempt.answers += [(request, None, error) for request in requests]
                continue

            batch = Batch(fold, tx, row, max(row.at + 1, clock, fold.at), mark)
            try:
                left = self._apply(batch, requests, until)
            except CulpritError:
                tx.rollback()
                raise
            attempt.answers += batch.answers
            attempt.batches.append((handle, fold, batch))
            if left:
                attempt.left.append((handle.id, left))

        self._commit(tx, attempt, mark)

    def _locked(self, tx: Transaction, handle: Handle) -> Experiment:
        after = handle.followed if handle.is_shared else None
        if self._unheard:
            row = tx.try_lock(handle.id, after)
            if row is not None:
                return row
            self.wake()  # it may take a while until somebody else is done
        return tx.lock(handle.id, after)

    def _add_those_who_came(self, groups: list[Group]) -> None:
        """While another process had the lock, more came; each transaction saved is a turn saved."""
        most = MOST // len(groups)
        for handle, requests in groups:
            if len(requests) < most:
                requests += self._queue.take_more(handle.id, most - len(requests))

    def _apply(self, batch: Batch, requests: list[Request], until: float) -> list[Request]:
        """Do the requests; gives back those for which no time is left."""
        try:
            batch.expire_due()
            batch.look_up(requests)
            return batch.work(requests, until)
        except self._store.errors:
            raise
        except Exception as error:
            raise CulpritError(error) from error

    def _commit(self, tx: Transaction, attempt: Attempt, mark: int) -> None:
        changed = [batch for _, _, batch in attempt.batches if batch.events]
        if not changed:
            tx.rollback()
            return

        for batch in changed:
            batch.write(self._snapshot_every)
        attempt.mark = (changed[0].row.id, changed[0].events[0].n, mark)
        self.wake()
        tx.commit()

    def _finish(self, attempt: Attempt) -> None:
        for number, left in attempt.left:
            self._queue.put_back(number, left)
        for handle, fold, batch in attempt.batches:
            handle.set_due(fold, any(event.kind == "ask" for event in batch.events))
        logs = [(handle.key, batch.events) for handle, _, batch in attempt.batches]
        self._meter.batch(len(attempt.answers), logs)
        self._put(attempt.answers)
        # Those who are woken want the processor. If more waits and nobody else writes, the next
        # transaction is ready soon; then they are woken while that goes to the disk.
        if not attempt.alone:
            self.wake()

    def _answer(self, answers: Answers) -> None:
        """Put all answers, then wake all who wait."""
        self._put(answers)
        self.wake()

    def _put(self, answers: Answers) -> None:
        for request, value, error in answers:
            request.waiter.put(value, error)
            self._unheard.append(request)

    @property
    def has_unheard(self) -> bool:
        """Whether somebody has an answer and does not know of it."""
        return bool(self._unheard)

    def wake(self) -> None:
        """Wake all who have an answer and do not know of it."""
        unheard = self._unheard
        self._unheard = []
        for request in unheard:
            request.waiter.wake()

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
                if all(request.is_over for _, requests in groups for request in requests):
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
