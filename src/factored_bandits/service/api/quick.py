"""A request of the kinds that come all the time, of which a few headers are looked up."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request


class QuickHeaders:
    """Headers of which a few are looked up; the first of several with a name counts."""

    def __init__(self, sent: list[tuple[bytes, bytes]]) -> None:
        self._sent = dict(reversed(sent))

    def get(self, name: str, default: str | None = None) -> str | None:
        """The value of a header; names are in lower case."""
        found = self._sent.get(name.encode())
        return default if found is None else found.decode("latin-1")


class QuickRequest(Request):
    """What its handlers look at: headers and what the path says; who answers reads the body.

    Parameters
    ----------
    scope
        That of ASGI, of which only "headers" and "path_params" are used.
    """

    def __init__(self, scope: Any) -> None:
        self.scope = scope
        self._quick = QuickHeaders(scope["headers"])

    @property
    def headers(self) -> Any:
        """What a handler looks up."""
        return self._quick
