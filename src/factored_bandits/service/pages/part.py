"""A part of the service that has pages, and one of its pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.responses import Response

if TYPE_CHECKING:
    from .router import Pages
    from .visit import Visit

LARGEST_FORM = 100_000  # bytes

Handler = Callable[["Pages", "Visit"], Awaitable[Response]]


class Page(NamedTuple):
    """What a browser can ask for.

    Attributes
    ----------
    method
        "GET", or "POST" for a form.
    path
        As Starlette writes it, such as "/experiments/{key}".
    handler
        Gives the answer; errors of the library become a page that says what was wrong.
    role
        What the key must allow with which a visitor has signed in; None: nobody needs to sign in.
    largest
        Bytes that the body of a form may have.
    """

    method: str
    path: str
    handler: Handler
    role: str | None = "read"
    largest: int = LARGEST_FORM


class Part(NamedTuple):
    """Pages that belong together.

    Attributes
    ----------
    name
        Its templates are `NAME/file.html`, its assets `/assets/NAME/file`.
    folder
        Where `templates` and `assets` lie.
    pages
        Its pages.
    tasks
        Work that runs as long as the service does: each is called in its event loop, and cancelled
        when the service ends.
    """

    name: str
    folder: Path
    pages: tuple[Page, ...]
    tasks: tuple[Callable[[Pages], Awaitable[Any]], ...] = ()
