"""Connections of a server on which decisions and rewards take a short way.

uvicorn makes a task and an ASGI cycle for each request, and writes the head and the body of an
answer by two calls of the system. That is more than a decision costs. So decisions and rewards are
answered here, by the same `Answering`: what needs no waiting at once, the rest as soon as the
engine has answered. Everything else is left to uvicorn, and so is any request of these that is out
of the ordinary.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Coroutine
from itertools import chain
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from .answering import TEXT, Answering, Made, Shortcut
from .endpoints import LARGEST_BODY
from .quick import QuickRequest

LOGGER = logging.getLogger("factored_bandits.service")
UNUSUAL = re.compile(rb"[^!-~]|[?%#]")  # in a path: what uvicorn reads more closely
NOBODY_WAITS = asyncio.Event()  # which uvicorn sets when a connection is lost


class Exchange:
    """A request that is answered here, and what uvicorn looks at in one."""

    message_event = NOBODY_WAITS

    def __init__(self, connection: Connection, answering: Answering, params: dict[str, str]):
        self._connection = connection
        self._answering = answering
        self._request = QuickRequest({"headers": connection.headers, "path_params": params})
        self._work: Coroutine[Any, Any, Made] | None = None
        self._parts: list[bytes] = []
        self._size = 0
        self.keep_alive = connection.parser.should_keep_alive()
        self.disconnected = False
        self.response_complete = False

    def add(self, body: bytes) -> None:
        """A part of the body."""
        self._parts.append(body)
        self._size += len(body)
        if self._size > LARGEST_BODY:
            self.begin()  # that it is too large is said at once

    def begin(self) -> None:
        """The request is complete."""
        if self._work is None:
            body = b"".join(self._parts)
            self._work = self._answering.answer(self._request, "POST", body)
            self._go_on()

    def _go_on(self, future: asyncio.Future[Any] | None = None) -> None:
        """What a task would do, but at once: the work, until it waits for something again."""
        assert self._work is not None, "begin comes first"
        try:
            awaited = self._work.send(None)
        except StopIteration as done:
            self._write(done.value)
        except Exception:
            LOGGER.exception("a request could not be answered")
            self.keep_alive = False
            self._write(Made(500, TEXT, b"Internal Server Error", "", None))
        else:
            awaited._asyncio_future_blocking = False  # a task, too, says so that it has seen it
            awaited.add_done_callback(self._go_on)

    def _write(self, made: Made) -> None:
        """Head and body by one call of the system."""
        if self.disconnected:
            return
        connection = self._connection
        response = made.response
        headers = made.headers() if response is None else response.raw_headers
        parts = [STATUS_LINE[made.status]]
        for name, value in chain(connection.server_state.default_headers, headers):
            parts += (name, b": ", value, b"\r\n")
        parts.append(b"\r\n" if self.keep_alive else b"connection: close\r\n\r\n")
        parts.append(made.content if response is None else bytes(response.body))
        connection.transport.write(b"".join(parts))
        self.response_complete = True
        if not self.keep_alive:
            connection.transport.close()
        connection.on_response_complete()


class Connection(HttpToolsProtocol):
    """A connection of a server; see `connections`."""

    application: Shortcut

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        limited = self.limit_concurrency is not None
        self._is_plain = not (self.root_path or self.config.access_log or limited)

    def on_headers_complete(self) -> None:
        """Whether it is one of those that most are, and nothing about it is unusual."""
        found = self._short_way() if self._is_plain else None
        if found is None:
            super().on_headers_complete()
        else:
            self.cycle = cast(Any, Exchange(self, *found))

    def _short_way(self) -> tuple[Answering, dict[str, str]] | None:
        parser = self.parser
        if parser.get_method() != b"POST" or UNUSUAL.search(self.url):
            return None
        found = self.application.most("POST", self.url.decode())
        if found is None:
            return None
        busy = self.cycle is not None and not self.cycle.response_complete
        if busy or self.flow.write_paused or self.expect_100_continue:
            return None
        if parser.get_http_version() != "1.1" or parser.should_upgrade():
            return None
        if self.application.has_origins and any(name == b"origin" for name, _ in self.headers):
            return None
        return found

    def on_body(self, body: bytes) -> None:
        """A part of a body."""
        if isinstance(self.cycle, Exchange):
            if not self.cycle.response_complete:
                self.cycle.add(body)
        else:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """The end of a request."""
        if isinstance(self.cycle, Exchange):
            self.cycle.begin()
        else:
            super().on_message_complete()


def connections(application: Shortcut) -> type[Connection]:
    """The connections of a server of this application: the option `http` of uvicorn."""
    return type("Connection", (Connection,), {"application": application})
