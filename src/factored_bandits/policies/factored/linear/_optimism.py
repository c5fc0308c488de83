"""The combination with the largest optimistic value link(x'theta) + width |x|_P.

x is one-hot with a constant. The maximum is exact while there are at most `ENUMERATED`
combinations: all of them are tried in nested loops over the factors, prefix by prefix; for each
prefix, what the levels of later factors have in common with it (x'P) is one sum of rows, so that a
combination costs a handful of operations. Beyond that, coordinate ascent: from the best levels
under theta and from `RESTARTS` random combinations, one factor at a time until no change helps.
Ties are broken at random.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import sigmoid
from factored_bandits.core.rng import randint
from factored_bandits.core.select import argmax_per_factor, tie_wins

ENUMERATED = 5000
RESTARTS = 3
MOST_SWEEPS = 100  # never reached: a guard against going in circles by rounding

# Model.link
LINEAR = 0
LOGISTIC = 1


class Model(NamedTuple):
    """What a combination is worth, as far as is known."""

    offsets: Ints  # (L + 1,) first feature of each factor
    theta: Floats  # (d,)
    covariance: Floats  # (d, d) P
    width: float
    link: int


@kernel
def optimism(model: Model, mean: float, form: float) -> float:
    """link(x'theta) + width sqrt(x'Px)."""
    bonus = model.width * math.sqrt(max(form, 0.0))
    if model.link == LOGISTIC:
        return sigmoid(mean) + bonus
    return mean + bonus


@kernel
def most_optimistic(
    model: Model, rng: np.random.Generator, common: Floats, trial: Ints, action: Ints
) -> None:
    """The combination with the largest value, into `action`; scratch: common (L + 1, d), trial."""
    offsets = model.offsets
    combinations = 1
    for l in range(len(action)):
        combinations = min(combinations * (offsets[l + 1] - offsets[l]), ENUMERATED + 1)
    if combinations <= ENUMERATED:
        enumerate_all(model, rng, common, trial, action)
        return

    argmax_per_factor(model.theta, offsets, trial)
    best = ascend(model, rng, common[0], trial)
    for l in range(len(action)):
        action[l] = trial[l]

    for _ in range(RESTARTS):
        for l in range(len(action)):
            trial[l] = randint(rng, offsets[l + 1] - offsets[l])
        reached = ascend(model, rng, common[0], trial)
        if reached > best:
            best = reached
            for l in range(len(action)):
                action[l] = trial[l]


@kernel
def enumerate_all(
    model: Model, rng: np.random.Generator, common: Floats, trial: Ints, action: Ints
) -> None:
    """Try all combinations, prefix by prefix.

    Row l of `common` belongs to the prefix of l levels: column j >= 1 is the sum of P over (prefix,
    j), column 0 is x'Px of the prefix; see `extend`.
    """
    offsets = model.offsets
    theta = model.theta
    covariance = model.covariance
    last = len(action) - 1
    best = -math.inf
    ties = 1

    for j in range(len(theta)):
        common[0, j] = covariance[0, j]
    for l in range(len(action)):
        trial[l] = 0

    fresh = 0  # the first factor whose level has changed
    while fresh >= 0:
        for l in range(fresh, last):
            extend(covariance, common, l, offsets[l] + trial[l], offsets[l + 1])
        mean = theta[0]
        for l in range(last):
            mean += theta[offsets[l] + trial[l]]

        # all levels of the last factor
        for k in range(offsets[last], offsets[last + 1]):
            form = common[last, 0] + covariance[k, k] + 2.0 * common[last, k]
            found = optimism(model, mean + theta[k], form)
            if found < best:
                continue
            ties = 1 if found > best else ties + 1
            if tie_wins(rng, ties):
                best = found
                trial[last] = k - offsets[last]
                for l in range(len(action)):
                    action[l] = trial[l]

        # the next prefix: count up, the last factor of the prefix running fastest
        fresh = last - 1
        while fresh >= 0 and trial[fresh] == offsets[fresh + 1] - offsets[fresh] - 1:
            trial[fresh] = 0
            fresh -= 1
        if fresh >= 0:
            trial[fresh] += 1


@kernel
def extend(covariance: Floats, common: Floats, l: int, k: int, later: int) -> None:
    """Row l + 1 of `common` from row l: the prefix extended by feature k.

    Entries before `later` are not needed.
    """
    common[l + 1, 0] = common[l, 0] + covariance[k, k] + 2.0 * common[l, k]
    for j in range(later, common.shape[1]):
        common[l + 1, j] = common[l, j] + covariance[k, j]


@kernel
def ascend(model: Model, rng: np.random.Generator, common: Floats, action: Ints) -> float:
    """Change one factor at a time to its best level until no change helps; the value reached."""
    offsets = model.offsets
    theta = model.theta
    covariance = model.covariance
    best = -math.inf

    for _ in range(MOST_SWEEPS):
        before = best
        for l in range(len(action)):
            mean, form = without(model, common, action, l)
            best = -math.inf
            ties = 1
            for k in range(offsets[l], offsets[l + 1]):
                longer = form + covariance[k, k] + 2.0 * common[k]
                found = optimism(model, mean + theta[k], longer)
                if found < best:
                    continue
                ties = 1 if found > best else ties + 1
                if tie_wins(rng, ties):
                    best = found
                    action[l] = k - offsets[l]
        if best <= before:
            break

    return best


@kernel
def without(model: Model, common: Floats, action: Ints, l: int) -> tuple[float, float]:
    """x'theta and x'Px of a combination without its level of factor l.

    x'P at that factor's levels goes into `common`.
    """
    offsets = model.offsets
    theta = model.theta
    covariance = model.covariance
    for j in range(offsets[l], offsets[l + 1]):
        common[j] = covariance[0, j]
    mean = theta[0]
    form = covariance[0, 0]

    for m in range(len(action)):
        if m == l:
            continue
        k = offsets[m] + action[m]
        mean += theta[k]
        form += 2.0 * covariance[0, k]
        for o in range(len(action)):
            if o != l:
                form += covariance[k, offsets[o] + action[o]]
        for j in range(offsets[l], offsets[l + 1]):
            common[j] += covariance[k, j]

    return mean, form


@kernel
def most_optimistic_row(model: Model, rng: np.random.Generator, levels: Ints, rows: int) -> int:
    """The row of `levels`, among the first `rows`, with the largest value, ties at random."""
    best = -math.inf
    chosen = 0
    ties = 0

    for row in range(rows):
        mean = model.theta[0]
        form = model.covariance[0, 0]
        for l in range(levels.shape[1]):
            k = model.offsets[l] + levels[row, l]
            mean += model.theta[k]
            form += 2.0 * model.covariance[0, k]
            for m in range(levels.shape[1]):
                form += model.covariance[k, model.offsets[m] + levels[row, m]]

        found = optimism(model, mean, form)
        if found < best:
            continue
        ties = 1 if found > best else ties + 1
        if tie_wins(rng, ties):
            best = found
            chosen = row

    return chosen
