"""Propensities remembered until the reward comes, for policies that divide by them.

Rewards may be late, and the probabilities may have changed by then. The memory is a ring over
rounds, one column per factor. With more plays open than it holds, the current probability is used
instead.
"""

from __future__ import annotations

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.limits import COUNT, SHARE, Within, slots

# plays that may wait for their reward while their propensities are remembered
OPEN = 1024
TINY = 1e-100


def no_propensities(columns: int) -> Floats:
    """An empty ring: per play its round, then the probability of the level chosen per column."""
    return np.zeros((OPEN, 1 + columns))


def remembered_limits(remembered: Floats) -> Within:
    """What a ring may hold."""
    return slots(COUNT, *[SHARE] * (remembered.shape[1] - 1))


@kernel
def remember(remembered: Floats, t: int, column: int, probability: float) -> None:
    """Note the probability of the level chosen in round t in this column.

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
    """The probability noted for round t, or `otherwise` if it has been overwritten.

    At least TINY: a level that was played had a positive probability, if not this one.
    """
    slot = t % OPEN
    found = remembered[slot, 1 + column] if remembered[slot, 0] == float(t) else otherwise
    return max(found, TINY)
