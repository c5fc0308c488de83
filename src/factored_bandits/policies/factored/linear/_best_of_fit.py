"""The combinations with the largest sums of weights, best first, without looking at all of them.

The first l levels of one of the W best combinations are among the W best choices of l levels: of a
worse choice there would be W combinations with the same rest above it. So it is enough to extend
the W best choices factor by factor.
"""

from __future__ import annotations

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint


@kernel
def insert(values: Floats, numbers: Ints, count: Ints, value: float, number: int) -> None:
    """Enter a number into a list of the largest values, which is sorted and may be full.

    The list is in values[: count[0]] and numbers[: count[0]]. Of equals the first stays ahead.
    """
    at = count[0]
    if at == len(values):
        if value <= values[at - 1]:
            return
        at -= 1
    else:
        count[0] += 1

    while at > 0 and values[at - 1] < value:
        values[at] = values[at - 1]
        numbers[at] = numbers[at - 1]
        at -= 1
    values[at] = value
    numbers[at] = number


@kernel
def best_of_fit(
    offsets: Ints,
    weights: Floats,
    rng: np.random.Generator,
    values: Floats,
    numbers: Ints,
    count: Ints,
) -> int:
    """The row of `numbers` with the best combinations, as many as it can hold; its length in count.

    `values` and `numbers` have shape (2, W), `count` has shape (2, 1). The levels of each factor
    are tried from a random one on, so that none of several unknown levels is preferred.
    """
    row = len(offsets) & 1
    values[row, 0] = 0.0
    numbers[row, 0] = 0
    count[row, 0] = 1

    for l in range(len(offsets) - 1):
        shorter = row
        row = 1 - row
        count[row, 0] = 0
        size = offsets[l + 1] - offsets[l]
        start = randint(rng, size)

        for known in range(count[shorter, 0]):
            for turn in range(size):
                level = (start + turn) % size
                total = values[shorter, known] + weights[offsets[l] + level]
                number = numbers[shorter, known] * size + level
                insert(values[row], numbers[row], count[row], total, number)

    return row
