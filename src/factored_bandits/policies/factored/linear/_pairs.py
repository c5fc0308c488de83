"""Weights of pairs of levels, after those of the levels, and hill climbing on the sum of weights.

The weight of level i of factor l with level j of factor m > l stands at pairs[l, m] + i K_m + j.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.core.select import argmax_per_factor

from ._linear import feature_offsets

MOST_SWEEPS = 100  # never reached: a guard against going in circles by rounding


def pair_offsets(sizes: Ints) -> tuple[Ints, int]:
    """The first feature of each pair of factors, and the number of all features.

    Entries on and below the diagonal are zero.

    >>> pairs, features = pair_offsets(np.array([2, 3]))
    >>> pairs.tolist(), features
    ([[0, 6], [0, 0]], 12)
    """
    pairs = np.zeros((len(sizes), len(sizes)), dtype=np.int64)
    end = int(feature_offsets(sizes)[-1])
    for l in range(len(sizes)):
        for m in range(l + 1, len(sizes)):
            pairs[l, m] = end
            end += int(sizes[l] * sizes[m])
    return pairs, end


@kernel
def pair_feature(offsets: Ints, pairs: Ints, l: int, i: int, m: int, j: int) -> int:
    """The feature of level i of factor l together with level j of factor m."""
    if l < m:
        return int(pairs[l, m] + i * (offsets[m + 1] - offsets[m]) + j)
    return int(pairs[m, l] + j * (offsets[l + 1] - offsets[l]) + i)


@kernel
def pair_effects(offsets: Ints, pairs: Ints, action: Ints, ones: Ints) -> None:
    """The pairs of a combination, behind its main effects."""
    at = 1 + len(action)
    for l in range(len(action)):
        for m in range(l + 1, len(action)):
            ones[at] = pair_feature(offsets, pairs, l, action[l], m, action[m])
            at += 1


@kernel
def level_value(offsets: Ints, pairs: Ints, weights: Floats, action: Ints, l: int, i: int) -> float:
    """What level i of factor l adds in the context of the other levels of `action`."""
    total = weights[offsets[l] + i]
    for m in range(len(action)):
        if m != l:
            total += weights[pair_feature(offsets, pairs, l, i, m, action[m])]
    return float(total)


@kernel
def total_value(offsets: Ints, pairs: Ints, weights: Floats, action: Ints) -> float:
    """The sum of all weights of a combination, but for the constant."""
    total = 0.0
    for l in range(len(action)):
        total += weights[offsets[l] + action[l]]
        for m in range(l + 1, len(action)):
            total += weights[pair_feature(offsets, pairs, l, action[l], m, action[m])]
    return total


@kernel
def climb(offsets: Ints, pairs: Ints, weights: Floats, action: Ints) -> None:
    """Change one factor at a time to its best level until no change helps; the first one last."""
    for _ in range(MOST_SWEEPS):
        improved = False
        for turn in range(1, len(action) + 1):
            l = turn % len(action)
            best = level_value(offsets, pairs, weights, action, l, action[l])
            for i in range(offsets[l + 1] - offsets[l]):
                reached = level_value(offsets, pairs, weights, action, l, i)
                if reached > best:
                    best = reached
                    improved = True
                    action[l] = i
        if not improved:
            return


@kernel
def climb_and_compare(
    offsets: Ints, pairs: Ints, weights: Floats, trial: Ints, best: float, action: Ints
) -> float:
    """Climb from `trial`; if that gets above `best`, into `action`. Returns the best so far."""
    climb(offsets, pairs, weights, trial)
    reached = total_value(offsets, pairs, weights, trial)
    if reached <= best:
        return best

    for l in range(len(action)):
        action[l] = trial[l]
    return reached


@kernel
def climb_from_anywhere(
    offsets: Ints,
    pairs: Ints,
    weights: Floats,
    restarts: int,
    rng: np.random.Generator,
    trial: Ints,
    last: Ints,
    action: Ints,
) -> None:
    """The best that climbs from `last` and from random combinations reach; it becomes `last`."""
    for l in range(len(action)):
        trial[l] = last[l]
    best = climb_and_compare(offsets, pairs, weights, trial, -math.inf, action)

    for _ in range(restarts):
        for l in range(len(action)):
            trial[l] = randint(rng, offsets[l + 1] - offsets[l])
        best = climb_and_compare(offsets, pairs, weights, trial, best, action)

    for l in range(len(action)):
        last[l] = action[l]


@kernel
def climb_from_each(
    offsets: Ints, pairs: Ints, weights: Floats, trial: Ints, last: Ints, action: Ints
) -> None:
    """The best that climbs without random starts reach.

    They start from `last`, and from the best single levels with each level of the first factor.
    """
    for l in range(len(action)):
        trial[l] = last[l]
    best = climb_and_compare(offsets, pairs, weights, trial, -math.inf, action)

    for first in range(offsets[1] - offsets[0]):
        argmax_per_factor(weights, offsets, trial)
        trial[0] = first
        best = climb_and_compare(offsets, pairs, weights, trial, best, action)
