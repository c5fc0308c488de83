"""Numbers that follow without a reload: parts of pages, sent when they change."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple

from starlette.responses import Response, StreamingResponse

from factored_bandits.service.api.problems import ProblemError
from factored_bandits.service.pages import Pages, Visit
from factored_bandits.service.pages.headers import PRIVATE

MOST = 200  # listeners of one server
PAUSE = 1.0  # seconds between two looks
QUIET = 8.0  # seconds after which something is sent though nothing changed: is anybody there?
LONGEST = 600.0  # seconds of one connection; browsers connect again by themselves

Produce = Callable[[], Awaitable["Parts"]]


class Parts(NamedTuple):
    """Parts of a page.

    Attributes
    ----------
    at
        When they were looked at, in seconds: a page that was opened later knows better.
    texts
        HTML, by the id of the element that it belongs into.
    """

    at: float
    texts: dict[str, str]


class Shared:
    """What several listeners look at is made once, and kept for a moment."""

    def __init__(self, fresh: float = 0.9 * PAUSE) -> None:
        self._fresh = fresh
        self._made: dict[Any, tuple[float, asyncio.Task[Any]]] = {}

    async def get(self, key: Any, make: Callable[[], Awaitable[Any]]) -> Any:
        """What `make` gives, or gave to somebody else a moment ago."""
        now = time.monotonic()
        began, task = self._made.get(key, (0.0, None))
        if task is None or now - began > self._fresh:
            self._made = {k: v for k, v in self._made.items() if now - v[0] < 60.0}
            task = asyncio.ensure_future(make())
            self._made[key] = (now, task)
        # whoever goes away must not end it for the others
        return await asyncio.shield(task)


def digest(text: str) -> str:
    """What tells two states of a part apart."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def stream(pages: Pages, visit: Visit, produce: Produce) -> Response:
    """An answer that never ends: whenever a part changes, its HTML."""
    if pages.listeners >= MOST:
        raise ProblemError(503, f"{MOST} browsers are listening already", {"Retry-After": "30"})
    headers = {**PRIVATE, "X-Accel-Buffering": "no"}
    events = _events(pages, visit, produce)
    return StreamingResponse(events, 200, headers, "text/event-stream")


async def _events(pages: Pages, visit: Visit, produce: Produce) -> AsyncIterator[str]:
    pages.listeners += 1
    sent: dict[str, str] = {}
    ends = time.monotonic() + LONGEST
    spoke = time.monotonic()
    try:
        yield "retry: 3000\n\n"
        while time.monotonic() < ends and await _is_welcome(pages, visit):
            try:
                parts = await produce()
            except ProblemError:
                parts = Parts(0.0, {})  # the database is away; the page shows what it has
            changed = {}
            for name, text in parts.texts.items():
                mark = digest(text)
                if sent.get(name) != mark:
                    sent[name] = mark
                    changed[name] = [mark, text]
            if changed:
                yield f"data: {json.dumps({'at': parts.at, 'parts': changed})}\n\n"
                spoke = time.monotonic()
            elif time.monotonic() - spoke > QUIET:
                yield ": still here\n\n"
                spoke = time.monotonic()
            if await pages.ends_within(PAUSE):
                return
    finally:
        pages.listeners -= 1


async def _is_welcome(pages: Pages, visit: Visit) -> bool:
    """Whether the key of a listener was not revoked, nor its session over."""
    try:
        keys = await pages.service.holders()
    except ProblemError:
        keys = pages.service.known_keys
    is_over = visit.session.ends < time.time()
    return not is_over and pages.sessions.holder(visit.session, keys) is not None
