"""Studies over HTTP, for programs."""

from __future__ import annotations

import base64
import binascii
from urllib.parse import quote

from starlette.requests import Request

from factored_bandits.errors import InvalidInputError, UnknownNameError
from factored_bandits.service.api.problems import ProblemError
from factored_bandits.service.api.state import Service

from . import links, tables
from .bodies import (
    Candidate,
    Excluded,
    Exclusion,
    MadeStudy,
    NewLink,
    NewStudy,
    Pairs,
    RatedCandidate,
    SideBias,
    StudyResults,
    Voter,
    VoteResult,
    VoterLink,
    VoterLinks,
)
from .booth import Study, booth_of
from .making import create, draft_of_images, draft_of_texts
from .markup import rendered
from .reporting import report
from .results import Outcome
from .study import Draft, Rules, checked_rules, drafted, line
from .tables import Link
from .voters import VoterReport


async def make(service: Service, request: Request, body: NewStudy) -> tuple[int, MadeStudy]:
    """Make a vote; the same again is no error."""
    await service.holder(request, "admin")
    draft = await service.aside(_draft, body)
    try:
        made = await service.aside(create, service.store, body.key, draft, body.policy, body.seed)
    except UnknownNameError as error:
        raise ProblemError(422, str(error)) from None
    service.know(made.row)
    where = f"/studies/{quote(made.row.key, safe='')}"
    found = MadeStudy(made.row.key, list(draft.names), len(draft.prompts), where)
    return (201 if made.new else 200), found


def _draft(body: NewStudy) -> Draft:
    fields = ("title", "question", "format", "cap", "undo", "patience", "alpha", "liars")
    rules = checked_rules(
        **{name: getattr(body, name) for name in (*fields, "least_seconds", "reveal")}
    )
    if rules.format == "markdown":
        rendered("")  # an error now, if a library is missing
    if (body.candidates is None) == (body.items is None):
        raise InvalidInputError("give either candidates or items")
    if body.items is not None:
        if rules.format == "image":
            raise InvalidInputError("items are answered by texts; give images as candidates")
        return _answered(body, rules)
    assert body.candidates is not None
    if rules.format == "image":
        return draft_of_images(rules, {n: _image(n, x) for n, x in body.candidates.items()})
    return draft_of_texts(rules, body.candidates)


def _answered(body: NewStudy, rules: Rules) -> Draft:
    items = body.items or []
    names = list(items[0].answers)
    for number, each in enumerate(items, 1):
        if set(each.answers) != set(names):
            different = sorted(set(each.answers) ^ set(names))[0]
            raise InvalidInputError(
                f"item {number}: each item is answered by the same candidates; {different!r} "
                "answers some of them only"
            )
    contents = [[each.answers[name].encode() for name in names] for each in items]
    return drafted(rules, names, [each.item for each in items], contents)


def _image(name: str, given: str) -> bytes:
    try:
        return base64.b64decode(given, validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInputError(f"the image of {name!r} must be base64") from None


async def results(service: Service, request: Request, body: None) -> tuple[int, StudyResults]:
    """What a vote has come to, valid whenever one looks."""
    await service.holder(request, "read")
    booth = booth_of(service)
    study = await booth.study(request.path_params["key"])
    found = await report(booth, study)
    bias = found.bias
    return 200, StudyResults(
        study.key,
        len(found.original.arena.entries),
        found.learned,
        await booth.stands(study),
        _result(found.original),
        None if found.without is None else _result(found.without),
        [RatedCandidate(*each) for each in found.scores],
        SideBias(bias.share, bias.low, bias.high, bias.verdicts),
        [_voter(each) for each in found.voters],
    )


async def pairs(service: Service, request: Request, body: None) -> tuple[int, Pairs]:
    """All counted votes, as evalica and arena-rank read them."""
    await service.holder(request, "read")
    booth = booth_of(service)
    study = await booth.study(request.path_params["key"])
    return 200, Pairs(**(await report(booth, study)).original.arena.to_pairs())


async def invite(service: Service, request: Request, body: NewLink) -> tuple[int, VoterLink]:
    """Make a voter link."""
    await service.holder(request, "admin")
    study = await booth_of(service).study(request.path_params["key"])
    line("the name of a link", body.name, len(body.name))
    made = await service.aside(
        tables.changed, service.store, tables.add_link, study.id, body.name, body.most
    )
    return 201, _link(service, study, made)


async def invited(service: Service, request: Request, body: None) -> tuple[int, VoterLinks]:
    """The voter links of a study."""
    await service.holder(request, "admin")
    study = await booth_of(service).study(request.path_params["key"])
    found = await service.aside(tables.looked, service.store, tables.links, study.id)
    return 200, VoterLinks([_link(service, study, each) for each in found])


async def revoke(service: Service, request: Request, body: None) -> tuple[int, VoterLinks]:
    """Revoke a voter link; those who came by it vote no more."""
    await service.holder(request, "admin")
    study = await booth_of(service).study(request.path_params["key"])
    done = await service.aside(
        tables.changed, service.store, tables.revoke_link, study.id, request.path_params["link"]
    )
    if not done:
        raise ProblemError(404, "there is no such link")
    return await invited(service, request, None)


async def exclude(service: Service, request: Request, body: Exclusion) -> tuple[int, Excluded]:
    """Leave a voter out of the second result, or take them back."""
    await service.holder(request, "admin")
    study = await booth_of(service).study(request.path_params["key"])
    if body.reason is not None:
        line("the reason", body.reason, len(body.reason))
    voter = bytes.fromhex(body.voter)
    done = await service.aside(
        tables.changed, service.store, tables.exclude, study.id, voter, body.reason
    )
    if not done:
        raise ProblemError(404, "there is no such voter")
    return 200, Excluded(body.voter, body.reason)


# ------------------------------------------------------------ parts


def _result(found: Outcome) -> VoteResult:
    rows = [
        Candidate(
            row.name,
            row.verdict,
            row.p_value,
            row.tally.wins,
            row.tally.ties,
            row.tally.losses,
            row.colluders,
        )
        for row in found.candidates
    ]
    arena = found.arena
    return VoteResult(list(found.top), arena.best, arena.confidence, found.sentence, rows)


def _voter(each: VoterReport) -> Voter:
    return Voter(
        each.voter.hex(),
        each.link,
        each.counted,
        each.left,
        each.right,
        each.ties,
        each.skipped,
        each.fast,
        each.side_p_value,
        each.side_only,
        each.too_fast,
        each.excluded,
    )


def _link(service: Service, study: Study, each: Link) -> VoterLink:
    signed = links.signed(service.engine.secret, study.key, each.id)
    path = f"/arena/{quote(study.key, safe='')}?invite={signed}"
    return VoterLink(each.id, each.name, path, each.most, each.voters, each.revoked is not None)
