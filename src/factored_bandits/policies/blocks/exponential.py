"""Exponential weights, for Exp3, ComBand and the Exp3 base bandit of Sparring."""

from __future__ import annotations

import math

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel


@kernel
def exponential_weights(
    losses: Floats, probabilities: Floats, start: int, size: int, rate: float, uniform: float
) -> None:
    """Probabilities proportional to exp(-rate losses), mixed with a share of uniform play.

    probabilities[start : start + size] = (1 - uniform) exp(-rate losses) / total + uniform / size.

    >>> import numpy as np
    >>> probabilities = np.zeros(3)
    >>> exponential_weights(np.array([9.0, 0.0, math.log(3)]), probabilities, 1, 2, 1.0, 0.5)
    >>> probabilities.round(3).tolist()
    [0.0, 0.625, 0.375]
    """
    least = losses[start]
    total = 0.0
    for i in range(start, start + size):
        least = min(least, losses[i])
    for i in range(start, start + size):
        probabilities[i] = math.exp(-rate * (losses[i] - least))
        total += probabilities[i]

    for i in range(start, start + size):
        probabilities[i] = (1.0 - uniform) * probabilities[i] / total + uniform / size
