"""How a request to an endpoint is answered: read, checked, called, counted and logged.

Decisions, rewards and whether the server is alive are asked all the time. What a framework adds to
each request costs as much as the rest of it, so that `Answering` is an ASGI application, and
`Shortcut` finds it by itself.
"""

from __future__ import annotations

import itertools
import json
import logging
import re
import secrets
import time
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from .endpoints import LARGEST_BODY, Endpoint
from .origins import with_origins
from .problems import ProblemError
from .state import Service

LOGGER = logging.getLogger("factored_bandits.service")
ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
BEFORE_KEY = "/v1/experiments/"
DECISIONS = "/v1/experiments/{key}/decisions"
AFTER_KEY = "/decisions"
REWARDS = "/v1/rewards"
HEALTH = "/healthz"
OFTEN = (DECISIONS, REWARDS, HEALTH)
JSON = b"application/json"
TEXT = b"text/plain; charset=utf-8"
START = secrets.token_hex(6)  # ids of requests: that of this process, and a number
NUMBERS = itertools.count(1)


class QuickHeaders:
    """Headers of which a few are looked up; the first of several with a name counts."""

    def __init__(self, sent: list[tuple[bytes, bytes]]) -> None:
        self._sent = dict(reversed(sent))

    def get(self, name: str, default: str | None = None) -> str | None:
        """The value of a header; names are in lower case."""
        found = self._sent.get(name.encode())
        return default if found is None else found.decode("latin-1")


class QuickRequest(Request):
    """A request of the kind that comes all the time: its body is read by who answers it."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope = scope
        self._quick = QuickHeaders(scope["headers"])

    @property
    def headers(self) -> Any:
        """What a handler looks up."""
        return self._quick


class Answering:
    """The endpoints of one path, as an ASGI application.

    Parameters
    ----------
    service
        What they work on.
    path
        The path, as the OpenAPI description has it.
    here
        The endpoint of each method.
    """

    def __init__(self, service: Service, path: str, here: dict[str, Endpoint]) -> None:
        self._service = service
        self._path = path
        self._here = here
        self._verb = path.rpartition("/")[2]
        self._request = QuickRequest if path in OFTEN else Request
        self._counts = service.metrics.counts.route(path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        began = time.perf_counter()
        request = self._request(scope, receive)
        number = _number(request)
        method = scope["method"]
        endpoint = self._here[method if method in self._here else "GET"]
        content = b""
        kind = JSON
        try:
            scope["path_params"].setdefault("verb", self._verb)
            if endpoint.largest > LARGEST_BODY and endpoint.role is not None:
                await self._service.holder(request, endpoint.role)  # nobody else sends so much
            body = None
            if endpoint.body is not None:
                body = _checked(await _content(receive, endpoint.largest), endpoint)
            status, found = await endpoint.handler(self._service, request, body)
            if isinstance(found, bytes):
                content = found
                kind = TEXT
            elif not isinstance(found, Response):
                content = msgspec.json.encode(found)
        except Exception as error:
            found = endpoint.failed(request, error)
            if found.status_code == 500:
                LOGGER.exception("request %s failed", number)

        if isinstance(found, Response):
            status = found.status_code
            found.headers["X-Request-Id"] = number
        seconds = time.perf_counter() - began
        self._counts.add(status, seconds)
        if LOGGER.isEnabledFor(logging.INFO):
            _log(method, self._path, number, status, seconds)

        if isinstance(found, Response):
            await found(scope, receive, send)
        else:
            headers = [
                (b"content-type", kind),
                (b"content-length", b"%d" % len(content)),
                (b"x-request-id", number.encode()),
            ]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": content})


class Shortcut(Starlette):
    """An application that finds what is asked often without a search through all routes.

    Parameters
    ----------
    often
        What answers the paths in `OFTEN`.
    origins
        Pages of which origins may read the answers.
    given
        See `Starlette`.
    """

    def __init__(
        self, often: dict[str, ASGIApp], origins: tuple[str, ...] = (), **given: Any
    ) -> None:
        super().__init__(**given)
        self._open_to = with_origins(self._answer, origins) if origins else None
        self._decisions = often[DECISIONS]
        self._at = {("POST", REWARDS): often[REWARDS], ("GET", HEALTH): often[HEALTH]}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or start and end with the server."""
        await (self._open_to or self._answer)(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope.get("root_path"):
            method = scope["method"]
            path = scope["path"]
            found = self._at.get((method, path))
            if found is not None:
                scope["path_params"] = {}
                return await found(scope, receive, send)
            if method == "POST" and path.startswith(BEFORE_KEY) and path.endswith(AFTER_KEY):
                key = path[len(BEFORE_KEY) : -len(AFTER_KEY)]
                if key and "/" not in key:
                    scope["path_params"] = {"key": key}
                    return await self._decisions(scope, receive, send)
        await super().__call__(scope, receive, send)


def _number(request: Request) -> str:
    """The id of a request: the one that it came with, or a new one."""
    given = request.headers.get("x-request-id")
    if given is not None and ID.fullmatch(given):
        return given
    return f"{START}-{next(NUMBERS):x}"


async def _content(receive: Receive, largest: int) -> bytes:
    """What was sent; never more than the limit is read."""
    parts = []
    size = 0
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        part = message.get("body", b"")
        parts.append(part)
        size += len(part)
        more = message.get("more_body", False)
        if size > largest:
            raise ProblemError(413, f"a body has at most {largest:,} bytes")
    return b"".join(parts)  # most often there is one, which is not copied


def _checked(content: bytes, endpoint: Endpoint) -> Any:
    assert endpoint.body is not None, "only an endpoint that takes a body reads one"
    if not content and endpoint.optional:
        return endpoint.body()
    try:
        return msgspec.json.decode(content, type=endpoint.body)
    except msgspec.ValidationError as error:
        raise ProblemError(422, f"the body does not fit: {error}") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ProblemError(400, f"the body is no JSON that can be read: {error}") from None


def _log(method: str, path: str, number: str, status: int, seconds: float) -> None:
    """One line of JSON; no keys, no tokens, no units, no bodies."""
    line = {
        "request": number,
        "method": method,
        "route": path,
        "status": status,
        "ms": round(1000 * seconds, 2),
    }
    LOGGER.info("%s", json.dumps(line))
