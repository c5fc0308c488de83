"""What somebody who does not read tables should know: one sentence, and warnings with a number."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .assumptions import Assumptions
from .fixed import FixedTest
from .forecast import Forecast, share_point
from .verdict import quickest
from .words import YEAR, duration, percent, rounded, share

# without known traffic, so many rounds are many; and what they would be at a modest traffic
MANY_ROUNDS = 10**6
MODEST_TRAFFIC = 1000.0


def summary(
    forecasts: Sequence[Forecast], traffic: float | None, fixed: FixedTest | None, unit: str
) -> str:
    """When it is decided, and how long the fixed test takes, in one sentence."""
    parts = [_decided(forecasts, traffic, unit)]
    if fixed:
        time = _time(fixed.total, traffic, unit)
        often = share(fixed.decided)
        parts.append(
            f"{fixed.article} {fixed.name}: {time}, deciding everything {often} of the time"
        )

    sentence = "; ".join(parts)
    if traffic:
        return f"At {rounded(traffic)} {unit} a day: {sentence}."
    return f"{sentence[0].upper()}{sentence[1:]}."


def _decided(forecasts: Sequence[Forecast], traffic: float | None, unit: str) -> str:
    able = [each for each in forecasts if each.eliminates]
    if not able:
        return "no policy here says when it is decided"

    first = quickest(able)
    half = share_point(first.all_decided, 0.5)
    if math.isinf(half):
        return f"not decided in {_time(first.result.horizon, traffic, unit)}"
    return f"decided in about {_time(half, traffic, unit)}"


def _time(rounds: float, traffic: float | None, unit: str) -> str:
    return duration(rounds / traffic) if traffic else f"{rounded(rounds)} {unit}"


def warnings(
    forecasts: Sequence[Forecast],
    estimates: Sequence[Forecast],
    assumptions: Assumptions | None,
    traffic: float | None,
) -> list[str]:
    """Where differences are so small that it takes more than a year, or a million rounds.

    A simulation may have ended before anything was decided; then the estimate says how long it
    would have taken.
    """
    able = [each for each in (*forecasts, *estimates) if each.eliminates]
    if assumptions is None or not able:
        return []
    rounds = share_point(quickest(able).all_decided, 0.5)
    daily = traffic or MODEST_TRAFFIC
    if rounds <= (YEAR * traffic if traffic else MANY_ROUNDS):
        return []

    lift = min(assumptions.lifts)
    points = f"{100.0 * assumptions.base_rate * lift:.3g}"
    needed = "more rounds than can be estimated"
    if math.isfinite(rounds):
        time = duration(rounds / daily)
        needed = f"about {rounded(rounds)} rounds, {time} at {rounded(daily)} a day"
    return [
        f"warning: a lift of {percent(lift)} on a rate of {percent(assumptions.base_rate)} is a "
        f"difference of {points} percentage points; to see it takes {needed}"
    ]
