"""OFREP 0.3: every SDK of OpenFeature is a client of the service.

An experiment is an object flag, `key.factor` the level of one factor, `targetingKey` the unit, and
`metadata.decision` the token with which its reward is told.
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from factored_bandits.agent import Decision
from factored_bandits.errors import FactoredBanditsError, StoreError, UnknownNameError
from factored_bandits.openfeature.values import metadata_of, names_of, value_of, variant_of
from factored_bandits.service.engine import FALLBACK, Ask, Handle, is_held
from factored_bandits.service.units import hashed

from .bodies import EvaluatedFlags, Evaluation, Failure, FlagValue
from .problems import ProblemError, problem_of
from .state import Service
from .tokens import token

NAMED = "experiments"  # of the context of a bulk call: which experiments take part
MOST = 100
CODES = {400: "PARSE_ERROR", 404: "FLAG_NOT_FOUND", 413: "PARSE_ERROR", 422: "INVALID_CONTEXT"}


class EvaluationError(ProblemError):
    """An error with a code of OpenFeature."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(status, detail)
        self.code = code


async def evaluate(service: Service, request: Request, body: Evaluation) -> tuple[int, FlagValue]:
    """One flag by OFREP: an experiment as an object, or `key.factor` as the level of a factor."""
    holder = await service.holder(request, "write")
    key = request.path_params["key"]
    handle, factor = await _flag(service, key)
    decision = await _decided(service, handle, _unit(body), holder.name)
    return 200, _value(service, handle, key, factor, decision)


async def evaluate_all(
    service: Service, request: Request, body: Evaluation
) -> tuple[int, EvaluatedFlags | Response]:
    """The flags of the experiments that the context names, by OFREP.

    No decision is spent on a flag that is never shown: without `experiments` in the context there
    are none.
    """
    holder = await service.holder(request, "write")
    named = _named(body)
    unit = _unit(body) if named else ""
    found = await asyncio.gather(*(_all_of(service, key, unit, holder.name) for key in named))
    answer = EvaluatedFlags([flag for flags in found for flag in flags])

    content = msgspec.json.encode(answer)
    mark = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    if _is_known(request.headers.get("if-none-match", ""), mark):
        return 304, Response(status_code=304, headers={"ETag": mark})
    return 200, Response(content, 200, {"ETag": mark}, "application/json")


def failed(request: Request, error: Exception) -> Response:
    """An error as OFREP has it; a missing or insufficient key is a problem like any other."""
    plain = problem_of(error)
    if plain.status_code in (401, 403):
        return plain

    key = request.path_params.get("key", "")
    status = 400 if plain.status_code in (409, 422) else plain.status_code
    code = error.code if isinstance(error, EvaluationError) else CODES.get(plain.status_code)
    detail = msgspec.json.decode(plain.body)["detail"]
    content = msgspec.json.encode(Failure(key, code or "GENERAL", detail))
    headers = {"Retry-After": plain.headers["Retry-After"]} if status == 503 else None
    return Response(content, status, headers, "application/json")


# ------------------------------------------------------------ what is asked for


def _unit(body: Evaluation) -> str:
    unit = (body.context or {}).get("targetingKey")
    if unit is None or unit == "":
        raise EvaluationError(
            400,
            "TARGETING_KEY_MISSING",
            "the context needs a targetingKey: who it is that gets one decision and its reward",
        )
    if not isinstance(unit, str):
        raise EvaluationError(400, "INVALID_CONTEXT", "targetingKey must be a text")
    return unit


def _named(body: Evaluation) -> list[str]:
    given = (body.context or {}).get(NAMED, [])
    named = [given] if isinstance(given, str) else given
    if not isinstance(named, list) or not all(isinstance(key, str) for key in named):
        raise EvaluationError(
            400, "INVALID_CONTEXT", f"{NAMED} of the context must be a list of keys"
        )
    if len(named) > MOST:
        raise EvaluationError(400, "INVALID_CONTEXT", f"{NAMED} must be {MOST} at most")
    return list(dict.fromkeys(named))


async def _flag(service: Service, key: str) -> tuple[Handle, str | None]:
    """The experiment, and the factor or None; the longest key that there is wins."""
    for name, factor in names_of(key):
        try:
            handle = await service.handle(name)
        except UnknownNameError:
            continue
        if factor is None or factor in handle.config.factors:
            return handle, factor
    raise EvaluationError(404, "FLAG_NOT_FOUND", f"there is no experiment or factor {key!r}")


async def _all_of(service: Service, key: str, unit: str, who: str) -> list[FlagValue | Failure]:
    """All flags of an experiment; or why there are none, which does not keep others from theirs."""
    try:
        handle = await service.handle(key)
        decision = await _decided(service, handle, unit, who)
    except StoreError:
        raise
    except UnknownNameError as error:
        return [Failure(key, "FLAG_NOT_FOUND", str(error))]
    except FactoredBanditsError as error:
        return [Failure(key, "GENERAL", str(error))]
    parts: list[str | None] = [None, *handle.config.factors]
    return [
        _value(service, handle, key if part is None else f"{key}.{part}", part, decision)
        for part in parts
    ]


async def _decided(service: Service, handle: Handle, unit: str, who: str) -> Decision:
    ask = Ask(unit=hashed(service.engine.secret, "unit", unit), who=who, patient=False)
    (decision,) = await service.decide(handle, [ask])
    return decision


def _value(
    service: Service, handle: Handle, key: str, factor: str | None, decision: Decision
) -> FlagValue:
    stored = decision.id != FALLBACK
    signed = token(service.engine.secret, handle.id, decision.id) if stored else None
    known: dict[str, Any] = metadata_of(decision, signed)
    if is_held(decision.id):
        known["holdout"] = True
    reason = "SPLIT" if stored else "STALE"  # the best as far as was known: no reward is learned
    return FlagValue(key, reason, variant_of(decision, factor), value_of(decision, factor), known)


def _is_known(given: str, mark: str) -> bool:
    """Whether an If-None-Match names this answer.

    >>> _is_known('W/"a", "b"', '"b"'), _is_known("", '"b"')
    (True, False)
    """
    known = [each.strip().removeprefix("W/") for each in given.split(",")]
    return mark in known or "*" in known
