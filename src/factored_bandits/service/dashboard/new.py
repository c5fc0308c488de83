"""`/new`: make an experiment, and know beforehand how long it will take."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.responses import Response

from factored_bandits.errors import ExperimentError, FactoredBanditsError
from factored_bandits.planning import Assumptions, plan
from factored_bandits.planning.words import percent, rounded
from factored_bandits.service.api.experiments import created
from factored_bandits.service.api.problems import ProblemError
from factored_bandits.service.config import checked_key
from factored_bandits.service.pages import Pages, Visit
from factored_bandits.service.pages.headers import PRIVATE

from .form import Typed
from .live import Shared
from .wishes import BY_NAME, WISHES

SOONEST = "tea(bound=betting)"  # of those that rule levels out; the planner has an estimate of it
WAITING = 4  # forecasts that may be wanted at once


class Forecast(NamedTuple):
    """What the planner says: a sentence, warnings that matter, and how it is meant."""

    sentence: str
    warnings: list[str]
    notes: list[str]


async def show(pages: Pages, visit: Visit) -> Response:
    """The empty form."""
    return await _page(pages, visit, Typed.empty())


async def create(pages: Pages, visit: Visit) -> Response:
    """Make the experiment; whatever is wrong is said beside what was typed."""
    typed = Typed.of(visit)
    if visit.text("action") == "forecast":  # without a script
        return await _page(pages, visit, typed)
    try:
        key = checked_key(typed.texts["key"])
        if await pages.service.aside(pages.service.store.find, key) is not None:
            raise ExperimentError(f"There is an experiment “{key}” already: take another name.")
        await created(pages.service, key, typed.given(), {})
    except (FactoredBanditsError, ProblemError) as error:
        status = error.status if isinstance(error, ProblemError) else 422
        return await _page(pages, visit, typed, str(error), status)
    return pages.redirect(f"/experiments/{quote(key)}")


async def forecast(pages: Pages, visit: Visit) -> Response:
    """The forecast alone, for the script of the form."""
    found = await _forecast(pages, Typed.of(visit))
    text = pages.fragment("dashboard/forecast.html", forecast=found)
    return Response(text, 200, PRIVATE, "text/html; charset=utf-8")


async def _page(
    pages: Pages, visit: Visit, typed: Typed, failed: str = "", status: int = 200
) -> Response:
    return pages.render(
        visit,
        "dashboard/new.html",
        status,
        typed=typed,
        texts=typed.texts,
        wishes=WISHES,
        failed=failed,
        forecast=await _forecast(pages, typed),
    )


async def _forecast(pages: Pages, typed: Typed) -> Forecast:
    wish = BY_NAME[typed.wish]
    if typed.is_duel:
        note = "Of 12 candidates, duel_top_two certified the best after 242 verdicts at the median."
        return Forecast("The planner forecasts factors, not duels.", [], [note])
    try:
        assumptions, traffic = typed.assumptions()
    except FactoredBanditsError as error:
        return Forecast("", [], [str(error)])

    key = (tuple(assumptions.factors), assumptions.base_rate, assumptions.lift, traffic)
    shared: Shared = pages.kept.setdefault("forecasts", Shared(fresh=60.0))

    async def make() -> Any:
        return await _planned(pages, assumptions, traffic)

    try:
        sentence, warnings = await shared.get(key, make)
    except (FactoredBanditsError, ProblemError) as error:
        return Forecast("", [], [str(error)])
    notes = [f"A first estimate, for {SOONEST}, which decides soonest."]
    if wish.name == "soon":
        notes.append(f"{wish.factored} decides later, and loses much less until then.")
    elif wish.name == "explore":
        notes.append("Uniform play itself never says that it is done: read the second number.")
    return Forecast(sentence, warnings, notes)


async def _planned(pages: Pages, assumptions: Assumptions, traffic: float) -> tuple[str, list[str]]:
    """The planner's sentence; it takes about half a second, in a thread of its own."""
    thread = pages.kept.setdefault("planner", ThreadPoolExecutor(1, "factored-bandits planner"))
    waiting = pages.kept.setdefault("planner waiting", asyncio.Semaphore(WAITING))
    if waiting.locked():
        raise ProblemError(503, "The planner is busy; change something to ask again.")
    async with waiting:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(thread, _plan, assumptions, traffic)


def _plan(assumptions: Assumptions, traffic: float) -> tuple[str, list[str]]:
    made = plan(assumptions, traffic, policies=SOONEST, flat=False, quick=True, progress=False)
    warnings = [each.removeprefix("warning: ") for each in made.warnings]
    verdict = made.verdict
    if verdict.traffic_needed is not None:
        needed = f"about {rounded(verdict.traffic_needed)} visitors a day"
        if verdict.lift_needed is not None:
            needed += f", or a level that adds {percent(float(f'{verdict.lift_needed:.2g}'))}"
        warnings.append(f"to decide it within a year takes {needed}")
    return made.summary("visitors"), warnings
