"""What the log of an experiment tells: its decisions, active sets over time, the certificate."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.requests import Request

from factored_bandits.agent import Agent
from factored_bandits.errors import InvalidInputError
from factored_bandits.inference.certificate import ALPHA, Certificate, certificate
from factored_bandits.service.durations import seconds
from factored_bandits.service.engine import Expire, Handle, Read
from factored_bandits.service.export import rows_after
from factored_bandits.service.store import Store
from factored_bandits.service.timeline import Change, Timeline

from .bodies import (
    Certified,
    Expired,
    ExpireWanted,
    LevelChange,
    LevelClaim,
    RecordPage,
    TimelinePage,
)
from .problems import ProblemError
from .state import Service

PAGE = 1000  # decisions or changes in an answer
PORTION = 20_000  # events that one request computes anew, about a second


async def export(service: Service, request: Request, body: None) -> tuple[int, RecordPage]:
    """The decisions with propensities, rewards and times, a page at a time."""
    await service.holder(request, "read")
    handle = await service.handle(request.path_params["key"])
    after = _cursor(request)
    rows, last = await service.aside(_rows, service.store, handle, after)
    return 200, RecordPage([_readable(row) for row in rows], None if last is None else str(last))


def _rows(store: Store, handle: Handle, after: int) -> tuple[list[dict[str, Any]], int | None]:
    tx = store.reading()
    try:
        return rows_after(tx, handle.id, handle.config, after, PAGE)
    finally:
        tx.rollback()


async def timeline(service: Service, request: Request, body: None) -> tuple[int, TimelinePage]:
    """Levels that were eliminated or re-entered, in order; `behind` events are still to be read."""
    await service.holder(request, "read")
    handle = await service.handle(request.path_params["key"])
    first = _cursor(request)
    found, behind = await service.aside(_advanced, service, handle)
    changes = [_change(each) for each in found.changes[first : first + PAGE]]
    more = first + PAGE < len(found.changes)
    return 200, TimelinePage(found.eliminates, changes, behind, str(first + PAGE) if more else None)


def _advanced(service: Service, handle: Handle) -> tuple[Timeline, int]:
    row = service.store.find(handle.key)
    assert row is not None, "experiments are never removed"
    found = service.timelines.setdefault(handle.id, Timeline(row))
    tx = service.store.reading()
    try:
        found.advance(tx, PORTION)
    finally:
        tx.rollback()
    return found, max(row.head - found.read, 0)


async def certify(service: Service, request: Request, body: None) -> tuple[int, Certified]:
    """Which levels are ruled out and which are the best, valid whenever one looks."""
    await service.holder(request, "read")
    handle = await service.handle(request.path_params["key"])
    alpha = _number(request.query_params.get("alpha", str(ALPHA)))

    def look(agent: Agent[Any]) -> Certificate:
        return certificate(agent, alpha)

    found: Certificate = await service.call(handle, Read(look=look))
    claims = [
        LevelClaim(each.factor, each.level, each.verdict(found.alpha), each.p_value, each.others)
        for each in found.claims
    ]
    return 200, Certified(
        found.policy,
        found.rounds,
        found.alpha,
        found.confidence,
        found.assumption,
        found.best(),
        found.ruled_out(),
        claims,
    )


async def expire(service: Service, request: Request, body: ExpireWanted) -> tuple[int, Expired]:
    """Settle a decision, or all that are older, with the default reward: no answer will come."""
    holder = await service.holder(request, "write")
    handle = await service.handle(request.path_params["key"])
    if (body.decision is None) == (body.older_than is None):
        raise ProblemError(422, 'give either "decision" or "older_than"')
    if body.decision is not None:
        await service.call(handle, Expire(decision=body.decision, who=holder.name))
        return 200, Expired([body.decision])

    age = timedelta(seconds=seconds("older_than", body.older_than))
    expired = await service.call(handle, Expire(older_than=age, who=holder.name))
    return 200, Expired(list(expired))


# ------------------------------------------------------------ texts and numbers


def _cursor(request: Request) -> int:
    given = request.query_params.get("cursor", "0")
    if not (given.isascii() and given.isdigit() and len(given) < 16):
        raise InvalidInputError("cursor must be the `next` of the page before")
    return int(given)


def _number(given: str) -> float:
    try:
        return float(given)
    except ValueError:
        raise InvalidInputError(f"alpha must be a number, not {given[:20]!r}") from None


def _time(at: int) -> str:
    return datetime.fromtimestamp(at / 1e6, UTC).isoformat()


def _readable(row: dict[str, Any]) -> dict[str, Any]:
    """Times as people write them."""
    return {name: _time(each) if name.endswith("_at") else each for name, each in row.items()}


def _change(each: Change) -> LevelChange:
    return LevelChange(
        each.event, _time(each.at), each.decisions, each.factor, each.level, each.active
    )
