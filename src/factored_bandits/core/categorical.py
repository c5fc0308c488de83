"""Draw a level by its chance: what every policy does that plays at random by weights."""

from __future__ import annotations

import numpy as np

from .arrays import Floats
from .kernel import kernel


@kernel
def draw(rng: np.random.Generator, probabilities: Floats, start: int, size: int) -> int:
    """A number in 0..size-1 with the chances chances[start : start + size], which add up to one.

    Never one whose chance is zero, also where the chances add up to a little less than one.

    >>> draw(np.random.default_rng(1), np.array([0.5, 0.0, 1.0, 0.0]), 1, 3)
    1
    """
    left, last = rng.random(), 0
    for i in range(size):
        probability = probabilities[start + i]
        if probability > 0.0:
            last = i
            left -= probability
            if left < 0.0:
                break
    return last
