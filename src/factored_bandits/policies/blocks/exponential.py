"""Exponential weights with a share of uniform play: the distribution of Exp3 and of ComBand.

A learner is a range, from `start`, `size` long, of two arrays: `losses` (cumulated estimates) and
`probabilities`. So any number of learners can live side by side, in any policy.
"""

from __future__ import annotations

import math

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel


@kernel
def exponential_weights(
    losses: Floats, probabilities: Floats, start: int, size: int, rate: float, uniform: float
) -> None:
    """Fill probabilities: (1 - uniform) exp(-rate loss) / (sum of these) + uniform / size.

    >>> import numpy as np
    >>> probabilities = np.zeros(3)
    >>> exponential_weights(np.array([9.0, 0.0, math.log(3)]), probabilities, 1, 2, 1.0, 0.5)
    >>> probabilities.round(3).tolist()
    [0.0, 0.625, 0.375]
    """
    # relative to the least loss, so that no exponential overflows and not all of them vanish
    least = losses[start]
    for i in range(start, start + size):
        least = min(least, losses[i])

    total = 0.0
    for i in range(start, start + size):
        probabilities[i] = math.exp(-rate * (losses[i] - least))
        total += probabilities[i]

    for i in range(start, start + size):
        probabilities[i] = (1.0 - uniform) * probabilities[i] / total + uniform / size
