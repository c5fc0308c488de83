"""`/studies`: what votes have come to, who voted, and links that invite."""

from __future__ import annotations

import csv
import io
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from factored_bandits.core.checks import integer
from factored_bandits.errors import InvalidInputError
from factored_bandits.service.api.problems import ProblemError
from factored_bandits.service.pages import Pages, Visit
from factored_bandits.service.pages.headers import PRIVATE
from factored_bandits.service.store import Transaction

from . import ballots, links, tables
from .booth import Study, booth_of
from .reporting import report
from .study import LONGEST_NAME, Rules, line

MOST_AT_ONCE = 50  # links


async def listed(pages: Pages, visit: Visit) -> Response:
    """All studies."""
    store = pages.service.store
    rows = {row.id: row for row in await pages.service.aside(store.experiments)}

    def counted(tx: Transaction) -> list[tuple[Any, Rules, int]]:
        found = tables.studies(tx)
        return [
            (rows[id], rules, ballots.cast(tx, id)) for id, rules in found.items() if id in rows
        ]

    found = sorted(await pages.read(counted), key=lambda each: each[0].key)
    return pages.render(visit, "arena/studies.html", studies=found)


async def show(pages: Pages, visit: Visit) -> Response:
    """The results of one study."""
    booth = booth_of(pages.service)
    study = await booth.study(visit.key)
    found = await report(booth, study)
    row = await pages.service.aside(pages.service.store.find, study.key)
    invited = await pages.read(tables.links, study.id)
    return pages.render(
        visit,
        "arena/results.html",
        study=study,
        rules=study.rules,
        row=row,
        results=found,
        matrix=_matrix(study, found.original.arena.entries),
        links=[(link, _link_address(pages, visit, study, link.id)) for link in invited],
        address=_address(study),
        learned=found.learned,
        stands=await booth.stands(study),
    )


async def pairs(pages: Pages, visit: Visit) -> Response:
    """All counted votes as evalica and arena-rank read them."""
    booth = booth_of(pages.service)
    study = await booth.study(visit.key)
    columns = (await report(booth, study)).original.arena.to_pairs()
    headers = {**PRIVATE, "Content-Disposition": 'attachment; filename="pairs.csv"'}
    return Response(csv_of(columns), 200, headers, "text/csv; charset=utf-8")


def csv_of(columns: dict[str, list[Any]]) -> str:
    """Columns as a CSV file.

    >>> csv_of({"model_a": ["A"], "model_b": ["B"], "winner": ["tie"]})
    'model_a,model_b,winner\\r\\nA,B,tie\\r\\n'
    """
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return written.getvalue()


async def invite(pages: Pages, visit: Visit) -> Response:
    """Make links: one for many, or many for one each."""
    study = await booth_of(pages.service).study(visit.key)
    name = line("the name of a link", visit.text("name"), LONGEST_NAME)
    many = visit.text("for") == "each"
    number = _whole("the number of links", visit.text("number", "1")) if many else 1
    if number > MOST_AT_ONCE:
        raise InvalidInputError(f"at most {MOST_AT_ONCE} links are made at once, not {number}")

    def add(tx: Transaction) -> None:
        for index in range(number):
            title = f"{name} {index + 1}" if many and number > 1 else name
            tables.add_link(tx, study.id, title, 1 if many else None)

    await pages.service.aside(tables.changed, pages.service.store, add)
    return pages.redirect(f"{_address(study)}#links")


async def revoke(pages: Pages, visit: Visit) -> Response:
    """Let a link be good for nothing."""
    study = await booth_of(pages.service).study(visit.key)
    done = await pages.service.aside(
        tables.changed, pages.service.store, tables.revoke_link, study.id, visit.text("link")
    )
    if not done:
        raise ProblemError(404, "there is no such link")
    return pages.redirect(f"{_address(study)}#links")


async def settle(pages: Pages, visit: Visit) -> Response:
    """Settle the duels that nobody has judged as ties, so that what comes after them is learned."""
    booth = booth_of(pages.service)
    study = await booth.study(visit.key)
    assert visit.holder is not None, "the page needs a role"
    await booth.expire(study, visit.holder.name)
    return pages.redirect(_address(study))


async def exclude(pages: Pages, visit: Visit) -> Response:
    """Leave a voter out, or take them back."""
    study = await booth_of(pages.service).study(visit.key)
    back = visit.text("action") == "include"
    reason = None if back else line("the reason", visit.text("reason"), LONGEST_NAME)
    try:
        voter = bytes.fromhex(visit.text("voter"))
    except ValueError:
        raise ProblemError(404, "there is no such voter") from None
    done = await pages.service.aside(
        tables.changed, pages.service.store, tables.exclude, study.id, voter, reason
    )
    if not done:
        raise ProblemError(404, "there is no such voter")
    return pages.redirect(f"{_address(study)}#voters")


# ------------------------------------------------------------ parts


def _address(study: Study) -> str:
    return f"/studies/{quote(study.key, safe='')}"


def _link_address(pages: Pages, visit: Visit, study: Study, id: str) -> str:
    url = visit.request.url
    signed = links.signed(pages.service.engine.secret, study.key, id)
    return f"{url.scheme}://{url.netloc}/arena/{quote(study.key, safe='')}?invite={signed}"


def _whole(what: str, given: str) -> int:
    try:
        return integer(what, int(given), 1)
    except ValueError:
        raise InvalidInputError(f"{what} must be a whole number, not {given[:20]!r}") from None


def _matrix(study: Study, entries: Any) -> list[tuple[str, list[str]]]:
    """Wins of row over column, ties and votes."""
    wins: dict[tuple[str, str], list[int]] = {}
    for entry in entries:
        first, second = entry.call["first"], entry.call["second"]
        for one, other, value in ((first, second, entry.value), (second, first, 1 - entry.value)):
            cell = wins.setdefault((one, other), [0, 0, 0])
            cell[0] += value == 1.0
            cell[1] += value == 0.5
            cell[2] += 1
    rows = []
    for name in study.names:
        cells = []
        for other in study.names:
            won, ties, n = wins.get((name, other), [0, 0, 0])
            cells.append("" if name == other else "·" if not n else f"{won} / {ties} / {n}")
        rows.append((name, cells))
    return rows
