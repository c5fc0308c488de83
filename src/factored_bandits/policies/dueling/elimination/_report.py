"""What policies that throw levels out tell of them, and how sure they are of what is left."""

from __future__ import annotations

import math

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.policies.base import LevelReport


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
