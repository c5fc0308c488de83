"""What policies that eliminate arms report of them, and how sure they are of what is left."""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.policies.base import LevelReport
from factored_bandits.policies.tem.bounds import spent
from factored_bandits.policies.tem.state import (
    ACTIVE_COUNT,
    CONSTANT,
    DIRTY,
    LOWEST,
    NOTHING_LEARNED,
    STALE,
)
from factored_bandits.policies.tem.state import State as Modules


def level_reports(
    active: Bools, leader: int, lead: Floats, duels: Floats | Ints, bar: float
) -> list[list[LevelReport]]:
    """Per arm: whether it is active, and the gap lead / duels by which the leader beats it.

    The gap is at least lead / duels - sqrt(bar / duels).

    >>> flags, lead, duels = np.array([True, False]), np.array([0.0, 50.0]), np.array([0, 100])
    >>> level_reports(flags, 0, lead, duels, 6.25)[0][1]
    LevelReport(active=False, gap=0.5, lower=0.25, reentry=None)
    """
    rows = []
    for arm, is_active in enumerate(active.tolist()):
        gap = lower = 0.0 if arm == leader else math.nan
        if duels[arm] > 0 and arm != leader:
            gap = float(lead[arm] / duels[arm])
            lower = gap - math.sqrt(bar / duels[arm])
        rows.append(LevelReport(is_active, gap, lower, None))

    return [rows]


def confidence_of_modules(state: Modules) -> float:
    """1 - sum of exp(-smallest tau), once every other level is eliminated.

    An arm is eliminated at confidence delta as long as log(1 / delta) < tau, and the best arm of a
    module ever is with probability at most delta; so exp(-tau) is an anytime p-value of an
    eliminated arm. (With `paper` and `hoeffding` and 20 arms or more the probability is up to 1.06
    delta, `spent`.)
    """
    p_value = 0.0
    for size, counts, levels in zip(np.diff(state.start), state.counts, state.levels, strict=True):
        if counts[ACTIVE_COUNT] > 1 or counts[DIRTY] in (NOTHING_LEARNED, STALE):
            return 0.0
        p_value += max(1.0, spent(int(size), levels[CONSTANT])) * math.exp(-levels[LOWEST])
    return max(0.0, 1.0 - p_value)
