"""What policies that eliminate arms report of them, and how sure they are of what is left."""

from __future__ import annotations

import math

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.policies.base import LevelReport


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
