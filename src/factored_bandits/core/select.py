"""Arrays over the levels of all factors: `start[l]` is where factor l begins, `start[-1]` how many
levels there are.
"""

from __future__ import annotations

import itertools

import numpy as np

from .arrays import Floats, Ints
from .kernel import kernel


def offsets(sizes: Ints) -> Ints:
    """Where each factor begins.

    >>> offsets(np.array([2, 3])).tolist()
    [0, 2, 5]
    """
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def uniform_probabilities(sizes: Ints) -> Floats:
    """Every level of a factor equally likely.

    >>> uniform_probabilities(np.array([1, 2])).tolist()
    [1.0, 0.5, 0.5]
    """
    return np.repeat(1.0 / np.asarray(sizes), sizes)


def split(values: Floats, start: Ints) -> list[Floats]:
    """One array per factor.

    >>> [part.tolist() for part in split(np.arange(3.0), np.array([0, 2, 3]))]
    [[0.0, 1.0], [2.0]]
    """
    return [values[a:b].copy() for a, b in itertools.pairwise(start)]


@kernel
def largest(values: Floats, start: Ints, action: Ints) -> None:
    """Into `action`: per factor the level with the largest value, the first of equals.

    >>> action = np.zeros(2, dtype=np.int64)
    >>> largest(np.array([3.0, 1.0, 1.0, 1.0, 2.0]), np.array([0, 2, 5]), action)
    >>> action.tolist()
    [0, 2]
    """
    for l in range(len(start) - 1):
        best = start[l]
        for i in range(start[l] + 1, start[l + 1]):
            if values[i] > values[best]:
                best = i
        action[l] = best - start[l]


@kernel
def smallest(values: Floats, start: Ints, action: Ints) -> None:
    """Into `action`: per factor the level with the smallest value, the first of equals.

    >>> action = np.zeros(2, dtype=np.int64)
    >>> smallest(np.array([3.0, 1.0, 1.0, 1.0, 2.0]), np.array([0, 2, 5]), action)
    >>> action.tolist()
    [1, 0]
    """
    for l in range(len(start) - 1):
        best = start[l]
        for i in range(start[l] + 1, start[l + 1]):
            if values[i] < values[best]:
                best = i
        action[l] = best - start[l]
