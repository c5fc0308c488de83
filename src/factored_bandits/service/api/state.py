"""What the handlers share: the engine, the experiments, the keys, and a thread for the rest."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.requests import Request as HttpRequest

from factored_bandits.agent import Decision
from factored_bandits.errors import UnknownNameError
from factored_bandits.service.engine import Ask, AwayError, Engine, Handle, Reading, Request
from factored_bandits.service.store import AccessKey, Experiment
from factored_bandits.service.timeline import Timeline

from .access import LONGEST, Access, may
from .metrics import Metrics
from .problems import ProblemError
from .waiting import Loop, answers, check_all

LOGGER = logging.getLogger("factored_bandits.service")
T = TypeVar("T")
TIMEOUT = 10.0  # seconds that a request may take while the database is away


class Service:
    """The state of a server.

    Parameters
    ----------
    engine
        Serves the experiments; closed by whoever made it.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.store = engine.store
        self.metrics = Metrics(engine.meter)
        self.is_ready = False
        self._access = Access(self.store)
        self._handles: dict[str, Handle] = {}
        self._by_number: dict[int, Handle] = {}
        # what is not asked often is done by one thread, which has one connection
        self._aside = ThreadPoolExecutor(1, "factored-bandits aside")
        self._loop: Loop | None = None
        self._refreshing: asyncio.Task[None] | None = None
        self.timelines: dict[int, Timeline] = {}
        # rewards that are no events, by experiment (0: of none) and what was answered
        self.unlogged: Counter[tuple[int, str]] = Counter()

    async def start(self) -> None:
        """In the event loop of the server: know the experiments that there are."""
        self._loop = Loop(self.engine)
        for row in await self.aside(self.store.experiments):
            self.know(row)
        self.is_ready = True

    async def stop(self) -> None:
        """Take nothing new."""
        self.is_ready = False
        if self._loop is not None:
            await self._loop.close()
        self._aside.shutdown()

    async def aside(self, work: Callable[..., T], *args: Any) -> T:
        """Do something with the store that may take a moment."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._aside, work, *args)
        except self.store.errors as error:
            # in that thread: its connection may be broken, and the next call makes a new one
            await loop.run_in_executor(self._aside, self.store.reconnect)
            raise ProblemError(503, f"the database cannot be used: {error}") from error

    def know(self, row: Experiment) -> Handle:
        """Serve an experiment from now on."""
        handle = self.engine.serve(row)
        self._handles[row.key] = handle
        self._by_number[row.id] = handle
        return handle

    async def handle(self, key: str) -> Handle:
        """The experiment with a key; another replica may have made it."""
        if key not in self._handles:
            row = await self.aside(self.store.find, key)
            if row is None:
                raise UnknownNameError.of("experiment", key, self._handles)
            self.know(row)
        return self._handles[key]

    async def handle_of(self, number: int) -> Handle | None:
        """The experiment with a number."""
        if number not in self._by_number:
            for row in await self.aside(self.store.experiments):
                self.know(row)
        return self._by_number.get(number)

    def known_handle(self, number: int) -> Handle | None:
        """The experiment with a number, if this process has heard of it."""
        return self._by_number.get(number)

    def named_handle(self, key: str) -> Handle | None:
        """The experiment with a key, if this process has heard of it."""
        return self._handles.get(key)

    # ------------------------------------------------------------ the engine

    def submit(self, handle: Handle, request: Request) -> asyncio.Future[Any]:
        """Let a request wait; its answer is in the future."""
        assert self._loop is not None, "start comes first"
        request.deadline = time.monotonic() + TIMEOUT
        return self._loop.submit(handle.id, request)

    async def call(self, handle: Handle, request: Request) -> Any:
        """The answer to a request."""
        return await self.submit(handle, request)

    async def decide(self, handle: Handle, asks: list[Ask]) -> list[Decision]:
        """Decisions; at once the best as far as is known for those that the database cannot make.

        Which ones these are, their id says: `FALLBACK`. The asks are not patient.
        """
        made: list[Decision] = []
        fallbacks = 0
        found = await answers([self.submit(handle, ask) for ask in asks])
        check_all(found, (AwayError,), "decisions")
        for each in found:
            if isinstance(each, AwayError):
                fallbacks += 1
                made.append(handle.fallback())
            else:
                made.append(each)
        if fallbacks:
            self.metrics.counts.fallbacks[handle.key] += fallbacks
        if fallbacks < len(made):
            self.metrics.counts.decisions[handle.key] += len(made) - fallbacks
        return made

    async def measure(self) -> bytes:
        """The metrics, with where each agent stands."""
        into = self.metrics.engine
        into.is_away = self.engine.breaker.is_open
        if not into.is_away:
            try:
                rows = await self.aside(self.store.experiments)
                into.heads = {row.key: row.head for row in rows}
            except ProblemError:
                into.is_away = True
        into.readings = await self.aside(self._readings)
        return self.metrics.text()

    def _readings(self) -> dict[str, Reading]:
        found = {key: handle.reading() for key, handle in list(self._handles.items())}
        return {key: reading for key, reading in found.items() if reading is not None}

    # ------------------------------------------------------------ who asks

    async def holder(self, request: HttpRequest, needed: str) -> AccessKey:
        """Who holds the key of a request, if the role suffices."""
        found = await self.known(request)
        if found is None:
            headers = {"WWW-Authenticate": "Bearer"}
            raise ProblemError(401, "give a key: Authorization: Bearer fb_...", headers)
        if not may(found.role, needed):
            raise ProblemError(403, f"this needs a key with the role {needed}, not {found.role}")
        return found

    async def known(self, request: HttpRequest) -> AccessKey | None:
        """Who holds the key of a request; None without one, or with one that nobody has."""
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            key = request.headers.get("x-api-key", "")  # the other way that OFREP has
        key = key.strip()
        if not key:
            return None
        self._look_for_revoked()
        return self._access.role_of(key) or await self.holder_of_key(key)

    async def holder_of_key(self, key: str) -> AccessKey | None:
        """Who has this key; it may have been made a moment ago, elsewhere."""
        found = self._access.role_of(key)
        if found is None and self._access.is_stale():
            await self.aside(self._access.refresh)
            found = self._access.role_of(key)
        return found

    @property
    def known_keys(self) -> list[AccessKey]:
        """All keys, as they were read last."""
        return self._access.keys

    async def holders(self) -> list[AccessKey]:
        """All keys, without those that were revoked some seconds ago."""
        if self._access.is_stale(LONGEST):
            await self.refresh_keys()
        return self.known_keys

    async def refresh_keys(self) -> None:
        """Read the keys again."""
        await self.aside(self._access.refresh)

    def _look_for_revoked(self) -> None:
        """Beside the requests, and not before them: the database may be away."""
        if not self._access.is_stale(LONGEST):
            return
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = asyncio.create_task(self._refreshed())

    async def _refreshed(self) -> None:
        try:
            await self.refresh_keys()
        except ProblemError as error:
            LOGGER.warning("the keys could not be read again: %s", error)
