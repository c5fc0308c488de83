"""One request of a browser: who it is, and what a form has sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from starlette.requests import Request

from factored_bandits.service.api.access import may
from factored_bandits.service.api.problems import ProblemError
from factored_bandits.service.store import AccessKey

from .session import Session
from .uploads import Upload

MOST_FIELDS = 500


@dataclass
class Visit:
    """One request.

    Attributes
    ----------
    request
        As Starlette has it.
    session
        The browser's; `fresh` if it has none yet.
    holder
        The key with which somebody has signed in.
    body
        What was sent.
    fields
        The fields of a form; a name may have several values.
    files
        The files that came with it.
    fresh
        Whether the answer must set the cookie.
    """

    request: Request
    session: Session
    holder: AccessKey | None = None
    body: bytes = b""
    fields: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, list[Upload]] = field(default_factory=dict)
    fresh: bool = False

    def text(self, name: str, default: str = "") -> str:
        """A field of the form, without the blanks around it."""
        return self.fields.get(name, [default])[-1].strip()

    def texts(self, name: str) -> list[str]:
        """All fields with a name, in their order."""
        return self.fields.get(name, [])

    def query(self, name: str, default: str = "") -> str:
        """A part of the address after the question mark."""
        return self.request.query_params.get(name, default)

    @property
    def key(self) -> str:
        """The `{key}` of the path."""
        return str(self.request.path_params["key"])

    @property
    def path(self) -> str:
        """The address of this page, with what follows the question mark."""
        query = self.request.url.query
        return f"{self.request.url.path}?{query}" if query else self.request.url.path

    def may(self, role: str) -> bool:
        """Whether the one who has signed in may do what needs a role."""
        return self.holder is not None and may(self.holder.role, role)


def fields_of(body: bytes, kind: str) -> dict[str, list[str]]:
    """The fields of a form; other kinds of content have none here."""
    if kind.partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        return {}
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            max_num_fields=MOST_FIELDS,
            errors="strict",
        )
    except ValueError:
        raise ProblemError(
            400, f"the form cannot be read: at most {MOST_FIELDS} fields, as UTF-8"
        ) from None
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found
