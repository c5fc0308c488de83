"""The pages of all parts as routes: who may see them, forms, errors, and what is counted."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from factored_bandits.service.api.problems import ProblemError, problem, problem_of
from factored_bandits.service.api.state import Service
from factored_bandits.service.store import Transaction

from . import formats
from .headers import PRIVATE
from .limiter import Limiter
from .part import Page, Part
from .session import COOKIE, LIFE, Sessions
from .sign_in import PART as SIGN_IN
from .static import Assets
from .uploads import has_files, parts_of
from .visit import Visit, fields_of

LOGGER = logging.getLogger("factored_bandits.service")
PROGRAMS = ("/v1/", "/ofrep/", "/metrics", "/healthz", "/readyz", "/openapi.json")
HEADLINES = {
    400: "That request cannot be read",
    401: "Sign in first",
    403: "Not allowed",
    404: "There is no such page",
    405: "Not this way",
    409: "That is not possible now",
    413: "That is too much",
    422: "Something does not fit",
    429: "Too many attempts",
    503: "Not available at the moment",
}
READERS = 2  # threads that read for pages, each with a connection
T = TypeVar("T")


class Pages:
    """Everything that pages need.

    Parameters
    ----------
    service
        The server.
    parts
        Who has pages.
    """

    def __init__(self, service: Service, parts: Sequence[Part]) -> None:
        self.service = service
        self.sessions = Sessions(service.engine.secret)
        self.limiter = Limiter()
        self._parts = (SIGN_IN, *parts)
        self.assets = Assets(self._parts)
        self._templates = self._environment()
        self._readers = ThreadPoolExecutor(READERS, "factored-bandits pages")
        self._running: list[asyncio.Task[Any]] = []
        self.listeners = 0  # answers that go on until their reader leaves
        self._ending = asyncio.Event()
        self.kept: dict[str, Any] = {}  # what parts keep from one request to the next

    def _environment(self) -> Environment:
        folders = {part.name: FileSystemLoader(part.folder / "templates") for part in self._parts}
        made = Environment(
            loader=PrefixLoader(folders),
            autoescape=True,  # whatever a template is called
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        made.globals["asset"] = self.assets.address
        made.filters.update(formats.FILTERS)
        return made

    def routes(self) -> list[Route]:
        """The routes of all pages, and of their assets."""
        pages = [page for part in self._parts for page in part.pages]
        routes = [Route("/assets/{name:path}", self.assets.serve)]
        for path in dict.fromkeys(page.path for page in pages):
            here = {page.method: page for page in pages if page.path == path}
            routes.append(Route(path, self._route(path, here), methods=list(here)))
        return routes

    async def start(self) -> None:
        """In the event loop: begin what runs beside the pages."""
        for part in self._parts:
            self._running += [asyncio.ensure_future(task(self)) for task in part.tasks]

    def end(self) -> None:
        """Let answers that never end come to an end: the server is about to."""
        self._ending.set()

    async def ends_within(self, seconds: float) -> bool:
        """Wait so long, or until the server is about to end; whether it is."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ending.wait(), seconds)
        return self._ending.is_set()

    async def stop(self) -> None:
        """End what runs beside the pages."""
        self.end()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._readers.shutdown()

    # ------------------------------------------------------------ what handlers use

    def render(self, visit: Visit, template: str, status: int = 200, **content: Any) -> Response:
        """A page made of a template, which extends `pages/base.html`."""
        text = self._templates.get_template(template).render(
            visit=visit,
            holder=visit.holder,
            csrf=self.sessions.token(visit.session),
            **content,
        )
        return Response(text, status, PRIVATE, "text/html; charset=utf-8")

    def fragment(self, template: str, **content: Any) -> str:
        """A part of a page as text, for a script that puts it there."""
        return self._templates.get_template(template).render(**content)

    def redirect(self, path: str) -> Response:
        """See another page of ours next."""
        return RedirectResponse(path, 303, PRIVATE)

    async def read(self, work: Callable[..., T], *args: Any) -> T:
        """Read from the database beside those who write: `work(tx, *args)` in a thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, self._reading, work, *args)

    def _reading(self, work: Callable[..., T], *args: Any) -> T:
        store = self.service.store
        try:
            tx: Transaction = store.reading()
            try:
                return work(tx, *args)
            finally:
                tx.rollback()
        except store.errors as error:
            store.reconnect()
            raise ProblemError(503, "the database cannot be used at the moment") from error

    # ------------------------------------------------------------ requests

    def _route(self, path: str, here: dict[str, Page]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            began = time.perf_counter()
            page = here[request.method if request.method in here else "GET"]
            visit = self._visit(request)
            try:
                response = await self._answer(page, visit)
            except Exception as error:
                response = self._failed(visit, error)
            self._set_cookie(visit, response)
            counts = self.service.metrics.counts.route(path)
            counts.add(response.status_code, time.perf_counter() - began)
            return response

        return answer

    def _visit(self, request: Request) -> Visit:
        session = self.sessions.read(request.cookies.get(COOKIE, ""))
        if session is None:
            return Visit(request, self.sessions.begin(), fresh=True)
        return Visit(request, session)

    async def _answer(self, page: Page, visit: Visit) -> Response:
        if not self.service.is_ready:
            raise ProblemError(503, "the service is starting or stopping")
        keys = await self.service.holders()
        visit.holder = self.sessions.holder(visit.session, keys)
        if page.role is not None and visit.holder is None:
            if page.method == "GET" and accepts_html(visit.request):
                return self.redirect(f"/sign-in?next={quote(visit.path, safe='')}")
            raise ProblemError(401, "nobody is signed in here, or not any longer")
        if page.role is not None and not visit.may(page.role):
            assert visit.holder is not None
            raise ProblemError(
                403, f"this needs a key with the role {page.role}, yours is {visit.holder.role}"
            )
        if page.method == "POST":
            # last: nobody else is to send large files
            await self._take_form(page, visit)
        return await page.handler(self, visit)

    async def _take_form(self, page: Page, visit: Visit) -> None:
        """Read a form, never more than its limit, and refuse one that another site has sent."""
        content = bytearray()
        async for chunk in visit.request.stream():
            content += chunk
            if len(content) > page.largest:
                raise ProblemError(413, f"a form has at most {page.largest:,} bytes here")
        visit.body = bytes(content)
        headers = visit.request.headers
        kind = headers.get("content-type", "")
        if has_files(kind):
            visit.fields, visit.files = await parts_of(visit.body, kind)
        else:
            visit.fields = fields_of(visit.body, kind)

        given = headers.get("x-csrf-token") or visit.text("csrf")
        site = headers.get("sec-fetch-site", "same-origin")
        if site not in ("same-origin", "none") or not self.sessions.is_token(visit.session, given):
            raise ProblemError(
                403, "this form was not made for this browser, or is too old: open the page again"
            )

    def _set_cookie(self, visit: Visit, response: Response) -> None:
        if visit.fresh:
            secure = visit.request.url.scheme == "https"
            response.set_cookie(
                COOKIE,
                self.sessions.cookie(visit.session),
                max_age=LIFE,
                httponly=True,
                samesite="strict",
                secure=secure,
            )

    # ------------------------------------------------------------ errors

    def _failed(self, visit: Visit, error: Exception) -> Response:
        told = problem_of(error)
        if told.status_code == 500:
            LOGGER.error("the page %s failed", visit.request.url.path, exc_info=error)
        detail = str(error) if told.status_code != 500 else "The log of the server says what."
        response = self._error(visit, told.status_code, detail)
        response.headers.update(getattr(error, "headers", {}))
        return response

    async def refused(self, request: Request, error: Exception) -> Response:
        """What Starlette refuses by itself: for browsers as a page, for programs as a problem."""
        assert isinstance(error, HTTPException)
        headers = dict(error.headers) if error.headers else {}
        if request.url.path.startswith(PROGRAMS) or not accepts_html(request):
            return problem(error.status_code, error.detail, headers)
        visit = self._visit(request)
        visit.holder = self.sessions.holder(visit.session, self.service.known_keys)
        response = self._error(visit, error.status_code, "")
        response.headers.update(headers)
        return response

    def _error(self, visit: Visit, status: int, detail: str) -> Response:
        headline = HEADLINES.get(status, "Something went wrong here")
        return self.render(
            visit, "pages/error.html", status, code=status, headline=headline, detail=detail
        )


def accepts_html(request: Request) -> bool:
    """Whether a browser asks for a page."""
    return "text/html" in request.headers.get("accept", "")
