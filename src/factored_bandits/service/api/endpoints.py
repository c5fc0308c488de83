"""What can be asked over HTTP: routes, the OpenAPI description and the checks are made of these."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from factored_bandits.service.arena import api as votes
from factored_bandits.service.arena import bodies as voting

from . import decisions, experiments, keyring, ofrep, records
from .bodies import (
    Certified,
    Decisions,
    EvaluatedFlags,
    Evaluation,
    Expired,
    ExpireWanted,
    Failure,
    FlagValue,
    KeyList,
    KeyName,
    MadeKey,
    NewExperiment,
    NewKey,
    Outcomes,
    Page,
    Problem,
    Reason,
    RecordPage,
    Rewards,
    State,
    Summary,
    TimelinePage,
    Wanted,
)
from .problems import problem_of
from .state import Service


def _as_problem(request: Request, error: Exception) -> Response:
    return problem_of(error)


LARGEST_BODY = 1_000_000  # bytes

Handler = Callable[[Service, Request, Any], Awaitable[tuple[int, Any]]]


class Endpoint(NamedTuple):
    """One thing that can be asked over HTTP; the OpenAPI description is made of these."""

    method: str
    path: str
    handler: Handler
    answer: type
    body: type | None = None
    statuses: tuple[int, ...] = (200,)
    role: str | None = None
    optional: bool = False  # whether the body may be missing
    failure: type = Problem  # what an error looks like
    failed: Callable[[Request, Exception], Response] = _as_problem
    largest: int = LARGEST_BODY


ENDPOINTS = (
    Endpoint(
        "POST", "/v1/experiments", experiments.create, Summary, NewExperiment, (200, 201), "admin"
    ),
    Endpoint("GET", "/v1/experiments", experiments.page, Page, role="read"),
    Endpoint("GET", "/v1/experiments/{key}", experiments.show, Summary, role="read"),
    Endpoint("GET", "/v1/experiments/{key}/status", experiments.state, State, role="read"),
    Endpoint(
        "POST",
        "/v1/experiments/{key}/decisions",
        decisions.decide,
        Decisions,
        Wanted,
        role="write",
        optional=True,
    ),
    Endpoint("GET", "/v1/experiments/{key}/certificate", records.certify, Certified, role="read"),
    Endpoint("GET", "/v1/experiments/{key}/timeline", records.timeline, TimelinePage, role="read"),
    Endpoint("GET", "/v1/experiments/{key}/export", records.export, RecordPage, role="read"),
    Endpoint(
        "POST",
        "/v1/experiments/{key}/expire",
        records.expire,
        Expired,
        ExpireWanted,
        role="write",
        optional=True,
    ),
    Endpoint("POST", "/v1/keys", keyring.create, MadeKey, NewKey, (201,), "admin"),
    Endpoint("GET", "/v1/keys", keyring.listed, KeyList, role="admin"),
    Endpoint("DELETE", "/v1/keys/{key}", keyring.remove, KeyName, role="admin"),
    Endpoint("POST", "/v1/rewards", decisions.reward, Outcomes, Rewards),
    *(
        Endpoint(
            "POST",
            f"/v1/experiments/{{key}}/{verb}",
            experiments.control,
            Summary,
            Reason,
            role="admin",
            optional=True,
        )
        for verb in ("pause", "resume", "stop")
    ),
    Endpoint(
        "POST",
        "/v1/studies",
        votes.make,
        voting.MadeStudy,
        voting.NewStudy,
        (200, 201),
        "admin",
        largest=60_000_000,
    ),
    Endpoint("GET", "/v1/studies/{key}", votes.results, voting.StudyResults, role="read"),
    Endpoint("GET", "/v1/studies/{key}/pairs", votes.pairs, voting.Pairs, role="read"),
    Endpoint(
        "POST",
        "/v1/studies/{key}/links",
        votes.invite,
        voting.VoterLink,
        voting.NewLink,
        (201,),
        "admin",
    ),
    Endpoint("GET", "/v1/studies/{key}/links", votes.invited, voting.VoterLinks, role="admin"),
    Endpoint(
        "DELETE", "/v1/studies/{key}/links/{link}", votes.revoke, voting.VoterLinks, role="admin"
    ),
    Endpoint(
        "POST",
        "/v1/studies/{key}/exclude",
        votes.exclude,
        voting.Excluded,
        voting.Exclusion,
        role="admin",
    ),
    Endpoint(
        "POST",
        "/ofrep/v1/evaluate/flags/{key}",
        ofrep.evaluate,
        FlagValue,
        Evaluation,
        role="write",
        optional=True,
        failure=Failure,
        failed=ofrep.failed,
    ),
    Endpoint(
        "POST",
        "/ofrep/v1/evaluate/flags",
        ofrep.evaluate_all,
        EvaluatedFlags,
        Evaluation,
        (200, 304),
        "write",
        optional=True,
        failure=Failure,
        failed=ofrep.failed,
    ),
)
