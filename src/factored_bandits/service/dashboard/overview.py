"""`/`: the experiments, one row each."""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

from starlette.responses import Response

from factored_bandits.report.svg import sparkline
from factored_bandits.service.pages import Pages, Visit
from factored_bandits.service.pages.formats import number, share
from factored_bandits.service.store import Experiment, Transaction
from factored_bandits.service.tallies import Tally

from .charts import spark
from .health import Finding, findings, worst
from .live import Parts, Shared, stream

PAGE = 50
DAY = 86_400_000_000  # microseconds
LONGEST_SEARCH = 100


class ListRow(NamedTuple):
    """One experiment as the list shows it."""

    id: int
    key: str
    status: str
    reason: str | None
    decisions: int
    today: int
    is_duel: bool
    mean: str
    spark: str  # SVG
    leader: str
    confidence: float | None
    policy: str
    health: Finding


class Found(NamedTuple):
    """A part of the list, and where the next one begins."""

    at: float
    rows: list[ListRow]
    more: str | None
    amount: int  # of all experiments


class Wanted(NamedTuple):
    """Which part of the list."""

    after: str
    search: str


async def show(pages: Pages, visit: Visit) -> Response:
    """The page."""
    wanted = _wanted(visit)
    found = await pages.read(_read, wanted)
    template = "dashboard/overview.html" if found.amount else "dashboard/empty.html"
    return pages.render(
        visit,
        template,
        found=found,
        wanted=wanted,
        address=str(visit.request.base_url).rstrip("/"),
    )


async def live(pages: Pages, visit: Visit) -> Response:
    """Rows of the list, whenever they change."""
    wanted = _wanted(visit)

    async def produce() -> Parts:
        found = await _shared(pages, wanted)
        return Parts(
            found.at,
            {f"row-{row.id}": pages.fragment("dashboard/row.html", row=row) for row in found.rows},
        )

    return stream(pages, visit, produce)


def _wanted(visit: Visit) -> Wanted:
    search = visit.query("search").strip()[:LONGEST_SEARCH]
    return Wanted(visit.query("after")[: LONGEST_SEARCH * 2], search)


async def _shared(pages: Pages, wanted: Wanted) -> Found:
    """What all who listen are shown."""
    shared: Shared = pages.kept.setdefault("lists", Shared())

    async def make() -> Any:
        return await pages.read(_read, wanted)

    found: Found = await shared.get(wanted, make)
    return found


def _read(tx: Transaction, wanted: Wanted) -> Found:
    at = time.time()
    found = tx.listed(wanted.after, wanted.search, PAGE + 1)
    shown = found[:PAGE]
    unlogged = tx.unlogged_of([row.id for row, _ in shown])
    rows = [_row(row, body, unlogged.get(row.id, {})) for row, body in shown]
    return Found(at, rows, shown[-1][0].key if len(found) > PAGE else None, tx.amount())


def _row(row: Experiment, body: str | None, unlogged: dict[str, int]) -> ListRow:
    if body is None:
        none = Finding("calm", "", "no data yet", "")
        return ListRow(
            row.id, row.key, row.status, row.reason, 0, 0, False, "-", "", "-", None, "", none
        )
    tally = Tally.of(body)
    said = tally.agent
    today = (time.time_ns() // 1000) // DAY
    asked = sum(each.asks for each in tally.buckets("day") if each.number == today)
    is_duel = not isinstance(said.get("best"), dict) and "best" in said
    health = findings(tally, unlogged, tally.ttl, None)
    if said.get("alarms"):
        health.append(Finding("bad", "", "assumption fails", ""))
    return ListRow(
        row.id,
        row.key,
        row.status,
        row.reason,
        tally.asks,
        asked,
        is_duel,
        "-" if tally.mean is None else _mean(tally),
        _spark(tally),
        _leader(said.get("best")),
        said.get("confidence"),
        said.get("policy", ""),
        worst(health),
    )


def _mean(tally: Tally) -> str:
    assert tally.mean is not None
    return share(tally.mean) if tally.is_rate else number(tally.mean)


def _spark(tally: Tally) -> str:
    span, means = spark(tally)
    known = [mean for mean in means if not math.isnan(mean)]
    if len(known) < 2:
        return ""
    shown = share if tally.is_rate else number
    told = f"mean reward per {span}: {shown(known[0])} at first, {shown(known[-1])} at last"
    return sparkline(means, told)


def _leader(best: Any) -> str:
    if best is None:
        return "-"
    return ", ".join(map(str, best.values())) if isinstance(best, dict) else str(best)
