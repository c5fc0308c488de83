"""The ASGI application: routes, limits, and errors as problems."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterable
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

from .answering import HEALTH, Answering, Shortcut
from .endpoints import ENDPOINTS, Endpoint
from .origins import checked_origins
from .problems import ProblemError, problem, problem_of
from .state import Service

PARTS = (DASHBOARD, ARENA)  # what has pages
CLIENT = Path(__file__).with_name("client.js")
TRACKING = Path(__file__).with_name("openfeature.js")


def application(engine: Engine, origins: Iterable[str] = ()) -> Shortcut:
    """The application that serves an engine's experiments.

    Parameters
    ----------
    engine
        It is not closed here.
    origins
        Pages of which other origins may read the answers, such as "https://shop.example".

    Returns
    -------
    Shortcut
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
        await service.stop()

    # one route for each path, so that a wrong method is told which are right
    routes = []
    answering: dict[str, Answering] = {}
    for path in dict.fromkeys(endpoint.path for endpoint in ENDPOINTS):
        here = {each.method: each for each in ENDPOINTS if each.path == path}
        answering[path] = Answering(service, path, here)
        # the key of a flag may have a slash, which its clients do not encode
        shape = path.replace("flags/{key}", "flags/{key:path}")
        routes.append(Route(shape, answering[path], methods=list(here)))
    # counted and logged like every other request, so that nothing is measured against less
    alive = Endpoint("GET", HEALTH, _alive, bytes)
    answering[HEALTH] = Answering(service, HEALTH, {"GET": alive})

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
        Route(HEALTH, answering[HEALTH], methods=["GET"]),
        Route("/readyz", ready),
        Route("/metrics", measured),
        Route("/openapi.json", described),
        *pages.routes(),
    ]
    handlers: dict[Any, Any] = {HTTPException: pages.refused}
    allowed = checked_origins(origins)
    app = Shortcut(answering, allowed, routes=routes, lifespan=life, exception_handlers=handlers)
    app.state.end = pages.end  # for a server that waits for its answers when it is told to end
    return app


async def _alive(service: Service, request: Request, body: None) -> tuple[int, bytes]:
    """The process runs, and its event loop has time."""
    return 200, b"ok\n"
