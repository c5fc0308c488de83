"""What policies that throw levels out tell of them, and how sure they are of what is left."""

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
    """Per arm: in or out; by how much the leader beats it, lead / duels, and at least, less
    sqrt(bar / duels).

    >>> import numpy as np
    >>> flags, lead, duels = np.array([True, False]), np.array([0.0, 50.0]), np.array([0, 100])
    >>> level_reports(flags, 0, lead, duels, 6.25)[0][1]
    LevelReport(active=False, gap=0.5, lower=0.25, reentry=None)
    """
    rows = []
    for arm, inside in enumerate(active.tolist()):
        gap = lower = 0.0 if arm == leader else math.nan
        if duels[arm] > 0 and arm != leader:
            gap = float(lead[arm] / duels[arm])
            lower = gap - math.sqrt(bar / duels[arm])
        rows.append(LevelReport(inside, gap, lower, None))

    return [rows]


def confidence_of_modules(state: Modules) -> float:
    """1 - sum of exp(-smallest tau): every other level is out, and the best one is, with at most
    this chance, wrongly.

    An arm is out at confidence delta as long as log(1 / delta) < tau, and the best arm of a module
    ever is with a chance of at most delta; so exp(-tau) is what speaks for an arm that is out, at
    any time. (With `paper` and `hoeffding` and 20 arms or more the chance is up to 1.06 delta,
    `spent`.)
    """
    p_value = 0.0
    for size, counts, levels in zip(np.diff(state.start), state.counts, state.levels, strict=True):
        if counts[ACTIVE_COUNT] > 1 or counts[DIRTY] in (NOTHING_LEARNED, STALE):
            return 0.0
        p_value += max(1.0, spent(int(size), levels[CONSTANT])) * math.exp(-levels[LOWEST])
    return max(0.0, 1.0 - p_value)
