"""Pages of other origins: which may read what the service answers them (CORS); by default none."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError

ANY = "*"
MINUTES = 10  # that a browser remembers what it may send


def checked_origins(given: Iterable[str]) -> tuple[str, ...]:
    """Origins as a browser sends them.

    >>> checked_origins(["https://Shop.example", "http://localhost:5000/", "*"])
    ('https://shop.example', 'http://localhost:5000', '*')
    """
    return tuple(origin if origin == ANY else _checked(origin) for origin in given)


def _checked(origin: str) -> str:
    parts = urlsplit(origin.removesuffix("/").lower())
    rest = (parts.path, parts.query, parts.fragment)
    if parts.scheme not in ("http", "https") or not parts.hostname or any(rest):
        raise InvalidInputError(
            "an origin is a scheme, a host and maybe a port, such as https://shop.example or "
            f"http://localhost:5000, or * for all of them, not {shown(origin)}"
        )
    return f"{parts.scheme}://{parts.netloc}"


def with_origins(app: ASGIApp, origins: tuple[str, ...]) -> ASGIApp:
    """The application, whose answers pages of these origins may read.

    Cookies are not allowed with it: who asks shows a key, or the token of a decision.
    """
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=["GET", "POST"],
        allow_headers=[
            "authorization",
            "content-type",
            "idempotency-key",
            "if-none-match",
            "x-api-key",
            "x-request-id",
        ],
        expose_headers=["etag", "retry-after", "x-request-id"],
        max_age=60 * MINUTES,
    )
