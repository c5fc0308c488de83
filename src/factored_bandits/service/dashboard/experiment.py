"""`/experiments/{key}`: one experiment at a glance, and as it goes on."""

from __future__ import annotations

import functools
import time
from typing import Any, NamedTuple

from starlette.responses import Response

from factored_bandits.errors import UnknownNameError
from factored_bandits.inference.certificate import ALPHA
from factored_bandits.report.svg import svg
from factored_bandits.service.engine import Handle
from factored_bandits.service.pages import Pages, Visit
from factored_bandits.service.store import Change, Event, Experiment, HourTally, Transaction
from factored_bandits.service.tallies import Bucket, Shape, Tally

from .charts import lanes, reward_over_time
from .following import viewed_of
from .health import Finding, findings, worst
from .known import Known, known
from .levels import level_rows, next_elimination
from .live import Parts, Shared, digest, stream

SECTIONS = ("summary", "levels", "lanes", "reward", "health", "audit")
DAYS = 90
AUDITED = 10
LAST = 2**62
WHOLE, HALF, SLIM = 1080, 540, 340  # pixels of a drawing: a row of the page, half of it, a phone
DAY = 86_400_000_000  # microseconds


class Stored(NamedTuple):
    """What the database has of an experiment; no log is read for it."""

    row: Experiment
    tally: Tally
    unlogged: dict[str, int]
    lost: int  # rewards that name no decision of any experiment
    changes: list[Change]
    days: list[HourTally]
    audit: list[Event]


