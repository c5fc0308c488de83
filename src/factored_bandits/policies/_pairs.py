"""Weights of pairs of levels, after those of the levels: where they stand, and hill climbing on their sum.

The weight of level i of factor l with level j of factor m > l stands at pairs[l, m] + i K_m + j.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Floats, Ints
from ..kernel import kernel
from ..randomness import below
from ._linear import starts

MOST_SWEEPS = 100  # never reached: a guard against going in circles by rounding


def pair_starts(sizes: Ints) -> tuple[Ints, int]:
    """The first feature of each pair of factors (zeros on and below the diagonal), and the number of all features.

    >>> pairs, features = pair_starts(np.array([2, 3]))
    >>> pairs.tolist(), features
    ([[0, 6], [0, 0]], 12)
    """
    pairs, end = np.zeros((len(sizes), len(sizes)), dtype=np.int64), int(starts(sizes)[-1])
    for l in range(len(sizes)):
        for m in range(l + 1, len(sizes)):
            pairs[l, m] = end
            end += int(sizes[l] * sizes[m])
    return pairs, end


@kernel
def pair_feature(start: Ints, pairs: Ints, l: int, i: int, m: int, j: int) -> int:
    """The feature of level i of factor l together with level j of factor m."""
    if l < m:
        return int(pairs[l, m] + i * (start[m + 1] - start[m]) + j)
    return int(pairs[m, l] + j * (start[l + 1] - start[l]) + i)


@kernel
def pair_effects(start: Ints, pairs: Ints, action: Ints, ones: Ints) -> None:
    """The pairs of a combination, behind its main effects."""
    at = 1 + len(action)
    for l in range(len(action)):
        for m in range(l + 1, len(action)):
            ones[at] = pair_feature(start, pairs, l, action[l], m, action[m])
            at += 1


@kernel
def level_value(start: Ints, pairs: Ints, weights: Floats, action: Ints, l: int, i: int) -> float:
    """What level i of factor l adds in the company of the other levels of `action`."""
    total = weights[start[l] + i]
    for m in range(len(action)):
        if m != l:
            total += weights[pair_feature(start, pairs, l, i, m, action[m])]
    return float(total)


@kernel
def total_value(start: Ints, pairs: Ints, weights: Floats, action: Ints) -> float:
    """The sum of all weights of a combination, but for the constant."""
    total = 0.0
    for l in range(len(action)):
        total += weights[start[l] + action[l]]
        for m in range(l + 1, len(action)):
            total += weights[pair_feature(start, pairs, l, action[l], m, action[m])]
    return total


@kernel
def climb(start: Ints, pairs: Ints, weights: Floats, action: Ints) -> None:
    """Change one factor at a time to its best level until no change helps."""
    for _ in range(MOST_SWEEPS):
        improved = False
        for l in range(len(action)):
            best = level_value(start, pairs, weights, action, l, action[l])
            for i in range(start[l + 1] - start[l]):
                reached = level_value(start, pairs, weights, action, l, i)
                if reached > best:
                    best, improved = reached, True
                    action[l] = i
        if not improved:
            return


@kernel
def climb_from_anywhere(
    start: Ints, pairs: Ints, weights: Floats, restarts: int, rng: np.random.Generator, trial: Ints, action: Ints
) -> None:
    """The best that `restarts` climbs from random combinations reach."""
    best = -math.inf
    for _ in range(restarts):
        for l in range(len(action)):
            trial[0, l] = below(rng, start[l + 1] - start[l])
        climb(start, pairs, weights, trial[0])
        reached = total_value(start, pairs, weights, trial[0])
        if reached > best:
            best = reached
            for l in range(len(action)):
                action[l] = trial[0, l]
