"""The tables of a plan: everything together, and factor by factor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from factored_bandits.core.markup import Bar, bars_of
from factored_bandits.core.table import Table

from .estimate import UNCERTAINTY
from .fixed import ALPHA, POWER, FixedTest
from .forecast import Forecast, share_point
from .words import Clock, rounded, share

if TYPE_CHECKING:
    from .plan import Plan

NOTHING = "-"
SHARES = (0.5, 0.9)  # of the repetitions
DECIDED = ("decided: theory", "half of runs", "90 % of runs")


def overview(plan: Plan) -> Table:
    """One row per policy, and one for the fixed test."""
    fixed = plan.fixed
    columns = ["policy", *DECIDED, "best found", "lost until decided"]
    rows = []

    for each in plan.shown:
        row = [each.policy, *_decided(each, plan, None), _sign(each) + share(each.best_found)]
        row.append(_lost(each))
        rows.append((*row, _lost_meanwhile(each, fixed)) if fixed else tuple(row))

    if fixed:
        clock = Clock(plan.traffic)
        points = [
            clock.show(fixed.total if fixed.decided >= part else math.inf, fixed.total)
            for part in SHARES
        ]
        lost = rounded(fixed.lost)
        rows.append((fixed_label(fixed), NOTHING, *points, share(fixed.best_found), lost, lost))
        columns.append(f"lost in time of {fixed.name}")

    return Table("Everything decided", tuple(columns), rows, _caption(plan))


def decided_bars(plan: Plan) -> list[Bar | None]:
    """For the rows of `overview`: when half of the runs are decided, or by when they are not."""
    half: list[float | None] = []
    for each in plan.shown:
        point = min(share_point(each.all_decided, SHARES[0]), float(each.result.horizon))
        half.append(point if each.eliminates else None)

    faint = [each.estimated for each in plan.shown]
    if plan.fixed:
        half.append(float(plan.fixed.total))
        faint.append(False)
    return bars_of(half, faint)


def factors(plan: Plan) -> Table:
    """One row per factor and policy that eliminates levels."""
    rows = []
    for l, size in enumerate(plan.problem.sizes):
        for each in plan.shown:
            if each.eliminates:
                rows.append((str(l), str(size), each.policy, *_decided(each, plan, l)))

    columns = ("factor", "levels", "policy", *DECIDED)
    return Table("Each factor decided", columns, rows, align="rrlrrr")


def fixed_label(fixed: FixedTest) -> str:
    """What the line of the fixed test is called."""
    return f"{fixed.name} (fixed size)"


def _decided(each: Forecast, plan: Plan, factor: int | None) -> tuple[str, ...]:
    """By theory, in half of the runs and in 90 %: of one factor, or of all together."""
    if not each.eliminates:
        return (NOTHING,) * len(DECIDED)

    clock = Clock(plan.traffic)
    theory = NOTHING
    if each.theory:
        theory = clock.show(max(each.theory) if factor is None else each.theory[factor])
    rounds = each.all_decided if factor is None else each.decided[:, factor]
    points = [clock.show(share_point(rounds, part), each.result.horizon) for part in SHARES]
    return (theory, *(_sign(each) + point for point in points))


def _sign(each: Forecast) -> str:
    return "~" if each.estimated else ""


def _lost(each: Forecast) -> str:
    if not each.eliminates:
        return NOTHING
    more = "more than " if np.isinf(each.all_decided).any() else ""
    return _sign(each) + more + rounded(each.lost(each.all_decided))


def _lost_meanwhile(each: Forecast, fixed: FixedTest) -> str:
    if fixed.total > each.result.horizon:
        return NOTHING
    return _sign(each) + rounded(each.lost(fixed.total))


def run_line(plan: Plan) -> str:
    """How it was simulated, and what is missing."""
    partly = [
        f"{each.policy} only {each.result.repetitions} of {plan.repetitions}"
        for each in plan.forecasts
        if each.result.interrupted or each.result.repetitions < plan.repetitions
    ]
    missing = [*partly, *(f"{label} not run" for label in plan.not_run)]
    interrupted = f"; interrupted: {', '.join(missing)}" if missing and not plan.pending else ""
    waiting = f"; not simulated yet: {', '.join(plan.pending)}" if plan.pending else ""

    watched = sorted({each.result.horizon for each in plan.forecasts})
    rounds = " or ".join(f"{horizon:,}" for horizon in watched)
    simulated = f"{plan.repetitions} repetitions of {rounds} rounds; seed {plan.seed}"
    return (simulated if watched else "nothing simulated") + interrupted + waiting


def _caption(plan: Plan) -> str:
    lines = [
        f"{plan.assumptions or plan.problem}; {run_line(plan)}",
        "decided: only the best level of each factor is left; theory: at the latest, as long as "
        "its bounds hold",
        f"lost: {plan.problem.unit}, against playing the best combination from the start; mean of "
        "all runs",
    ]

    if any(each.estimated for each in plan.shown):
        lines.append(
            f"~ first estimate by normal approximation, within about {share(UNCERTAINTY)} of what "
            "a simulation gives"
        )
    quiet = [each for each in plan.shown if not each.eliminates]
    if quiet:
        found = ", ".join(f"{each.policy} (by round {each.result.horizon:,})" for each in quiet)
        lines.append(f"find the best without ever saying that it is decided: {found}")
    if plan.fixed:
        lines.append(_fixed_line(plan.fixed))

    return "\n".join([*lines, *plan.notes])


def _fixed_line(fixed: FixedTest) -> str:
    per_level = " / ".join(f"{count:,}" for count in fixed.per_level)
    return (
        f"{fixed_label(fixed)}: the classical test, all combinations equally often, rounds per "
        f"level {per_level}; {fixed.comparisons} comparisons of levels, alpha {share(ALPHA)} for "
        f"all (Bonferroni), power {share(POWER)} for each: decides everything in "
        f"{share(fixed.decided)} of runs"
    )