def stored(tx: Transaction, handle: Handle) -> Stored:
    """Read it."""
    brief = tx.brief(handle.id)
    empty = Tally.empty(Shape.of(handle.config))
    first = (time.time_ns() // 1000) // DAY - DAYS
    return Stored(
        tx.lock(handle.id),
        empty if brief is None else Tally.of(brief.body),
        tx.unlogged(handle.id),
        sum(tx.unlogged(0).values()),
        tx.changes(handle.id),
        tx.tallies(handle.id, first * 24, 24),
        tx.audit(handle.id, LAST, AUDITED + 1),
    )


async def show(pages: Pages, visit: Visit) -> Response:
    """The page."""
    handle = await _handle(pages, visit)
    viewed_of(pages).add(handle.id)
    content = await _content(pages, handle)  # not what others saw a moment ago
    sections = sections_of(pages, content)
    marks = {name: digest(text) for name, text in sections.items()}
    return pages.render(
        visit, "dashboard/experiment.html", sections=sections, marks=marks, **content
    )


async def live(pages: Pages, visit: Visit) -> Response:
    """The parts of the page, whenever they change."""
    handle = await _handle(pages, visit)

    async def produce() -> Parts:
        content = await _shared(pages, handle)
        return Parts(content["at"], sections_of(pages, content))

    return stream(pages, visit, produce)


async def _handle(pages: Pages, visit: Visit) -> Handle:
    try:
        return await pages.service.handle(visit.key)
    except UnknownNameError:
        # not all names there are, as for programs
        raise UnknownNameError(f"There is no experiment {visit.key!r}.") from None


async def _shared(pages: Pages, handle: Handle) -> dict[str, Any]:
    """What all who listen are shown."""
    shared: Shared = pages.kept.setdefault("experiments", Shared())
    made: dict[str, Any] = await shared.get(handle.id, functools.partial(_content, pages, handle))
    return made


def sections_of(pages: Pages, content: dict[str, Any]) -> dict[str, str]:
    """The parts of the page, each as HTML."""
    return {name: pages.fragment(f"dashboard/sections/{name}.html", **content) for name in SECTIONS}


async def _content(pages: Pages, handle: Handle) -> dict[str, Any]:
    """Everything that the page shows."""
    at = time.time()
    agent = await known(pages, handle)
    found = await pages.read(stored, handle)
    given = handle.config.given
    is_duel = given["arms"] is not None
    tally = found.tally
    content: dict[str, Any] = {
        "at": at,
        "row": found.row,
        "key": handle.key,
        "given": given,
        "is_duel": is_duel,
        "is_rate": tally.is_rate,
        "tally": tally,
        "today": _today(tally),
        "agent": agent if isinstance(agent, Known) else None,
        "problem": agent if isinstance(agent, str) else "",
        "alpha": ALPHA,
        "audit": found.audit[:AUDITED],
        "more_audit": len(found.audit) > AUDITED,
        "lift": _lift(tally),
    }
    health = findings(tally, found.unlogged, given["ttl"], given["default"])
    tested = [] if is_duel else _tested(agent)
    first = worst([*health, *(each for each in tested if each.grade == "bad")])
    content |= {"health": [*health, *tested], "worst": first, "lost": found.lost}
    content |= _levels(agent, found)
    content["reward"] = None if is_duel else _reward_chart(found, content["is_rate"])
    return content


def _levels(agent: Known | str, found: Stored) -> dict[str, Any]:
    if isinstance(agent, str):
        return {"levels": {}, "next": None, "per_day": None, "lanes": None, "certified": {}}
    rows = level_rows(agent, found.tally, found.changes)
    drawn = None
    if agent.eliminates and found.tally.since:
        chart = lanes(rows, found.changes, found.tally.since, max(found.row.at, found.tally.since))
        drawn = _drawn(chart, WHOLE)
    return {
        "levels": rows,
        "next": next_elimination(rows, agent.status.learned, ALPHA),
        "per_day": _per_day(found.tally),
        "lanes": drawn,
        "certified": {} if agent.certificate is None else agent.certificate.best(),
    }


def _reward_chart(found: Stored, is_rate: bool) -> dict[str, Any] | None:
    days = [
        Bucket(d.hour // 24, d.asks, d.settled, d.total, d.held_settled, d.held_total)
        for d in found.days
    ]
    chart = reward_over_time(found.tally, days, is_rate)
    return None if chart is None else _drawn(chart, HALF)


def _drawn(chart: Any, wide: int) -> dict[str, Any]:
    """A chart for wide and for narrow screens."""
    return {
        "chart": chart,
        "wide": svg(chart, wide, f"{chart.name}-wide"),
        "slim": svg(chart, SLIM, f"{chart.name}-slim"),
    }


def _today(tally: Tally) -> int:
    today = (time.time_ns() // 1000) // DAY
    return sum(each.asks for each in tally.buckets("day") if each.number == today)


def _per_day(tally: Tally) -> float | None:
    """Decisions a day, by the last stretches of time."""
    for span, length in (("day", 1.0), ("hour", 24.0), ("minute", 1440.0)):
        buckets = tally.buckets(span)[-8:-1]  # the last one is not over
        if len(buckets) >= 2:
            return length * sum(each.asks for each in buckets) / len(buckets)
    return None


def _lift(tally: Tally) -> tuple[str, float] | None:
    """What the agent's rewards are compared with, and how much more they are."""
    if tally.mean is None:
        return None
    if tally.held_settled and tally.held_total:
        return "the holdout", tally.mean / (tally.held_total / tally.held_settled) - 1.0
    reference = tally.uniform_mean
    return ("uniform play", tally.mean / reference - 1.0) if reference else None


def _tested(agent: Known | str) -> list[Finding]:
    """Does the assumption hold? The interaction test, in words."""
    name = "One best level per factor"
    if isinstance(agent, str):
        return []
    found = agent.diagnosis
    if found is None:
        sentence = (
            "Not tested: the experiment was made without diagnostics. What is said to be best "
            "assumes that the best level of a factor does not depend on the others."
        )
        return [Finding("calm", name, "not tested", sentence)]
    if not found.alarms:
        said = str(found).splitlines()[0]
        return [Finding("good", name, "no sign against it", f"{said[0].upper()}{said[1:]}.")]
    return [Finding("bad", name, "it fails", f"{found}.")]
