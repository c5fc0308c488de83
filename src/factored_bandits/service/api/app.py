"""The ASGI application: routes, limits, and errors as problems."""

from __future__ import annotations

import contextlib
import json
import logging
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from factored_bandits.service.arena.pages import PART as ARENA
from factored_bandits.service.dashboard import PART as DASHBOARD
from factored_bandits.service.engine import Engine
from factored_bandits.service.pages import Pages

from .endpoints import ENDPOINTS, LARGEST_BODY, Endpoint
from .problems import ProblemError, problem, problem_of
from .state import Service

LOGGER = logging.getLogger("factored_bandits.service")
ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
PARTS = (DASHBOARD, ARENA)  # what has pages
OFTEN = ("/v1/experiments/{key}/decisions", "/v1/rewards")
CLIENT = Path(__file__).with_name("client.js")
TRACKING = Path(__file__).with_name("openfeature.js")


def application(engine: Engine) -> Starlette:
    """The application that serves an engine's experiments.

    Parameters
    ----------
    engine
        It is not closed here.

    Returns
    -------
    Starlette
        For any ASGI server.
    """
    service = Service(engine)
    pages = Pages(service, PARTS)

    @contextlib.asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        await service.start()
        await pages.start()
        yield
        await pages.stop()
        service.stop()

    # one route for each path, so that a wrong method is told which are right
    # routes are tried in their order: first those that are asked all the time
    paths = dict.fromkeys([*OFTEN, *(endpoint.path for endpoint in ENDPOINTS)])
    routes = []
    for path in paths:
        here = {each.method: each for each in ENDPOINTS if each.path == path}
        # the key of a flag may have a slash, which its clients do not encode
        shape = path.replace("flags/{key}", "flags/{key:path}")
        routes.append(Route(shape, _route(service, path, here), methods=list(here)))

    async def health(request: Request) -> Response:
        return Response("ok\n", media_type="text/plain")

    async def ready(request: Request) -> Response:
        if not service.is_ready:
            return problem(503, "starting or stopping")
        try:
            await service.aside(service.store.secret)
        except ProblemError as error:
            return problem_of(error)
        return Response("ready\n", media_type="text/plain")

    async def measured(request: Request) -> Response:
        return Response(await service.measure(), media_type="text/plain; version=0.0.4")

    async def described(request: Request) -> Response:
        from .openapi import document

        return Response(msgspec.json.encode(document()), media_type="application/json")

    async def script(request: Request) -> Response:
        here = TRACKING if request.url.path.endswith(TRACKING.name) else CLIENT
        return Response(here.read_bytes(), media_type="text/javascript")

    routes += [
        Route("/client.js", script),
        Route("/openfeature.js", script),
        Route("/healthz", health),
        Route("/readyz", ready),
        Route("/metrics", measured),
        Route("/openapi.json", described),
        *pages.routes(),
    ]
    handlers: dict[Any, Any] = {HTTPException: pages.refused}
    app = Starlette(routes=routes, lifespan=life, exception_handlers=handlers)
    app.state.end = pages.end  # for a server that waits for its answers when it is told to end
    return app


def _route(
    service: Service, path: str, here: dict[str, Endpoint]
) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        began = time.perf_counter()
        number = _number(request)
        endpoint = here[request.method if request.method in here else "GET"]
        try:
            request.path_params.setdefault("verb", path.rpartition("/")[2])
            if endpoint.largest > LARGEST_BODY and endpoint.role is not None:
                await service.holder(request, endpoint.role)  # nobody else sends so much
            body = await _body(request, endpoint)
            status, found = await endpoint.handler(service, request, body)
            response = _response(status, found)
        except Exception as error:
            response = endpoint.failed(request, error)
            if response.status_code == 500:
                LOGGER.exception("request %s failed", number)
        response.headers["X-Request-Id"] = number

        seconds = time.perf_counter() - began
        service.metrics.requests.labels(path, str(response.status_code)).inc()
        service.metrics.seconds.labels(path).observe(seconds)
        _log(request, path, number, response.status_code, seconds)
        return response

    return answer


def _number(request: Request) -> str:
    """The id of a request: the one that it came with, or a new one."""
    given = request.headers.get("x-request-id", "")
    return given if ID.fullmatch(given) else secrets.token_hex(8)


def _response(status: int, found: Any) -> Response:
    if isinstance(found, Response):
        return found
    return Response(msgspec.json.encode(found), status, None, "application/json")


async def _body(request: Request, endpoint: Endpoint) -> Any:
    """What was sent, checked; never more than the limit is read."""
    if endpoint.body is None:
        return None
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > endpoint.largest:
            raise ProblemError(413, f"a body has at most {endpoint.largest:,} bytes")

    if not content and endpoint.optional:
        return endpoint.body()
    try:
        return msgspec.json.decode(bytes(content), type=endpoint.body)
    except msgspec.ValidationError as error:
        raise ProblemError(422, f"the body does not fit: {error}") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ProblemError(400, f"the body is no JSON that can be read: {error}") from None


def _log(request: Request, path: str, number: str, status: int, seconds: float) -> None:
    """One line of JSON; no keys, no tokens, no units, no bodies."""
    if LOGGER.isEnabledFor(logging.INFO):
        line = {
            "request": number,
            "method": request.method,
            "route": path,
            "status": status,
            "ms": round(1000 * seconds, 2),
        }
        LOGGER.info("%s", json.dumps(line))
