"""Decisions and rewards over HTTP."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from factored_bandits.agent import Decision
from factored_bandits.errors import DecisionError, FactoredBanditsError, RewardOutOfRangeError
from factored_bandits.service.engine import FALLBACK, Ask, ConflictError, Handle, Tell, is_held
from factored_bandits.service.store import AccessKey
from factored_bandits.service.units import hashed

from .access import may
from .bodies import Decided, Decisions, Outcome, Outcomes, Reward, Rewards, Wanted
from .problems import ProblemError
from .state import Service
from .tokens import read, token
from .waiting import answers, check_all

LOGGED = ("accepted", "late")  # outcomes that are events


async def decide(service: Service, request: Request, body: Wanted) -> tuple[int, Decisions]:
    """Decisions; the same unit, or the same idempotency key, has the same ones."""
    holder = await service.holder(request, "write")
    name = request.path_params["key"]
    handle = service.named_handle(name) or await service.handle(name)
    secret = service.engine.secret
    key = request.headers.get("idempotency-key")
    units: list[str | None] = list(body.units) if body.units else [None] * body.count

    asks = []
    for number, unit in enumerate(units):
        ask = Ask(who=holder.name, patient=False)
        if unit is not None:  # units have their own way of being the same
            ask.unit = hashed(secret, "unit", unit)
        elif key:
            ask.idem = hashed(secret, "idempotency key", f"{key}/{number}")
        asks.append(ask)
    made = await service.decide(handle, asks)
    return 200, Decisions(
        [_decided(secret, handle, one, unit) for one, unit in zip(made, units, strict=True)]
    )


def _decided(secret: bytes, handle: Handle, one: Decision, unit: str | None) -> Decided:
    if one.id == FALLBACK:
        return Decided(None, None, list(one.action), one.levels, None, unit, learn=False)
    signed = token(secret, handle.id, one.id)
    made = Decided(signed, one.id, list(one.action), one.levels, one.propensity, unit)
    made.holdout = is_held(one.id)
    return made


async def reward(service: Service, request: Request, body: Rewards) -> tuple[int, Outcomes]:
    """Rewards of any experiments; a token needs no key, so that a browser can send it."""
    holder = await service.known(request)
    who = None if holder is None else holder.name
    # all of them are read before the first one is told: a body that does not fit changes nothing
    meant: list[tuple[Handle, Tell] | DecisionError] = []
    for one in body.rewards:
        if one.token is None:
            meant.append(await _named(service, holder, one))
            continue
        signed = read(service.engine.secret, one.token)
        handle = None
        if signed is not None:
            handle = service.known_handle(signed[0]) or await service.handle_of(signed[0])
        if signed is None or handle is None:
            meant.append(DecisionError("the token is not one of this service"))
        else:
            meant.append((handle, Tell(decision=signed[1], reward=one.reward, who=who)))
    telling = [service.submit(*each) for each in meant if not isinstance(each, DecisionError)]
    said = await answers(telling)
    check_all(said, (DecisionError, RewardOutOfRangeError), "rewards")
    told = iter(said)
    found = [_outcome(each if isinstance(each, DecisionError) else next(told)) for each in meant]
    for each, outcome in zip(meant, found, strict=True):
        service.metrics.counts.rewards[outcome.outcome] += 1
        if outcome.outcome not in LOGGED:
            number = 0 if isinstance(each, DecisionError) else each[0].id
            service.unlogged[number, outcome.outcome] += 1
    return 200, Outcomes(found)


def _outcome(said: Any) -> Outcome:
    """What became of a reward."""
    if isinstance(said, RewardOutOfRangeError):
        return Outcome("refused", str(said))
    if isinstance(said, DecisionError):
        conflict = isinstance(said, ConflictError)
        return Outcome("conflict" if conflict else "unknown", str(said))
    return Outcome(said)


async def _named(
    service: Service, holder: AccessKey | None, one: Reward
) -> tuple[Handle, Tell] | DecisionError:
    """What a reward without a token is for: the number or the unit of a decision."""
    if one.experiment is None or (one.decision is None) == (one.unit is None):
        raise ProblemError(
            422, "a reward names its decision: token, or experiment and either decision or unit"
        )
    if holder is None or not may(holder.role, "write"):
        raise ProblemError(401, "a reward without a token needs a key with the role write")
    try:
        handle = await service.handle(one.experiment)
    except FactoredBanditsError as error:
        return DecisionError(str(error))
    unit = hashed(service.engine.secret, "unit", one.unit)
    return handle, Tell(decision=one.decision, unit=unit, reward=one.reward, who=holder.name)
