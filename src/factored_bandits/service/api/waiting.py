"""Answers of the writers for coroutines: a batch wakes the event loop once."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from typing import Any

from factored_bandits.service.engine import Answer


class Loop:
    """The event loop of the server, as the writers see it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ready: deque[AsyncWaiter] = deque()
        self._scheduled = False
        self._lock = threading.Lock()

    def waiter(self) -> AsyncWaiter:
        """A place for one answer."""
        return AsyncWaiter(self, self._loop.create_future())

    def wake(self, waiter: AsyncWaiter) -> None:
        """From a writer: this answer is there."""
        with self._lock:
            self._ready.append(waiter)
            if self._scheduled:
                return
            self._scheduled = True
        self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        with self._lock:
            ready = list(self._ready)
            self._ready.clear()
            self._scheduled = False
        for waiter in ready:
            waiter.deliver()


class AsyncWaiter(Answer):
    """Where one request of a coroutine is answered."""

    def __init__(self, loop: Loop, future: asyncio.Future[Any]) -> None:
        super().__init__()
        self._loop = loop
        self.future = future

    def wake(self) -> None:
        """Let the event loop deliver the answer."""
        self._loop.wake(self)

    def deliver(self) -> None:
        """In the event loop; nobody may wait any longer."""
        if self.future.done():
            return
        if self._error is not None:
            self.future.set_exception(self._error)
        else:
            self.future.set_result(self._value)
