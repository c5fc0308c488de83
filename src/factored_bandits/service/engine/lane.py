"""Transactions that the event loop of a server does by itself, without a thread that waits.

Two threads that take turns on the interpreter cost a request more than its agent does, and while
one of them waits for the database the other has nothing to do, because everybody's request is in
that transaction. So where a session can be waited for without a thread, the event loop does the
transactions of one experiment itself, some of the requests at a time: while the database works on
these, it answers those before and reads those after.

That is for the plain case: decisions and rewards of an experiment whose agent is in memory and
quick, and not far behind what other replicas have written. Whatever is not plain stays in the
queue for the writers, in their threads. A transaction that has ended with an error is theirs, too:
they find out whether it has happened, and until then nobody else has the experiment.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from greenlet import greenlet

from factored_bandits.service.store import Experiment, Session, Store, Transaction

from .breaker import Breaker
from .handle import Handle
from .meter import Meter
from .queue import MOST, Queue
from .requests import Ask, Request, Tell
from .transacting import Attempt, CulpritError, Group, Transacting

LOGGER = logging.getLogger("factored_bandits.service")
PLAIN = (Ask, Tell)
FEW = 32  # requests in a transaction, or half of those that wait; the others are read meanwhile
FOLLOW = 1000  # events of other replicas
SHARE = 0.25  # of the time that an agent may take in a transaction: an event loop has no more
REST = 10.0  # seconds that an agent which takes longer is left to the writers
AGAIN = 1.0  # seconds between two attempts to have a session

Settle = Callable[[Group, Attempt, Exception], None]


class BehindError(Exception):
    """Others have written more than an event loop has time to follow; nothing was done."""


class LaneTransacting(Transacting):
    """Transactions in an event loop, which must not be held up."""

    _kinds = PLAIN

    def _locked(self, tx: Transaction, handle: Handle) -> Experiment:
        row = super()._locked(tx, handle)
        if handle.followed is None or row.head - handle.followed > FOLLOW:
            tx.rollback()
            raise BehindError
        return row


class Lane:
    """One session, and the experiment that it has at the moment.

    All methods are for the thread of the event loop.

    Parameters
    ----------
    store
        Where the experiments are.
    queue
        Where requests wait, and what keeps the writers from an experiment.
    breaker
        Knows whether the database is away.
    meter
        Counts what is done.
    handles
        The experiments that are served, by number.
    snapshot_every, agent_time
        See `Engine`; of the time, an agent has less here.
    settle
        Lets a thread finish a transaction that has ended with an error, in an experiment that is
        reserved, and release it.
    """

    def __init__(
        self,
        store: Store,
        queue: Queue,
        breaker: Breaker,
        meter: Meter,
        handles: dict[int, Handle],
        snapshot_every: int,
        agent_time: float,
        settle: Settle,
    ) -> None:
        self._store = store
        self._queue = queue
        self._breaker = breaker
        self._meter = meter
        self._handles = handles
        self._snapshot_every = snapshot_every
        self._agent_time = SHARE * agent_time
        self._settle = settle
        self._loop = asyncio.get_running_loop()
        self._session: Session | None = None
        self._transacting: LaneTransacting
        self._rests: dict[int, float] = {}  # until when agents are left to the writers
        self._alarm = math.inf  # when the writers are woken, because something is due
        self._idle = asyncio.Event()
        self._idle.set()
        self._is_closed = False
        self._is_told = False  # whether the log says that there is no session
        self._connect()

    def offer(self, asked: Iterable[tuple[int, Request]]) -> None:
        """Reserve the experiment of the first of these requests, which wait in a moment."""
        if self._session is None or not self._idle.is_set():
            return
        for experiment, request in asked:
            handle = self._handles[experiment]
            if type(request) in PLAIN and self._suits(handle) and self._queue.reserve(experiment):
                self._idle.clear()
                self._loop.call_soon(greenlet(self._run).switch, handle)
            return

    async def close(self) -> None:
        """Give the session back after the transaction that runs; the writers do what waits."""
        self._is_closed = True
        await self._idle.wait()
        self._end_session()

    def _suits(self, handle: Handle) -> bool:
        if self._is_closed or self._breaker.is_open or not handle.is_loaded:
            return False
        return self._rests.get(handle.id, 0.0) <= time.monotonic()

    # ------------------------------------------------------------ one transaction after another

    def _run(self, handle: Handle) -> None:
        """In a greenlet: the event loop goes on while this waits for the database."""
        while self._suits(handle):
            few = MOST if handle.is_shared else FEW  # each turn at the lock is dear
            requests = self._queue.take_some(handle.id, few, PLAIN)
            if not requests:
                break
            attempt = Attempt()
            try:
                self._transacting.transact([(handle, requests)], attempt, more=handle.is_shared)
                self._breaker.passed()
                self._transacting.finish(attempt)
            except BehindError:
                self._queue.put_back(handle.id, requests)
                break
            except Exception as error:
                self._fail((handle, requests), attempt, error)
                return
            self._transacting.wake()  # they hear of it while the next ones are with the database
            if attempt.agent_work > self._agent_time:
                self._rests[handle.id] = time.monotonic() + REST
        self._idle.set()
        self._queue.release(handle.id)
        self._set_alarm(handle)

    def _fail(self, group: Group, attempt: Attempt, error: Exception) -> None:
        """Let a thread find out what has happened."""
        if not isinstance(error, CulpritError):
            self._end_session()
            self._connect()
        self._idle.set()
        self._settle(group, attempt, error)

    def _set_alarm(self, handle: Handle) -> None:
        """A writer that sleeps does not know when something is due that was asked for here."""
        if handle.due < self._alarm:
            self._alarm = handle.due
            self._loop.call_later(max(handle.due - time.monotonic(), 0.0), self._ring)

    def _ring(self) -> None:
        self._alarm = math.inf
        self._queue.wake()

    # ------------------------------------------------------------ the session

    def _connect(self) -> None:
        """In a thread: it may take seconds."""
        if not self._is_closed:
            threading.Thread(target=self._have_session, daemon=True).start()

    def _have_session(self) -> None:
        session = None
        try:
            session = self._store.session()
        except self._store.errors as error:
            if not self._is_told:
                self._is_told = True
                LOGGER.warning("the database %s gives no session: %s", self._store.name, error)
        with contextlib.suppress(RuntimeError):  # the event loop has ended meanwhile
            self._loop.call_soon_threadsafe(self._has_session, session)
            return
        if session is not None:
            session.close()

    def _has_session(self, session: Any) -> None:
        if session is None:
            self._loop.call_later(AGAIN, self._connect)
        elif self._is_closed:
            session.close()
        else:
            self._is_told = False
            session.attach(self._loop)
            self._session = session
            self._transacting = LaneTransacting(
                session, self._queue, self._meter, self._snapshot_every, self._agent_time
            )

    def _end_session(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None
