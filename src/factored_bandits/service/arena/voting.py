"""`/arena/{key}`: two candidates, five keys."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import quote

from markupsafe import Markup
from starlette.responses import Response

from factored_bandits.errors import FactoredBanditsError
from factored_bandits.service.api.problems import ProblemError
from factored_bandits.service.pages import Pages, Visit
from factored_bandits.service.pages.headers import PRIVATE
from factored_bandits.service.store import Transaction

from . import ballots, links, tables
from .ballots import CHOICES, Ballot
from .booth import Booth, Ended, Study, booth_of
from .images import MEDIA_TYPE
from .markup import rendered
from .tables import PROMPT, VoterRow

LOGGER = logging.getLogger("factored_bandits.service")
YEAR = 365 * 24 * 3600  # seconds that a browser stays the same voter
NOTES = {
    "late": "That duel was no longer yours: it took too long, or was judged in another window.",
    "fixed": "That vote can no longer be taken back.",
    "undone": "Your last vote is taken back. Here is its duel again.",
}


async def show(pages: Pages, visit: Visit) -> Response:
    """The page: an invitation, a duel, or why there is none."""
    booth = booth_of(pages.service)
    study = await booth.study(visit.key)
    voter = await _voter(pages, visit, study)
    if voter is None or voter.revoked:
        return await _outside(pages, visit, study, revoked=voter is not None)
    if voter.excluded is not None:
        return _page(pages, visit, study, "arena/ended.html", ended=Ended("excluded"))

    found = await booth.next(study, voter.voter)
    state = await pages.read(_progress, study.id, voter.voter)
    if isinstance(found, Ended):
        revealed = await _revealed(booth, study) if found.reason == "decided" else None
        return _page(
            pages, visit, study, "arena/ended.html", ended=found, revealed=revealed, **state
        )
    content = await pages.read(_contents, study, found)
    return _page(
        pages,
        visit,
        study,
        "arena/vote.html",
        ballot=found,
        note=NOTES.get(visit.query("note"), ""),
        **state,
        **content,
    )


async def act(pages: Pages, visit: Visit) -> Response:
    """A vote, a skip, or an undo; then the page again."""
    booth = booth_of(pages.service)
    study = await booth.study(visit.key)
    voter = await _voter(pages, visit, study)
    if voter is None or voter.revoked or voter.excluded is not None:
        raise ProblemError(403, "this browser cannot vote here, or no longer")

    action = visit.text("action")
    token = visit.text("ballot")
    note = ""
    if action == "undo":
        note = "undone" if await booth.undo(study, voter.voter) else "fixed"
    elif action == "skip":
        note = "" if await booth.skip(study, voter.voter, token) else "late"
    elif action == "leave":
        await booth.leave(study, voter.voter, token)
        return Response(None, 204, PRIVATE)
    elif action in CHOICES:
        choice = CHOICES[CHOICES.index(action)]
        note = "" if await booth.vote(study, voter.voter, token, choice) else "late"
    else:
        raise ProblemError(422, "action must be 1, 2, 0, skip, undo or leave")
    return pages.redirect(_address(study) + (f"?note={note}" if note else ""))


async def join(pages: Pages, visit: Visit) -> Response:
    """Become a voter: the browser gets a cookie, the database a hash of it.

    A form and not the link itself: programs that look at links are no voters.
    """
    booth = booth_of(pages.service)
    study = await booth.study(visit.key)
    known = await _voter(pages, visit, study)
    if known is not None and not known.revoked:
        return pages.redirect(_address(study))

    secret = pages.service.engine.secret
    link = links.read(secret, study.key, visit.text("invite"))
    if link is None:
        raise ProblemError(403, "this link is not complete, or is of another study")
    cookie = links.new_cookie()
    refused = await pages.service.aside(
        tables.changed,
        pages.service.store,
        tables.add_voter,
        study.id,
        link,
        links.voter_hash(secret, study.key, cookie),
    )
    if refused is not None:
        raise ProblemError(403, refused)

    response = pages.redirect(_address(study))
    response.set_cookie(
        links.cookie_name(study.key),
        cookie,
        max_age=YEAR,
        path="/arena",
        httponly=True,
        samesite="lax",
        secure=visit.request.url.scheme == "https",
    )
    return response


async def image(pages: Pages, visit: Visit) -> Response:
    """One side of a ballot; the address says nothing about who it is."""
    booth = booth_of(pages.service)
    study = await booth.study(visit.key)
    voter = await _voter(pages, visit, study)
    side = visit.request.path_params["side"]
    token = visit.request.path_params["token"]
    if voter is None or study.rules.format != "image" or side not in (1, 2):
        raise ProblemError(404, "there is no such image")

    def found(tx: Transaction) -> bytes | None:
        mine = [each for each in ballots.of_voter(tx, study.id, voter.voter) if each.token == token]
        if not mine:
            return None
        return tables.content(tx, study.id, mine[0].item, mine[0].arms[side - 1])

    body = await pages.read(found)
    if body is None:
        raise ProblemError(404, "there is no such image")
    return Response(body, 200, PRIVATE, MEDIA_TYPE)


async def tell_what_was_left(pages: Pages) -> None:
    """At the start of a server: votes that another one has taken and not told."""
    service = pages.service
    booth = booth_of(service)
    left = await pages.read(ballots.with_votes_left)
    if not left:
        return
    for row in await service.aside(service.store.experiments):
        if row.id not in left:
            continue
        try:
            await booth.settle(await booth.study(row.key))
        except (ProblemError, FactoredBanditsError) as error:
            LOGGER.warning("votes of %r wait to be told: %s", row.key, error)


# ------------------------------------------------------------ parts


def _page(
    pages: Pages, visit: Visit, study: Study, template: str, status: int = 200, **content: Any
) -> Response:
    return pages.render(
        visit,
        template,
        status,
        study=study,
        rules=study.rules,
        address=_address(study),
        **content,
    )


async def _outside(pages: Pages, visit: Visit, study: Study, *, revoked: bool) -> Response:
    """Somebody who is no voter: invited, or not."""
    invite = visit.query("invite")
    good = links.read(pages.service.engine.secret, study.key, invite) is not None
    status = 200 if good and not revoked else 403
    return _page(
        pages,
        visit,
        study,
        "arena/invited.html",
        status,
        invite=invite if good else "",
        revoked=revoked,
    )


async def _voter(pages: Pages, visit: Visit, study: Study) -> VoterRow | None:
    cookie = visit.request.cookies.get(links.cookie_name(study.key), "")
    if not 0 < len(cookie) < 100:
        return None
    hashed = links.voter_hash(pages.service.engine.secret, study.key, cookie)
    return await pages.read(tables.voter_of, study.id, hashed)


def _address(study: Study) -> str:
    return f"/arena/{quote(study.key, safe='')}"


def _progress(tx: Transaction, experiment: int, voter: bytes) -> dict[str, Any]:
    mine = ballots.of_voter(tx, experiment, voter)
    cast = [each for each in mine if each.status in ("voted", "telling", "counted")]
    last = next((each for each in cast if each.status == "voted"), None)
    return {"cast": len(cast), "last": last, "all_votes": ballots.cast(tx, experiment)}


def _contents(tx: Transaction, study: Study, ballot: Ballot) -> dict[str, Any]:
    """What is shown: the item, and both sides."""
    prompt = tables.content(tx, study.id, ballot.item, PROMPT)
    sides = []
    for arm in ballot.arms:
        body = tables.content(tx, study.id, ballot.item, arm)
        assert body is not None, "a study is stored whole"
        sides.append("" if study.rules.format == "image" else _text(study, body))
    return {"prompt": "" if prompt is None else _text(study, prompt), "sides": sides}


def _text(study: Study, body: bytes) -> str | Markup:
    text = body.decode()
    return Markup(rendered(text)) if study.rules.format == "markdown" else text


async def _revealed(booth: Booth, study: Study) -> Any:
    """Names and the result, if the rules say so and the vote has ended."""
    if not study.rules.reveal:
        return None
    from .reporting import report

    return await report(booth, study)
