"""Choosing: argmax per factor, ties at random, draws by probability, numbers of combinations."""

from __future__ import annotations

import numpy as np

from .arrays import Floats, Ints
from .kernel import kernel
from .rng import randint


@kernel
def tie_wins(rng: np.random.Generator, ties: int) -> bool:
    """Whether the `ties`-th of equal candidates replaces the one chosen so far.

    Called for each candidate that equals the best so far, with 1 for the first, it leaves every one
    of n equals chosen with probability 1 / n. The first draws nothing.

    >>> tie_wins(np.random.default_rng(0), 1)
    True
    """
    return ties == 1 or randint(rng, ties) == 0


@kernel
def categorical(rng: np.random.Generator, probabilities: Floats, start: int, size: int) -> int:
    """A number in 0..size-1 with probabilities[start : start + size], which add up to one.

    Never one whose probability is zero, also where they add up to a little less than one.

    >>> categorical(np.random.default_rng(1), np.array([0.5, 0.0, 1.0, 0.0]), 1, 3)
    1
    """
    left = rng.random()
    last = 0

    for i in range(size):
        probability = probabilities[start + i]
        if probability > 0.0:
            last = i
            left -= probability
            if left < 0.0:
                break

    return last


@kernel
def argmax_per_factor(values: Floats, offsets: Ints, action: Ints) -> None:
    """Into `action`: per factor the level with the largest value, the first of equals.

    >>> action = np.zeros(2, dtype=np.int64)
    >>> argmax_per_factor(np.array([3.0, 1.0, 1.0, 1.0, 2.0]), np.array([0, 2, 5]), action)
    >>> action.tolist()
    [0, 2]
    """
    for l in range(len(action)):
        best = offsets[l]
        for i in range(offsets[l] + 1, offsets[l + 1]):
            if values[i] > values[best]:
                best = i
        action[l] = best - offsets[l]


@kernel
def argmin_per_factor(values: Floats, offsets: Ints, action: Ints) -> None:
    """Into `action`: per factor the level with the smallest value, the first of equals.

    >>> action = np.zeros(2, dtype=np.int64)
    >>> argmin_per_factor(np.array([3.0, 1.0, 1.0, 1.0, 2.0]), np.array([0, 2, 5]), action)
    >>> action.tolist()
    [1, 0]
    """
    for l in range(len(action)):
        best = offsets[l]
        for i in range(offsets[l] + 1, offsets[l + 1]):
            if values[i] < values[best]:
                best = i
        action[l] = best - offsets[l]


@kernel
def unravel(sizes: Ints, number: int, action: Ints) -> None:
    """The levels of the combination of this number, into `action`; the last factor runs fastest.

    >>> action = np.zeros(2, dtype=np.int64)
    >>> unravel(np.array([2, 3]), 5, action)
    >>> action.tolist(), ravel(np.array([2, 3]), action)
    ([1, 2], 5)
    """
    for l in range(len(sizes) - 1, -1, -1):
        action[l] = number % sizes[l]
        number //= sizes[l]


@kernel
def ravel(sizes: Ints, action: Ints) -> int:
    """The number of a combination."""
    number = 0
    for l in range(len(sizes)):
        number = number * int(sizes[l]) + int(action[l])
    return number
