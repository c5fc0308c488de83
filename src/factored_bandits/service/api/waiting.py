"""Requests of coroutines to the engine, and their answers.

A batch wakes the event loop once. In the other direction, what comes in while the event loop has
work is handed to the writers together. Each request would wake a writer, which takes the first few
and then competes with the event loop for the interpreter, while the others wait for the next flush
of the disk. No timer is involved: a loop with nothing more to read hands over at once.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Iterable
from typing import Any

from factored_bandits.errors import ExperimentError, StoreError
from factored_bandits.service.engine import Answer, Engine, Request

TURNS = 16  # of the event loop that a request waits for others at most
MANY = 128  # requests that wait for no more


class Loop:
    """The event loop of the server, as the writers see it.

    Parameters
    ----------
    engine
        Where requests are answered.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._asked: list[tuple[int, Request]] = []
        self._counted = 0  # how many these were in the last turn
        self._turns = 0
        self._ready: deque[AsyncWaiter] = deque()
        self._is_woken = False
        self._lane = engine.lane()

    async def close(self) -> None:
        """Leave what comes from now on to the writers."""
        if self._lane is not None:
            await self._lane.close()

    def submit(self, experiment: int, request: Request) -> asyncio.Future[Any]:
        """Let a request wait, when no more come in; its answer is in the future."""
        waiter = AsyncWaiter(self, self._loop.create_future())
        request.waiter = waiter
        if not self._asked:
            self._loop.call_soon(self._hand_over)
        self._asked.append((experiment, request))
        return waiter.future

    def _hand_over(self) -> None:
        asked = self._asked
        if self._counted < len(asked) < MANY and self._turns < TURNS:
            self._counted = len(asked)
            self._turns += 1
            self._loop.call_soon(self._hand_over)
            return

        self._asked = []
        self._counted = 0
        self._turns = 0
        if self._lane is not None:
            self._lane.offer(asked)
        try:
            self._engine.submit_all(asked)
        except StoreError as error:
            for _, request in asked:
                request.waiter.put(None, error)
                request.waiter.deliver()

    def wake(self, waiter: AsyncWaiter) -> None:
        """From a writer: this answer is there."""
        self._ready.append(waiter)
        # Without a lock: `_deliver` takes this back before it looks at what is ready. So who finds
        # it set is looked at; two who find it taken back wake the loop twice, which does no harm.
        if not self._is_woken and not self._loop.is_closed():
            self._is_woken = True
            with contextlib.suppress(RuntimeError):  # closed just now: nobody waits any longer
                self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._is_woken = False
        while self._ready:
            self._ready.popleft().deliver()


class AsyncWaiter(Answer):
    """Where one request of a coroutine is answered."""

    def __init__(self, loop: Loop, future: asyncio.Future[Any]) -> None:
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


async def answers(futures: Iterable[asyncio.Future[Any]]) -> list[Any]:
    """What each future holds, a value or an error; one after another, which costs no task."""
    found: list[Any] = []
    for future in futures:
        try:
            found.append(await future)
        except Exception as error:
            found.append(error)
    return found


def check_all(found: list[Any], answers: tuple[type[Exception], ...], what: str) -> None:
    """Raise the first error that is no answer; it says how many are stored all the same.

    Those of one request may have been in several transactions.
    """
    errors = [each for each in found if isinstance(each, Exception)]
    failed = next((each for each in errors if not isinstance(each, answers)), None)
    if failed is None:
        return
    stored = len(found) - len(errors)
    if not stored or not isinstance(failed, (ExperimentError, StoreError)):
        raise failed
    raise type(failed)(
        f"{stored} of these {len(found)} {what} are stored, the others are not: {failed}. The same "
        "call again, with the same units or key, has the same answer for those that are"
    ) from failed
