"""A shop whose decisions and rewards are transactions of an event loop, as in a server."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from typing import Any

from greenlet import getcurrent
from postgres_shop import PostgresShop
from shop import CONFIG, Faults, Relay

from factored_bandits.service.engine import Engine, Request, Waiter

LONGEST = 30.0  # seconds; whatever takes longer hangs


def loops():
    """That of a server first: uvloop's where it is installed, and then that of asyncio."""
    with contextlib.suppress(ImportError):
        yield importlib.import_module("uvloop").new_event_loop
    yield asyncio.new_event_loop


LOOPS = list(loops())
USUAL = LOOPS[0]


class LaneEngine(Engine):
    """Does in steps what the event loop of a server and its threads do; with a loop of its own."""

    def __init__(self, store: Any, loop: asyncio.AbstractEventLoop, **arguments: Any) -> None:
        super().__init__(store, writers=0, **arguments)
        self.loop = loop
        self._raised: BaseException | None = None
        loop.set_exception_handler(self._has_raised)
        self.own_lane = loop.run_until_complete(self._made_lane())
        self._until_connected()

    def _until_connected(self) -> None:
        lane = self.own_lane
        self.until(lambda: lane._session is not None or lane._is_closed)

    async def _made_lane(self) -> Any:
        return self.lane()

    def submit(self, experiment: int, request: Request) -> None:
        """Offer it to the event loop first, as a server does."""
        if request.waiter is None:
            request.waiter = Waiter()
        self.own_lane.offer([(experiment, request)])
        super().submit(experiment, request)

    def call(self, experiment: int, request: Request) -> Any:
        """As that of an engine, but it does not wait for what nobody answers."""
        self.submit(experiment, request)
        while self.step():
            pass
        assert request.waiter._answered.is_set(), f"nobody answers {request}"
        return request.waiter.result()

    def step(self) -> bool:
        """What the event loop does, and then what is left to the writers."""
        done = not self.own_lane._idle.is_set()
        self.until(self.own_lane._idle.is_set)
        for thread in self._settling:
            thread.join(LONGEST)
            assert not thread.is_alive(), "a writer does not end"
        self._until_connected()
        return super().step() or done

    def until(self, done: Any) -> None:
        """Let the event loop go on; raises what was raised there, as a death is."""
        self.loop.run_until_complete(self._until(done))
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised

    async def _until(self, done: Any) -> None:
        async with asyncio.timeout(LONGEST):
            while not done() and self._raised is None:
                await asyncio.sleep(0)

    def _has_raised(self, loop: Any, context: dict[str, Any]) -> None:
        self._raised = context.get("exception") or AssertionError(context["message"])

    def close(self) -> None:
        self.loop.run_until_complete(self.own_lane.close())
        super().close()
        self.loop.close()


class LaneShop(PostgresShop):
    """An experiment in PostgreSQL, and an event loop that does the transactions of its requests."""

    engine: LaneEngine

    def __init__(
        self, url: str, config: dict[str, Any] = CONFIG, loop: Any = None, **engine: Any
    ) -> None:
        self.new_loop = loop or asyncio.new_event_loop
        self.in_loop = 0  # statements of the event loop
        super().__init__(url, config, **{"agent_time": 60.0, **engine})

    def new_engine(self, store: Any) -> LaneEngine:
        return LaneEngine(store, self.new_loop(), **self.engine_arguments)

    def relay(self) -> Faults:
        return LoopRelay(self)

    def die(self) -> None:
        lane = self.engine.own_lane
        lane._is_closed = True  # a session that comes too late is given back
        lane._end_session()
        self.engine.loop.close()
        super().die()


class LoopRelay(Relay):
    """Counts the statements of the event loop."""

    def around(self, statement: str, run: Any) -> Any:
        self._shop.in_loop += getcurrent().parent is not None
        return super().around(statement, run)


def shops(url: str, loop: Any = None) -> Any:
    """Makes such shops at this address."""
    return lambda config=CONFIG, **engine: LaneShop(url, config, loop, **engine)
