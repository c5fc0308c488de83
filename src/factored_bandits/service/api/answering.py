"""How a request to an endpoint is answered: read, checked, called, counted and logged.

Decisions, rewards and whether the server is alive are asked all the time. What a framework adds to
each request costs as much as the rest of it, so that `Answering` is an ASGI application, and
`Shortcut` finds it by itself. For decisions and rewards, which are most of them, even ASGI is left
out where the server allows it: see `connection.py`.
"""

from __future__ import annotations

import itertools
import json
import logging
import re
import secrets
import time
from typing import Any, NamedTuple

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .endpoints import LARGEST_BODY, Endpoint
from .origins import with_origins
from .problems import ProblemError
from .quick import QuickRequest
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


class Made(NamedTuple):
    """An answer: a text with its kind and the id of the request, or a response of Starlette's."""

    status: int
    kind: bytes
    content: bytes
    number: str
    response: Response | None

    def headers(self) -> list[tuple[bytes, bytes]]:
        """What is said of the text."""
        return [
            (b"content-type", self.kind),
            (b"content-length", b"%d" % len(self.content)),
            (b"x-request-id", self.number.encode()),
        ]


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
        self._is_quick = path in OFTEN
        self._counts = service.metrics.counts.route(path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        scope["path_params"].setdefault("verb", self._verb)
        request = QuickRequest(scope) if self._is_quick else Request(scope, receive)
        made = await self.answer(request, scope["method"], receive)
        if made.response is not None:
            await made.response(scope, receive, send)
            return
        start = {"type": "http.response.start", "status": made.status, "headers": made.headers()}
        await send(start)
        await send({"type": "http.response.body", "body": made.content})

    async def answer(self, request: Request, method: str, given: Receive | bytes) -> Made:
        """What a request is answered; `given` is its body, or where that is to be read."""
        began = time.perf_counter()
        number = _number(request)
        endpoint = self._here[method if method in self._here else "GET"]
        content = b""
        kind = JSON
        try:
            if endpoint.largest > LARGEST_BODY and endpoint.role is not None:
                await self._service.holder(request, endpoint.role)  # nobody else sends so much
            body = None
            if endpoint.body is not None:
                if not isinstance(given, bytes):
                    given = await _content(given, endpoint.largest)
                elif len(given) > endpoint.largest:
                    raise _too_large(endpoint.largest)
                body = _checked(given, endpoint)
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

        response = None
        if isinstance(found, Response):
            response = found
            status = response.status_code
            response.headers["X-Request-Id"] = number
        seconds = time.perf_counter() - began
        self._counts.add(status, seconds)
        if LOGGER.isEnabledFor(logging.INFO):
            _log(method, self._path, number, status, seconds)
        return Made(status, kind, content, number, response)


class Shortcut(Starlette):
    """An application that finds what is asked often without a search through all routes.

    Parameters
    ----------
    often
        What answers each path; decisions, rewards and `/healthz` among them.
    origins
        Pages of which origins may read the answers.
    given
        See `Starlette`.
    """

    def __init__(
        self, often: dict[str, Answering], origins: tuple[str, ...] = (), **given: Any
    ) -> None:
        super().__init__(**given)
        self.has_origins = bool(origins)
        self._open_to = with_origins(self._answer, origins) if origins else None
        self._decisions = often[DECISIONS]
        self._rewards = often[REWARDS]
        self._alive = often[HEALTH]

    def most(self, method: str, path: str) -> tuple[Answering, dict[str, str]] | None:
        """What answers a request of the kinds that most are of, and what its path says."""
        if method != "POST":
            return None
        if path == REWARDS:
            return self._rewards, {}
        if path.startswith(BEFORE_KEY) and path.endswith(AFTER_KEY):
            key = path[len(BEFORE_KEY) : -len(AFTER_KEY)]
            if key and "/" not in key:
                return self._decisions, {"key": key}
        return None

    def _often(self, method: str, path: str) -> tuple[Answering, dict[str, str]] | None:
        if method == "GET" and path == HEALTH:
            return self._alive, {}
        return self.most(method, path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or start and end with the server."""
        await (self._open_to or self._answer)(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope.get("root_path"):
            found = self._often(scope["method"], scope["path"])
            if found is not None:
                scope["path_params"] = found[1]
                await found[0](scope, receive, send)
                return
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
            raise _too_large(largest)
    return b"".join(parts)  # most often there is one, which is not copied


def _too_large(largest: int) -> ProblemError:
    return ProblemError(413, f"a body has at most {largest:,} bytes")


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
