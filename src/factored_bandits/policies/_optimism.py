"""The combination with the largest optimistic value: link(x'theta) + width |x|_P, x one-hot with a constant.

Exact while there are at most `ENUMERATED` combinations: all of them in nested loops over the factors, prefix by prefix;
for each prefix, what the levels of later factors have in common with it (x'P) is one sum of rows, so that a
combination costs a handful of operations. Beyond that, coordinate ascent: from the best levels under theta and from
`RESTARTS` random combinations, one factor at a time until no change helps. Ties are broken at random.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Floats, Ints
from ..kernel import kernel
from ..randomness import below
from ._linear import best_levels, sigmoid

ENUMERATED = 5000
RESTARTS = 3
MOST_SWEEPS = 100  # never reached: a guard against going in circles by rounding
LINEAR, LOGISTIC = 0, 1


@kernel
def optimism(mean: float, form: float, width: float, link: int) -> float:
    """link(x'theta) + width sqrt(x'Px)."""
    spread = width * math.sqrt(max(form, 0.0))
    return sigmoid(mean) + spread if link == LOGISTIC else mean + spread


@kernel
def most_optimistic(
    start: Ints,
    theta: Floats,
    covariance: Floats,
    width: float,
    link: int,
    rng: np.random.Generator,
    common: Floats,
    trial: Ints,
    action: Ints,
) -> None:
    """Into `action`; scratch: common (L + 1, d), trial (L,)."""
    combinations = 1
    for l in range(len(action)):
        combinations = min(combinations * (start[l + 1] - start[l]), ENUMERATED + 1)
    if combinations <= ENUMERATED:
        enumerate_all(start, theta, covariance, width, link, rng, common, trial, action)
        return
    best_levels(start, theta, trial)
    best = ascend(start, theta, covariance, width, link, rng, common[0], trial)
    for l in range(len(action)):
        action[l] = trial[l]
    for _ in range(RESTARTS):
        for l in range(len(action)):
            trial[l] = below(rng, start[l + 1] - start[l])
        reached = ascend(start, theta, covariance, width, link, rng, common[0], trial)
        if reached > best:
            best = reached
            for l in range(len(action)):
                action[l] = trial[l]


@kernel
def enumerate_all(
    start: Ints,
    theta: Floats,
    covariance: Floats,
    width: float,
    link: int,
    rng: np.random.Generator,
    common: Floats,
    trial: Ints,
    action: Ints,
) -> None:
    """Row l of `common`: column j >= 1 the sum of P over (prefix of l levels, j); column 0 its x'Px; see `extend`."""
    last, d, ties = len(action) - 1, len(theta), 1
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
            found = optimism(mean + theta[k], form + covariance[k, k] + 2.0 * common[last, k], width, link)
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
    """Row l + 1 of `common` from row l, the prefix extended by feature k; entries before `later` are not needed."""
    common[l + 1, 0] = common[l, 0] + covariance[k, k] + 2.0 * common[l, k]
    for j in range(later, common.shape[1]):
        common[l + 1, j] = common[l, j] + covariance[k, j]


@kernel
def ascend(
    start: Ints,
    theta: Floats,
    covariance: Floats,
    width: float,
    link: int,
    rng: np.random.Generator,
    common: Floats,
    action: Ints,
) -> float:
    """Change one factor at a time to its best level until no change helps; returns the value reached."""
    best = -math.inf
    for _ in range(MOST_SWEEPS):
        before = best
        for l in range(len(action)):
            mean, form = without(start, theta, covariance, common, action, l)
            best, ties = -math.inf, 1
            for k in range(start[l], start[l + 1]):
                found = optimism(mean + theta[k], form + covariance[k, k] + 2.0 * common[k], width, link)
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
def without(
    start: Ints, theta: Floats, covariance: Floats, common: Floats, action: Ints, l: int
) -> tuple[float, float]:
    """x'theta and x'Px of a combination without its level of factor l; x'P of that factor's levels into `common`."""
    for j in range(start[l], start[l + 1]):
        common[j] = covariance[0, j]
    mean, form = theta[0], covariance[0, 0]
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
