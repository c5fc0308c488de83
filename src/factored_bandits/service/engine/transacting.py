"""One transaction: lock, follow the log, make events of requests, commit, and only then answer."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import Protocol

from factored_bandits.errors import ExperimentError, StoreError
from factored_bandits.service.store import Experiment, Transaction

from .batch import Answers, Batch
from .fold import Fold
from .handle import Handle
from .meter import Meter
from .queue import MOST, Queue
from .requests import Rebase, Request

AGENT_TIME = 0.02  # seconds of work in one transaction, about
SNAPSHOT_EVERY = 2000  # events
MARK = 47  # bits of the number of a transaction; SQLite keeps them in six bytes

Group = tuple[Handle, list[Request]]


@dataclass
class Attempt:
    """What a transaction would say, once it is known to have happened."""

    answers: Answers = field(default_factory=list)
    left: list[tuple[int, list[Request]]] = field(default_factory=list)  # for the next batch
    batches: list[tuple[Handle, Fold, Batch]] = field(default_factory=list)
    alone: bool = True  # whether nobody else has written meanwhile
    agent_time: float = 0.0  # seconds that the agents have taken
    agent_work: float = 0.0  # of processor time, with snapshots
    # where to look for the transaction if its commit fails: experiment, event, own number
    mark: tuple[int, int, int] | None = None


class CulpritError(Exception):
    """An agent that raised an error which is not the fault of the one who asked."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class Begins(Protocol):
    """What a transaction needs of a store."""

    errors: tuple[type[Exception], ...]

    def begin(self) -> Transaction:
        """A transaction that may write."""


class Transacting:
    """Does transactions of one store, one after another.

    Parameters
    ----------
    store
        Begins them.
    queue
        Has what came meanwhile, and takes requests that are left for the next batch.
    meter
        Counts what is done.
    snapshot_every
        A snapshot whenever the log has grown by that many events.
    agent_time
        Seconds that the agents may take in one transaction, about.
    """

    _kinds: tuple[type[Request], ...] = (Request,)  # requests that it may do

    def __init__(
        self,
        store: Begins,
        queue: Queue,
        meter: Meter,
        snapshot_every: int = SNAPSHOT_EVERY,
        agent_time: float = AGENT_TIME,
    ) -> None:
        self._store = store
        self._queue = queue
        self._meter = meter
        self._snapshot_every = snapshot_every
        self._agent_time = agent_time
        self._unheard: list[Request] = []  # those who have an answer, and were not woken yet

    def transact(self, groups: list[Group], attempt: Attempt, *, more: bool = True) -> None:
        """Do all of it in one transaction; `attempt` has then what is to be said, or was tried."""
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
                left = self._apply(batch, requests, attempt)
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
                requests += self._queue.take_more(handle.id, most - len(requests), self._kinds)

    def _apply(self, batch: Batch, requests: list[Request], attempt: Attempt) -> list[Request]:
        """Do the requests; gives back those for which no time is left."""
        try:
            batch.expire_due()
            batch.look_up(requests)
            # what the database takes is not the agents': it may be far away
            began, worked = time.perf_counter(), time.thread_time()
            left = batch.work(requests, began + self._agent_time - attempt.agent_time)
            attempt.agent_time += time.perf_counter() - began
            attempt.agent_work += time.thread_time() - worked
            return left
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
            attempt.agent_work += batch.write(self._snapshot_every)
        attempt.mark = (changed[0].row.id, changed[0].events[0].n, mark)
        self.wake()
        tx.commit()

    def finish(self, attempt: Attempt) -> None:
        """The transaction has happened: what it would say can be said."""
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
