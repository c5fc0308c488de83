"""The task beside the service that counts events, and asks agents what they know from time to time.

It is off the way of decisions: it reads the log like any other reader, writes a few rows in one
transaction, and then waits.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from factored_bandits.errors import FactoredBanditsError, StoreError
from factored_bandits.service.api.problems import ProblemError
from factored_bandits.service.engine import Handle
from factored_bandits.service.pages import Pages
from factored_bandits.service.tallies import PORTION, Follower, Shape

from .known import known, summary

LOGGER = logging.getLogger("factored_bandits.service")
PAUSE = 1.0  # seconds between two looks for new events
IDLE = 20.0  # times as long as the last step took: a twentieth of a processor at most
BUSY = 2.0  # the same while there is much to count, as after an upgrade
ASKED = 8  # agents that are asked in one step
PATIENCE = 5.0  # seconds until the same agent is asked again


class Following:
    """Follows the logs for one server.

    Parameters
    ----------
    pages
        The server's pages.
    """

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._service = pages.service
        self._shapes: dict[int, Shape] = {}
        self._asked: dict[int, float] = {}
        self._follower = Follower(self._service.store, self._shapes.__getitem__)
        # its own thread has its own connection, which writes
        self._thread = ThreadPoolExecutor(1, "factored-bandits tallies")

    async def run(self) -> None:
        """Until it is cancelled."""
        try:
            while True:
                began = time.monotonic()
                much = False
                try:
                    much = await self.step()
                except (FactoredBanditsError, ProblemError) as error:
                    LOGGER.warning("events could not be counted: %s", error)
                took = time.monotonic() - began
                await asyncio.sleep(BUSY * took if much else max(PAUSE, IDLE * took))
        finally:
            self._thread.submit(self._last_counts).result()
            self._thread.shutdown(wait=True)

    def _last_counts(self) -> None:
        """What is in no log would be lost."""
        try:
            self._careful(self._follower.advance, [], None, self._service.unlogged)
        except StoreError as error:
            LOGGER.warning("some rewards could not be counted: %s", error)

    async def step(self) -> bool:
        """Count what is new, as far as one transaction goes; whether that was a lot."""
        behind = await self._aside(self._follower.behind)
        viewed = viewed_of(self._pages)
        numbers = list(dict.fromkeys([*behind, *viewed]))
        said: dict[int, dict[str, Any]] = {}
        for number in numbers:
            handle = await self._handle(number)
            self._shapes.setdefault(number, Shape.of(handle.config))
            if len(said) < ASKED and self._is_worth_asking(number, handle, viewed):
                said[number] = summary(await known(self._pages, handle))
        viewed -= said.keys()
        unlogged = Counter(self._service.unlogged)
        counted = 0
        if numbers or unlogged:
            counted = await self._aside(self._follower.advance, numbers, said, unlogged)
            self._service.unlogged.subtract(unlogged)
            for each in [key for key, amount in self._service.unlogged.items() if amount == 0]:
                del self._service.unlogged[each]
        return bool(counted >= PORTION)

    def _is_worth_asking(self, number: int, handle: Handle, viewed: set[int]) -> bool:
        """Only agents that are in memory, or were looked at: others would fill it."""
        now = time.monotonic()
        rested = now - self._asked.get(number, -PATIENCE) >= PATIENCE
        if number in viewed or (handle.is_loaded and rested):
            self._asked[number] = now
            return True
        return False

    async def _handle(self, number: int) -> Handle:
        known = self._service.known_handle(number)
        if known is not None:
            return known
        # another replica made it
        row = await self._pages.read(lambda tx: tx.lock(number))
        return self._service.know(row)

    async def _aside(self, work: Any, *args: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._careful, work, *args)

    def _careful(self, work: Any, *args: Any) -> Any:
        store = self._service.store
        try:
            return work(*args)
        except store.errors as error:
            store.reconnect()
            raise StoreError(f"the database cannot be used: {error}") from error


def viewed_of(pages: Pages) -> set[int]:
    """Experiments whose page was opened; the list is to show what their agents say."""
    viewed: set[int] = pages.kept.setdefault("viewed", set())
    return viewed


async def follow(pages: Pages) -> None:
    """The task."""
    await Following(pages).run()
