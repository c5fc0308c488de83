"""The combination with the largest optimistic value: link(x'theta) + width |x|_P, x one-hot with a
constant.

Exact while there are at most `ENUMERATED` combinations: all of them in nested loops over the
factors, prefix by prefix; for each prefix, what the levels of later factors have in common with it
(x'P) is one sum of rows, so that a combination costs a handful of operations. Beyond that,
coordinate ascent: from the best levels under theta and from `RESTARTS` random combinations, one
factor at a time until no change helps. Ties are broken at random.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint

from ._linear import best_levels, sigmoid

ENUMERATED = 5000
RESTARTS = 3
MOST_SWEEPS = 100  # never reached: a guard against going in circles by rounding
LINEAR, LOGISTIC = 0, 1


class Model(NamedTuple):
    """What a combination is worth, as far as is known."""

    start: Ints  # (L + 1,) first feature of each factor
    theta: Floats  # (d,)
    covariance: Floats  # (d, d) P
    width: float
    link: int


@kernel
def optimism(model: Model, mean: float, form: float) -> float:
    """link(x'theta) + width sqrt(x'Px)."""
    spread = model.width * math.sqrt(max(form, 0.0))
    return sigmoid(mean) + spread if model.link == LOGISTIC else mean + spread


@kernel
def most_optimistic(
    model: Model, rng: np.random.Generator, common: Floats, trial: Ints, action: Ints
) -> None:
    """Into `action`; scratch: common (L + 1, d), trial (L,)."""
    start = model.start
    combinations = 1
    for l in range(len(action)):
        combinations = min(combinations * (start[l + 1] - start[l]), ENUMERATED + 1)
    if combinations <= ENUMERATED:
        enumerate_all(model, rng, common, trial, action)
        return

    best_levels(start, model.theta, trial)
    best = ascend(model, rng, common[0], trial)
    for l in range(len(action)):
        action[l] = trial[l]
    for _ in range(RESTARTS):
        for l in range(len(action)):
            trial[l] = randint(rng, start[l + 1] - start[l])
        reached = ascend(model, rng, common[0], trial)
        if reached > best:
            best = reached
            for l in range(len(action)):
                action[l] = trial[l]


@kernel
def enumerate_all(
    model: Model, rng: np.random.Generator, common: Floats, trial: Ints, action: Ints
) -> None:
    """Row l of `common`: column j >= 1 the sum of P over (prefix of l levels, j); column 0 its
    x'Px; see `extend`.
    """
    start = model.start
    theta = model.theta
    covariance = model.covariance
    last = len(action) - 1
    d = len(theta)
    ties = 1
    best = -math.inf
    for j in range(d):
        common[0, j] = covariance[0, j]
    for l in range(len(action)):
        trial[l] = 0
    fresh = 0  # the first factor whose level has changed
    while True:
        for l in range(fresh, last):
            extend(covariance, common, l, start[l] + trial[l], start[l + 1])
        mean = theta[0]
        for l in range(last):
            mean += theta[start[l] + trial[l]]
        form = common[last, 0]
        for k in range(start[last], start[last + 1]):
            found = optimism(
                model, mean + theta[k], form + covariance[k, k] + 2.0 * common[last, k]
            )
            if found < best:
                continue
            ties = 1 if found > best else ties + 1
            if ties == 1 or rng.random() * ties < 1.0:
                best = found
                trial[last] = k - start[last]
                for l in range(len(action)):
                    action[l] = trial[l]
        fresh = last - 1
        while fresh >= 0 and trial[fresh] == start[fresh + 1] - start[fresh] - 1:
            trial[fresh] = 0
            fresh -= 1
        if fresh < 0:
            return
        trial[fresh] += 1


@kernel
def extend(covariance: Floats, common: Floats, l: int, k: int, later: int) -> None:
    """Row l + 1 of `common` from row l, the prefix extended by feature k; entries before `later`
    are not needed.
    """
    common[l + 1, 0] = common[l, 0] + covariance[k, k] + 2.0 * common[l, k]
    for j in range(later, common.shape[1]):
        common[l + 1, j] = common[l, j] + covariance[k, j]


@kernel
def ascend(model: Model, rng: np.random.Generator, common: Floats, action: Ints) -> float:
    """Change one factor at a time to its best level until no change helps; returns the value
    reached.
    """
    start = model.start
    theta = model.theta
    covariance = model.covariance
    best = -math.inf

    for _ in range(MOST_SWEEPS):
        before = best
        for l in range(len(action)):
            mean, form = without(model, common, action, l)
            best = -math.inf
            ties = 1
            for k in range(start[l], start[l + 1]):
                found = optimism(model, mean + theta[k], form + covariance[k, k] + 2.0 * common[k])
                if found < best:
                    continue
                ties = 1 if found > best else ties + 1
                if ties == 1 or rng.random() * ties < 1.0:
                    best = found
                    action[l] = k - start[l]
        if best <= before:
            break

    return best


@kernel
def without(model: Model, common: Floats, action: Ints, l: int) -> tuple[float, float]:
    """x'theta and x'Px of a combination without its level of factor l; x'P of that factor's levels
    into `common`.
    """
    start = model.start
    theta = model.theta
    covariance = model.covariance
    for j in range(start[l], start[l + 1]):
        common[j] = covariance[0, j]
    mean = theta[0]
    form = covariance[0, 0]

    for m in range(len(action)):
        if m == l:
            continue
        k = start[m] + action[m]
        mean += theta[k]
        form += 2.0 * covariance[0, k]
        for o in range(len(action)):
            if o != l:
                form += covariance[k, start[o] + action[o]]
        for j in range(start[l], start[l + 1]):
            common[j] += covariance[k, j]

    return mean, form
