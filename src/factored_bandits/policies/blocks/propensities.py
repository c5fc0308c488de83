"""The chances of the last plays, for policies that divide by them when they learn: rewards may be late.

A ring over rounds, one column per factor. Whoever has more plays open than it holds uses the chance of today instead.
"""

from __future__ import annotations

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel

OPEN = 1024  # plays that may wait for their reward while their chances are remembered


def no_promises(columns: int) -> Floats:
    """An empty ring: per play its round, then the chance of the level chosen in each column."""
    return np.zeros((OPEN, 1 + columns))


@kernel
def promise(promises: Floats, t: int, column: int, chance: float) -> None:
    """Note that in round t the level chosen in this column had this chance.

    >>> ring = no_promises(2)
    >>> promise(ring, 7, 1, 0.25)
    >>> float(promised(ring, 7, 1, 0.5)), promised(ring, 8, 1, 0.5)
    (0.25, 0.5)
    """
    slot = t % OPEN
    promises[slot, 0] = float(t)
    promises[slot, 1 + column] = chance


@kernel
def promised(promises: Floats, t: int, column: int, otherwise: float) -> float:
    """The chance noted for round t, or `otherwise` if it is forgotten."""
    slot = t % OPEN
    return promises[slot, 1 + column] if promises[slot, 0] == float(t) else otherwise
