"""The chances of the last plays, for policies that divide by them when they learn: rewards may be
late.

A ring over rounds, one column per factor. Whoever has more plays open than it holds uses the chance
of today instead.
"""

from __future__ import annotations

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel

OPEN = 1024  # plays that may wait for their reward while their chances are remembered


def no_propensities(columns: int) -> Floats:
    """An empty ring: per play its round, then the chance of the level chosen in each column."""
    return np.zeros((OPEN, 1 + columns))


@kernel
def remember(remembered: Floats, t: int, column: int, probability: float) -> None:
    """Note that in round t the level chosen in this column had this chance.

    >>> ring = no_propensities(2)
    >>> remember(ring, 7, 1, 0.25)
    >>> float(recall(ring, 7, 1, 0.5)), recall(ring, 8, 1, 0.5)
    (0.25, 0.5)
    """
    slot = t % OPEN
    remembered[slot, 0] = float(t)
    remembered[slot, 1 + column] = probability


@kernel
def recall(remembered: Floats, t: int, column: int, otherwise: float) -> float:
    """The chance noted for round t, or `otherwise` if it is forgotten."""
    slot = t % OPEN
    return remembered[slot, 1 + column] if remembered[slot, 0] == float(t) else otherwise
