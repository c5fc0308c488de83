"""The OpenAPI 3.1 description, made of the endpoints and the bodies."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from factored_bandits import __version__

from .bodies import Problem, schemas
from .endpoints import ENDPOINTS, Endpoint
from .links import links_of, name_of

PAGED = ("/v1/experiments", "/export", "/timeline")  # they take a cursor
ERRORS = {
    "400": "The body is no JSON.",
    "401": "A key is missing, or nobody has it.",
    "403": "The role of the key does not suffice.",
    "404": "There is no such experiment.",
    "405": "There is no such method here.",
    "409": "The experiment is another one, paused, stopped or full.",
    "413": "The body is too large.",
    "422": "Something in the request is wrong; the detail says what.",
    "503": "The database cannot be used; try again.",
}


def document() -> dict[str, Any]:
    """The whole description.

    >>> document()["openapi"]
    '3.1.0'
    """
    every = [
        kind
        for endpoint in ENDPOINTS
        for kind in (endpoint.body, endpoint.answer, endpoint.failure)
        if kind is not None
    ]
    references, components = schemas(list(dict.fromkeys([*every, Problem])))
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(
            endpoint, references
        )
    made = {
        "openapi": "3.1.0",
        "info": {"title": "factored-bandits", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(made))
    return plain


def _operation(endpoint: Endpoint, references: dict[type, Any]) -> dict[str, Any]:
    said = (endpoint.handler.__doc__ or "").strip()
    made: dict[str, Any] = {
        "summary": said.splitlines()[0],
        "operationId": name_of(endpoint.method, endpoint.path),
        "parameters": _parameters(endpoint),
        "responses": {
            **{
                str(status): _answer(references[endpoint.answer])
                for status in endpoint.statuses
                if status != 304
            },
            **{
                str(status): {"description": "As it was."}
                for status in endpoint.statuses
                if status == 304
            },
            **{
                status: _error(endpoint, status, sentence, references)
                for status, sentence in ERRORS.items()
            },
        },
        "security": [{"key": []}] if endpoint.role else [{"key": []}, {}],
    }
    if endpoint.body is not None:
        content = {"application/json": {"schema": references[endpoint.body]}}
        made["requestBody"] = {"required": not endpoint.optional, "content": content}
    links = links_of(endpoint, ENDPOINTS)
    for status in endpoint.statuses:
        if links:
            made["responses"][str(status)]["links"] = links
    return made


def _parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    text = {"type": "string"}
    found = []
    for name in re.findall(r"{([a-z]+)}", endpoint.path):
        found.append({"name": name, "in": "path", "required": True, "schema": text})
    if endpoint.path.endswith("/decisions"):
        found.append({"name": "Idempotency-Key", "in": "header", "schema": text})
    if 304 in endpoint.statuses:
        found.append({"name": "If-None-Match", "in": "header", "schema": text})
    if endpoint.path.endswith("/certificate"):
        found.append({"name": "alpha", "in": "query", "schema": {"type": "number"}})
    if endpoint.method == "GET" and endpoint.path.endswith(PAGED):
        found.append({"name": "cursor", "in": "query", "schema": text})
    return found


def _error(
    endpoint: Endpoint, status: str, sentence: str, references: dict[type, Any]
) -> dict[str, Any]:
    """A problem; of OFREP only where a key or the method is wrong."""
    if endpoint.failure is Problem or status in ("401", "403", "405"):
        return _answer(references[Problem], sentence, "application/problem+json")
    return _answer(references[endpoint.failure], sentence)


def _answer(
    schema: Any, sentence: str = "Done.", media: str = "application/json"
) -> dict[str, Any]:
    return {"description": sentence, "content": {media: {"schema": schema}}}
