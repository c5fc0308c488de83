"""Weights of pairs of levels, after those of the levels: where they stand, and hill climbing on
their sum.

The weight of level i of factor l with level j of factor m > l stands at pairs[l, m] + i K_m + j.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint

from ._linear import best_levels, offsets

MOST_SWEEPS = 100  # never reached: a guard against going in circles by rounding


def pair_offsets(sizes: Ints) -> tuple[Ints, int]:
    """The first feature of each pair of factors (zeros on and below the diagonal), and the number
    of all features.

    >>> pairs, features = pair_offsets(np.array([2, 3]))
    >>> pairs.tolist(), features
    ([[0, 6], [0, 0]], 12)
    """
    pairs = np.zeros((len(sizes), len(sizes)), dtype=np.int64)
    end = int(offsets(sizes)[-1])
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
    """Change one factor at a time to its best level, the first factor last, until no change helps."""
    for _ in range(MOST_SWEEPS):
        improved = False
        for turn in range(1, len(action) + 1):
            l = turn % len(action)
            best = level_value(start, pairs, weights, action, l, action[l])
            for i in range(start[l + 1] - start[l]):
                reached = level_value(start, pairs, weights, action, l, i)
                if reached > best:
                    best = reached
                    improved = True
                    action[l] = i
        if not improved:
            return


@kernel
def climb_and_compare(
    start: Ints, pairs: Ints, weights: Floats, trial: Ints, best: float, action: Ints
) -> float:
    """Climb from trial[0]; if that gets above `best`, into `action`. Returns the best so far."""
    climb(start, pairs, weights, trial[0])
    reached = total_value(start, pairs, weights, trial[0])
    if reached > best:
        for l in range(len(action)):
            action[l] = trial[0, l]
        return reached
    return best


@kernel
def climb_from_anywhere(
    start: Ints,
    pairs: Ints,
    weights: Floats,
    restarts: int,
    rng: np.random.Generator,
    trial: Ints,
    action: Ints,
) -> None:
    """The best that climbs from `restarts` random combinations and from trial[1] reach; it becomes
    trial[1].
    """
    for l in range(len(action)):
        trial[0, l] = trial[1, l]
    best = climb_and_compare(start, pairs, weights, trial, -math.inf, action)
    for _ in range(restarts):
        for l in range(len(action)):
            trial[0, l] = randint(rng, start[l + 1] - start[l])
        best = climb_and_compare(start, pairs, weights, trial, best, action)

    for l in range(len(action)):
        trial[1, l] = action[l]


@kernel
def climb_from_each(start: Ints, pairs: Ints, weights: Floats, trial: Ints, action: Ints) -> None:
    """Without chance: from trial[1], and from each level of the first factor beside the best single
    levels.
    """
    for l in range(len(action)):
        trial[0, l] = trial[1, l]
    best = climb_and_compare(start, pairs, weights, trial, -math.inf, action)
    for first in range(start[1] - start[0]):
        best_levels(start, weights, trial[0])
        trial[0, 0] = first
        best = climb_and_compare(start, pairs, weights, trial, best, action)
