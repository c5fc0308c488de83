"""Experiments over HTTP: make, list, look, pause, resume, stop."""

from __future__ import annotations

import math
from typing import Any

from starlette.requests import Request

from factored_bandits import policies
from factored_bandits.errors import InvalidInputError, UnknownNameError
from factored_bandits.service.comparison import GroupReport, HoldoutReport, holdout_report
from factored_bandits.service.config import Config, checked_key, differences, made
from factored_bandits.service.engine import Control, Fold, Read
from factored_bandits.service.fingerprint import fingerprint
from factored_bandits.service.store import Experiment

from .bodies import Compared, Held, Level, NewExperiment, Page, Reason, State, Summary
from .problems import ProblemError
from .state import Service

PAGE = 100


async def create(service: Service, request: Request, body: NewExperiment) -> tuple[int, Summary]:
    """Make an experiment; the same again is no error."""
    await service.holder(request, "admin")
    given: dict[str, Any] = {
        name: getattr(body, name) for name in body.__struct_fields__ if name != "params"
    }
    key = checked_key(given.pop("key"))
    if (body.factors is None) == (body.arms is None):
        raise InvalidInputError("give either factors or arms")
    row, is_new = await created(service, key, given, body.params)
    return (201 if is_new else 200), summary(row)


async def created(
    service: Service, key: str, given: dict[str, Any], params: dict[str, Any]
) -> tuple[Experiment, bool]:
    """Make an experiment, unless there is the same one already; and whether it is new."""
    try:
        config = await service.aside(_config, given, params)
    except UnknownNameError as error:
        raise ProblemError(422, str(error)) from None
    before = await service.aside(service.store.find, key)
    row = await service.aside(service.store.create, key, config.text(), fingerprint())
    other = differences(Config.of(row.config), config.given)
    if other:
        raise ProblemError(409, f"there is another experiment {key!r}: {'; '.join(other)}")
    service.know(row)
    return row, before is None


def _config(given: dict[str, Any], params: dict[str, Any]) -> Config:
    # not a path: nobody is to run a file of this machine from afar
    name = (given["policy"] or "").partition("(")[0].strip()
    if name and name not in policies.names():
        raise UnknownNameError.of("policy", name, policies.names())
    return made(given, params)[0]


def summary(row: Experiment) -> Summary:
    """An experiment as a list shows it."""
    given = Config.of(row.config).given
    shown = {name: value for name, value in given.items() if value is not None}
    return Summary(row.key, row.status, row.reason, row.head, shown)


async def page(service: Service, request: Request, body: None) -> tuple[int, Page]:
    """The experiments by key, a page at a time."""
    await service.holder(request, "read")
    after = request.query_params.get("cursor", "")
    rows = [row for row in await service.aside(service.store.experiments) if row.key > after]
    more = rows[PAGE - 1].key if len(rows) > PAGE else None
    return 200, Page([summary(row) for row in rows[:PAGE]], more)


async def show(service: Service, request: Request, body: None) -> tuple[int, Summary]:
    """One experiment."""
    await service.holder(request, "read")
    handle = await service.handle(request.path_params["key"])
    row = await service.aside(service.store.find, handle.key)
    assert row is not None, "experiments are never removed"
    return 200, summary(row)


async def state(service: Service, request: Request, body: None) -> tuple[int, State]:
    """What the agent knows."""
    await service.holder(request, "read")
    handle = await service.handle(request.path_params["key"])
    found: State = await service.call(handle, Read(look=_state, whole=True))
    return 200, found


def _state(fold: Fold) -> State:
    agent = fold.agent
    status = agent.status()
    levels = [
        Level(row.factor, row.level, row.active, row.plays, row.gap, row.lower)
        for row in status.rows
    ]
    return State(
        status.policy,
        status.asked,
        status.learned,
        status.waiting,
        agent.best(),
        agent.confidence(),
        levels,
        None if fold.holdout is None else _held(holdout_report(fold)),
    )


def _held(report: HoldoutReport) -> Held:
    return Held(report.share, _compared(report.held), _compared(report.rest))


def _compared(group: GroupReport) -> Compared:
    """JSON has no nan."""
    mean = None if math.isnan(group.mean) else group.mean
    error = None if math.isnan(group.standard_error) else group.standard_error
    return Compared(group.asked, group.settled, mean, error)


async def control(service: Service, request: Request, body: Reason) -> tuple[int, Summary]:
    """Pause, resume or stop."""
    holder = await service.holder(request, "admin")
    handle = await service.handle(request.path_params["key"])
    kind = request.path_params["verb"]
    await service.call(handle, Control(kind=kind, reason=body.reason or None, who=holder.name))
    row = await service.aside(service.store.find, handle.key)
    assert row is not None, "experiments are never removed"
    return 200, summary(row)
