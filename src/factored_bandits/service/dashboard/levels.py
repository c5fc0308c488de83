"""Every level of every factor, as one row: state, traffic, reward, gap, and what lies behind it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from factored_bandits.agent import LevelStatus
from factored_bandits.service.store import Change
from factored_bandits.service.tallies import Tally

from .known import Known

Z = 1.96  # of a 95 % interval, for one look


class LevelRow(NamedTuple):
    """One level.

    Attributes
    ----------
    factor, level
        Their names.
    leads
        Whether it belongs to the combination that looks best.
    active
        Whether it is played; None if the policy eliminates nothing.
    since
        When it was eliminated, or re-entered; None if it was active all the time.
    share
        Its share of the decisions.
    settled
        Decisions with it that have their reward.
    mean
        The mean of those rewards, or the share of duels that it won.
    error
        The half-width of a 95 % interval around it, for one look.
    gap
        How far it is behind the leader.
    lower
        What the gap is at least, whenever one looks; None where the policy gives no bound.
    interval
        Around the gap, for one look, where the policy gives no bound.
    reentry
        The round in which it re-enters.
    p_value
        Of its being the best, valid whenever one looks; None where nothing is proved.
    """

    factor: str
    level: Any
    leads: bool
    active: bool | None
    since: int | None
    share: float
    settled: int
    mean: float | None
    error: float | None
    gap: float | None
    lower: float | None
    interval: tuple[float, float] | None
    reentry: int | None
    p_value: float | None


def level_rows(known: Known, tally: Tally, changes: list[Change]) -> dict[str, list[LevelRow]]:
    """The rows of each factor, in the order of its levels."""
    last = {change.level: change for change in changes}
    p_values = [] if known.certificate is None else [c.p_value for c in known.certificate.claims]
    found: dict[str, list[LevelRow]] = {}
    for i, status in enumerate(known.status.rows):
        counted = tally.levels[i] if i < len(tally.levels) else [0, 0, 0.0, 0.0]
        row = _row(known, status, counted, tally)
        change = last.get(i)
        since = change.at if change is not None and change.active == status.active else None
        p_value = p_values[i] if i < len(p_values) else None
        found.setdefault(row.factor, []).append(row._replace(since=since, p_value=p_value))
    for factor, rows in found.items():
        found[factor] = [_compared(row, rows) for row in rows]
    return found


def _row(known: Known, status: LevelStatus, counted: list[Any], tally: Tally) -> LevelRow:
    asks, settled, total, squares = counted
    best = known.best
    leader = best.get(status.factor) if isinstance(best, dict) else best
    mean = total / settled if settled else None
    error = None
    if mean is not None and settled > 1:
        variance = max(squares / settled - mean * mean, 0.0) * settled / (settled - 1)
        error = Z * math.sqrt(variance / settled)
    sides = 1 if isinstance(best, dict) else 2  # of a duel, each is an ask of its arm
    given = sides * (tally.asks - tally.held_asks)
    return LevelRow(
        status.factor,
        status.level,
        status.level == leader,
        status.active,
        None,
        asks / given if given else 0.0,
        settled,
        mean,
        error,
        status.gap,
        status.lower,
        None,
        status.reentry,
        None,
    )


def _compared(row: LevelRow, rows: list[LevelRow]) -> LevelRow:
    """With the difference of means, where the policy has no bound on how far a level is behind."""
    leader = next((each for each in rows if each.leads), None)
    if row.lower is not None or leader is None or row.leads:
        return row
    if row.mean is None or leader.mean is None or row.error is None or leader.error is None:
        return row
    gap = leader.mean - row.mean
    half = math.hypot(row.error, leader.error)
    return row._replace(gap=gap, interval=(gap - half, gap + half))


class Next(NamedTuple):
    """The level that is likely to be eliminated next."""

    factor: str
    level: Any
    decisions: float  # from now on


def next_elimination(rows: dict[str, list[LevelRow]], learned: int, alpha: float) -> Next | None:
    """Which level is ruled out next, and after about how many decisions, if gaps stay as they are.

    A bound on a gap shrinks like one over the square root of the plays; a p-value falls
    exponentially.
    """
    found = []
    for factor, levels in rows.items():
        for row in levels:
            needed = _needed(row, learned, alpha)
            if needed is not None and row.active is not False and not row.leads:
                found.append(Next(factor, row.level, needed))
    return min(found, key=lambda each: each.decisions, default=None)


def _needed(row: LevelRow, learned: int, alpha: float) -> float | None:
    if learned == 0:
        return None
    if row.lower is not None and row.gap is not None and row.gap > 0:
        if row.lower >= 0:
            return 0.0
        return learned * (((row.gap - row.lower) / row.gap) ** 2 - 1.0)
    if row.p_value is not None and alpha < row.p_value < 0.9:
        return learned * (math.log(1.0 / alpha) / math.log(1.0 / row.p_value) - 1.0)
    return None
