"""What policies that throw arms out for good tell of each arm."""

from __future__ import annotations

import math

from ..arrays import Bools, Floats, Ints
from ._contract import Standing


def standings(active: Bools, leader: int, lead: Floats, duels: Floats | Ints, bar: float) -> list[list[Standing]]:
    """Per arm: in or out; by how much the leader beats it, lead / duels, and at least, less sqrt(bar / duels).

    >>> import numpy as np
    >>> flags, lead, duels = np.array([True, False]), np.array([0.0, 50.0]), np.array([0, 100])
    >>> standings(flags, 0, lead, duels, 6.25)[0][1]
    Standing(active=False, gap=0.5, lower=0.25, reentry=None)
    """
    rows = []
    for arm, inside in enumerate(active.tolist()):
        gap = lower = 0.0 if arm == leader else math.nan
        if duels[arm] > 0 and arm != leader:
            gap = float(lead[arm] / duels[arm])
            lower = gap - math.sqrt(bar / duels[arm])
        rows.append(Standing(inside, gap, lower, None))
    return [rows]
