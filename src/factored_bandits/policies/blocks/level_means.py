"""The level with the best mean, for policies that keep a sum and a count per level."""

from __future__ import annotations

import math

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel


@kernel
def best_mean_per_factor(total: Floats, plays: Ints, offsets: Ints, action: Ints) -> None:
    """Into `action`: per factor the level with the best mean, the first of equals.

    A level that was never played counts as worst.

    >>> import numpy as np
    >>> action = np.zeros(2, dtype=np.int64)
    >>> total, plays = np.array([3.0, 2.0, 0.0, 1.0]), np.array([6, 2, 0, 9])
    >>> best_mean_per_factor(total, plays, np.array([0, 2, 4]), action)
    >>> action.tolist()
    [1, 1]
    """
    for l in range(len(action)):
        best = offsets[l]
        best_mean = -math.inf
        for level in range(offsets[l], offsets[l + 1]):
            if plays[level] > 0:
                mean = total[level] / plays[level]
                if mean > best_mean:
                    best = level
                    best_mean = mean
        action[l] = best - offsets[l]
