"""Exponential weights of one learner, with a share of uniform play: Exp3 and ComBand."""

from __future__ import annotations

import math

from ..arrays import Floats
from ..kernel import kernel


@kernel
def exponential_weights(losses: Floats, chances: Floats, start: int, size: int, rate: float, uniform: float) -> None:
    """chances[start : start + size] = (1 - uniform) * (proportional to exp(-rate losses)) + uniform / size.

    >>> import numpy as np
    >>> chances = np.zeros(3)
    >>> exponential_weights(np.array([9.0, 0.0, math.log(3)]), chances, 1, 2, 1.0, 0.5)
    >>> chances.round(3).tolist()
    [0.0, 0.625, 0.375]
    """
    least, total = losses[start], 0.0
    for i in range(start, start + size):
        least = min(least, losses[i])
    for i in range(start, start + size):
        chances[i] = math.exp(-rate * (losses[i] - least))
        total += chances[i]
    for i in range(start, start + size):
        chances[i] = (1.0 - uniform) * chances[i] / total + uniform / size
