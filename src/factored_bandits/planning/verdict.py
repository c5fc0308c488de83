"""One sentence: whether it can be decided within a year, and if not, what would have to change."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import NamedTuple

from factored_bandits.errors import InvalidInputError
from factored_bandits.theory import slope

from .assumptions import Assumptions
from .estimate import UNCERTAINTY
from .fixed import FixedTest, margins
from .forecast import Forecast, rounds_for_gap, share_point
from .words import YEAR, Clock, duration, percent, rounded, share

HALVINGS = 40
OPENING = f"First estimate, within about {share(UNCERTAINTY)}: "


class Verdict(NamedTuple):
    """What the plan comes to.

    Attributes
    ----------
    sentence
        When everything is decided; or why not, and what would have to change.
    within_a_year
        Whether half of the repetitions were decided within a year; None if the traffic is not
        known, the simulation was too short, or no policy eliminates levels.
    traffic_needed
        The rounds per day with which it takes a year; None unless `within_a_year` is False.
    lift_needed
        The lift (the smallest, if they differ) with which it takes a year; None unless
        `within_a_year` is False, without assumptions, or if no possible lift is enough.
    """

    sentence: str
    within_a_year: bool | None
    traffic_needed: float | None = None
    lift_needed: float | None = None


def judge(
    forecasts: Sequence[Forecast],
    assumptions: Assumptions | None,
    traffic: float | None,
    fixed: FixedTest | None,
) -> Verdict:
    """Judge by the policy that decides first."""
    able = [each for each in forecasts if each.eliminates]
    if not able:
        return Verdict(
            "None of these policies rules levels out, so none of them ever says that it is done.",
            None,
        )

    first = quickest(able)
    horizon = first.result.horizon
    clock = Clock(traffic)
    half, most = (share_point(first.all_decided, part) for part in (0.5, 0.9))
    year = YEAR * traffic if traffic else math.inf
    opening = OPENING if first.estimated else ""

    if half <= year and math.isfinite(half):
        times = clock.show(half, unit=" rounds"), clock.show(most, horizon, " rounds")
        shown = f"after {times[0]} half of the time, after {times[1]} 9 times in 10"
        sentence = f"{opening}{first.policy} has decided everything {shown}."
        return Verdict(sentence, True if traffic else None)

    if math.isinf(half) and (traffic is None or horizon < year):
        watched = clock.show(horizon, unit=" rounds")
        return Verdict(
            f"{opening}{first.policy} had not decided everything after {watched} in most "
            "repetitions; simulate more rounds (horizon) to see when it does.",
            None,
        )

    assert traffic is not None  # a year is finite only then
    verdict = _cannot(
        first.policy, min(half, horizon), math.isinf(half), assumptions, traffic, fixed
    )
    return verdict._replace(sentence=opening + verdict.sentence)


def quickest(forecasts: Sequence[Forecast]) -> Forecast:
    """The policy that decides first."""
    return min(
        forecasts, key=lambda each: (share_point(each.all_decided, 0.5), -each.result.horizon)
    )


def _cannot(
    policy: str,
    rounds: float,
    more: bool,
    assumptions: Assumptions | None,
    traffic: float,
    fixed: FixedTest | None,
) -> Verdict:
    year = YEAR * traffic
    needed = traffic * rounds / year
    lift = lift_for(assumptions, year / rounds) if assumptions else None
    than = "more than" if more else "about"
    changes = f"{than} {rounded(needed)} a day"

    if lift:
        # two digits: it is an estimate
        changes += f", or a lift of {than} {percent(float(f'{lift:.2g}'))}"
    elif assumptions:
        changes += " (no lift that is possible would be enough)"
    else:
        changes += ", or larger differences between the levels"

    other = ""
    if fixed and fixed.total <= year:
        time = duration(fixed.total / traffic)
        other = (
            f"; {fixed.article} {fixed.name} of fixed size would take {time} and decide everything "
            f"{share(fixed.decided)} of the time"
        )

    sentence = (
        f"This cannot be decided within a year at {rounded(traffic)} a day ({year:,.0f} rounds): "
        f"{policy} needs {than} {rounded(rounds)} ({duration(rounds / traffic)}). "
        f"It would take {changes}{other}."
    )
    return Verdict(sentence, False, needed, lift)


def lift_for(assumptions: Assumptions, part: float) -> float | None:
    """The smallest lift with which the rounds shrink to this part of today's.

    None if no possible lift is enough.
    """
    today = _rounds(assumptions, 1.0)
    assert today is not None  # the assumptions themselves are possible
    goal = part * today
    low = 1.0
    high = 1.0

    while (reached := _rounds(assumptions, high)) is not None and reached > goal:
        low = high
        high = 2.0 * high

    # Beyond the largest possible lift nothing is reached, so the search ends at that lift.
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        reached = _rounds(assumptions, middle)
        if reached is not None and reached > goal:
            low = middle
        else:
            high = middle

    reached = _rounds(assumptions, high)
    return high * min(assumptions.lifts) if reached is not None and reached <= goal else None


def _rounds(assumptions: Assumptions, times: float) -> float | None:
    """The rounds of TEA if all lifts were so many times as large; None if rates would exceed 1.

    The formula of the guarantee, with the gaps of averages over the other factors instead of the
    smallest ones: too long by a factor that hardly depends on the lift.
    """
    lifts = tuple(times * lift for lift in assumptions.lifts)
    try:
        problem = dataclasses.replace(assumptions, lift=lifts).problem()
    except InvalidInputError:
        return None

    by = slope(problem)
    longest = max(problem.sizes)

    return max(
        rounds_for_gap(by * float(means[0] - means[1]), len(means), longest)
        for means in margins(problem)
    )
