"""The engine: a queue, and the writers that empty it."""

from __future__ import annotations

import math
import os
import threading
import time
import types
from typing import TYPE_CHECKING, Any

from factored_bandits.core.checks import Form
from factored_bandits.errors import StoreError
from factored_bandits.service.store import Experiment, Store

from .breaker import PROBE, Breaker
from .handle import LOGGER, Handle
from .meter import Meter
from .queue import Queue
from .requests import Rebase, Request, Waiter
from .transacting import AGENT_TIME, SNAPSHOT_EVERY, Attempt, Group
from .writer import Writer

if TYPE_CHECKING:
    from .lane import Lane

LONGEST_SLEEP = 60.0  # seconds; clocks are looked at from time to time


class Engine:
    """Serves the experiments of one store to any number of threads.

    Parameters
    ----------
    store
        Where they are; it belongs to the engine, which closes it.
    writers
        How many threads write. A store with one writer has one. None at all: nothing happens
        until `step` is called, for tests.
    snapshot_every
        A snapshot whenever a log has grown by that many events.
    agent_time
        Seconds that the agents may take in one transaction, about.
    ahead
        Whether agents use compiled steps that are on disk from the first one on, and not only when
        loading them has paid: for a program that is going to run for long.
    """

    def __init__(
        self,
        store: Store,
        writers: int = 4,
        snapshot_every: int = SNAPSHOT_EVERY,
        agent_time: float = AGENT_TIME,
        ahead: bool = False,
    ) -> None:
        self.store = store
        self.secret = store.secret()
        self._queue = Queue(together=store.one_writer)
        self.breaker = Breaker(self._queue, store.name)
        self.meter = Meter()
        self._handles: dict[int, Handle] = {}
        self._ahead = ahead
        self._process = os.getpid()
        self._create = threading.Lock()

        def writer() -> Writer:
            return Writer(store, self._queue, self.breaker, self.meter, snapshot_every, agent_time)

        self._snapshot_every = snapshot_every
        self._agent_time = agent_time
        self._new_writer = writer
        self._settling: list[threading.Thread] = []
        self._own = writer()
        count = min(writers, 1) if store.one_writer else writers
        self._threads = [
            threading.Thread(
                target=self._run, args=(writer(),), name=f"factored-bandits writer {i}", daemon=True
            )
            for i in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def serve(
        self, row: Experiment, module: types.ModuleType | None = None, compiled: Form = "auto"
    ) -> Handle:
        """Take requests for an experiment from now on."""
        with self._create:
            if row.id not in self._handles:
                self._handles[row.id] = Handle(row, module, compiled, self._ahead)
            return self._handles[row.id]

    def load_ahead(self) -> None:
        """Load the compiled steps of all experiments that there are, before anybody waits."""
        for row in self.store.experiments():
            self.serve(row).load_ahead()

    def submit(self, experiment: int, request: Request) -> None:
        """Let a request wait for a writer."""
        if request.waiter is None:
            request.waiter = Waiter()
        if self._put([(experiment, request)]):
            raise self.breaker.error()

    def submit_all(self, requests: list[tuple[int, Request]]) -> None:
        """Let requests wait that know where they are answered; an `AwayError` is an answer, too."""
        turned_away = self._put(requests)
        for request in turned_away:
            request.waiter.put(None, self.breaker.error())
        for request in turned_away:
            request.waiter.wake()

    def _put(self, requests: list[tuple[int, Request]]) -> list[Request]:
        """Those that are turned away."""
        if os.getpid() != self._process:
            raise StoreError(
                f"the database {self.store.name!r} was opened by the process {self._process}, of "
                "which this one is a copy: open it here, after the fork"
            )
        try:
            return self._queue.put(requests)
        except RuntimeError:
            raise StoreError(f"the database {self.store.name!r} is closed") from None

    def call(self, experiment: int, request: Request) -> Any:
        """Submit a request and wait for its answer."""
        self.submit(experiment, request)
        if not self._threads:
            while self.step():
                pass
        return request.waiter.result()

    def rebase(self, experiment: int) -> None:
        """Go on with this library and machine; see `fingerprint`."""
        self.call(experiment, Rebase())

    def lane(self) -> Lane | None:
        """What the running event loop can do without the threads; None for some stores."""
        if self.store.one_writer:
            return None
        try:
            from .lane import Lane
        except ImportError:
            LOGGER.warning(
                "greenlet is not installed, so threads do what the event loop would do faster: "
                "pip install 'factored-bandits[postgres]'"
            )
            return None

        return Lane(
            self.store,
            self._queue,
            self.breaker,
            self.meter,
            self._handles,
            self._snapshot_every,
            self._agent_time,
            self._settle,
        )

    def _settle(self, group: Group, attempt: Attempt, error: Exception) -> None:
        """In a thread: finish what has ended with an error elsewhere, in a reserved experiment."""

        def work() -> None:
            writer = self._new_writer()
            try:
                writer.work([group], more=False, ended=(attempt, error))
            finally:
                writer.wake()
                self._queue.release(group[0].id)
                self.store.reconnect()  # the connection of this thread

        self._settling = [thread for thread in self._settling if thread.is_alive()]
        self._settling.append(threading.Thread(target=work, daemon=True))
        self._settling[-1].start()

    # ------------------------------------------------------------ the threads

    def step(self) -> bool:
        """Do one batch in this thread, if anything waits or is due; whether there was any.

        If nothing waits and the database is away: look whether it is back.
        """
        return self._work(self._own, timeout=0.0)

    def _run(self, writer: Writer) -> None:
        while not self._queue.is_over:
            self._work(writer, self._sleep())
        writer.wake()

    def _sleep(self) -> float:
        next_due = min((handle.due for handle in self._all()), default=math.inf)
        longest = PROBE if self.breaker.is_open else LONGEST_SLEEP
        return max(0.0, min(next_due - time.monotonic(), longest))

    def _all(self) -> list[Handle]:
        return list(self._handles.values())

    def _work(self, writer: Writer, timeout: float) -> bool:
        now = time.monotonic()
        due = [handle.id for handle in self._all() if handle.due <= now]
        taken = self._queue.take(0.0, due) if writer.has_unheard else {}
        if not taken:
            writer.wake()
            taken = self._queue.take(timeout, due)
        if not taken:
            if self.breaker.is_open and writer.probe():
                self._look_for_due()
            return False
        try:
            writer.work([(self._handles[number], list(each)) for number, each in taken.items()])
        finally:
            self._queue.done(taken)
        return True

    def _look_for_due(self) -> None:
        """What was due while the database was away is settled now."""
        for handle in self._all():
            handle.due = 0.0
        self._queue.wake()

    def close(self) -> None:
        """Do what waits, then give everything back."""
        self._queue.close()
        for thread in (*self._settling, *self._threads):
            thread.join()
        while not self._threads and self.step():
            pass
        self.store.close()
