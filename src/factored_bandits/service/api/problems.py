"""Errors as answers: application/problem+json."""

from __future__ import annotations

from http import HTTPStatus

import msgspec
from starlette.responses import Response

from factored_bandits.errors import (
    ExperimentError,
    FactoredBanditsError,
    InvalidInputError,
    StoreError,
    UnknownNameError,
)

from .bodies import Problem

# the first that fits
STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (UnknownNameError, 404),
    (ExperimentError, 409),
    (StoreError, 503),
    (InvalidInputError, 422),
    (FactoredBanditsError, 422),
)


class ProblemError(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers or {}


def problem(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    """The answer."""
    body = msgspec.json.encode(Problem(HTTPStatus(status).phrase, status, detail))
    return Response(body, status, headers, "application/problem+json")


def problem_of(error: Exception) -> Response:
    """The answer to an error of the library; others are a fault of ours."""
    if isinstance(error, ProblemError):
        return problem(error.status, error.detail, error.headers)
    for kind, status in STATUSES:
        if isinstance(error, kind):
            headers = {"Retry-After": "1"} if status == 503 else None
            return problem(status, str(error), headers)
    return problem(500, "something went wrong here; the log of the server says what")
