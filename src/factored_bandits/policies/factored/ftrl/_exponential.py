"""What Exp3 and ComBand share: exponential weights with a share of uniform play, and losses divided
by chances.

The state of either has `start`, `losses`, `probabilities` and `remembered`.
"""

from __future__ import annotations

import math
from typing import Any

from factored_bandits.core.arrays import Floats, Ints, split
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import argmin_per_factor
from factored_bandits.policies.blocks.propensities import recall


@kernel
def exponential_weights(
    losses: Floats, probabilities: Floats, start: int, size: int, rate: float, uniform: float
) -> None:
    """chances[start : start + size] = (1 - uniform) * (proportional to exp(-rate losses)) + uniform
    / size.

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


@kernel
def learn(params: Any, state: Any, t: int, actions: Ints, rewards: Floats) -> None:
    """The loss 1 - reward of each level played, divided by its chance."""
    for l in range(len(state.start) - 1):
        at = state.start[l] + actions[0, l]
        state.losses[at] += (1.0 - rewards[0]) / recall(
            state.remembered, t, l, state.probabilities[at]
        )


@kernel
def recommend(params: Any, state: Any, action: Ints) -> None:
    """Per factor the level with the smallest estimated loss."""
    argmin_per_factor(state.losses, state.start, action)


def propensities(params: Any, state: Any, length: int) -> list[Floats]:
    """The chances from which each factor was drawn."""
    return split(state.probabilities, state.start)
