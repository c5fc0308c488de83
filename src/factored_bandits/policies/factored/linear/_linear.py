"""Linear models with one-hot features: a constant, one per level, if asked one per pair of levels.

A combination x has a 1 at each feature in `ones` and 0 elsewhere, so x'v is a sum of few entries.
Two ways to keep the covariance P = (prior + sum of w x x')^-1 under rank-one updates, both O(d^2)
loops over rows that vectorise:

- `shrink`: P itself (Sherman & Morrison), where entries of P are needed: confidence widths;
- `shrink_factor`: a square root F with P = F'F (Potter 1963; the square-root Kalman filter), where
  draws from N(m, P) are needed: m + F'z for standard normal z, without a Cholesky decomposition.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, Sizes, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.limits import Within


def feature_offsets(sizes: Sizes) -> Ints:
    """Where the features of each factor begin, after the constant, and where the last ones end.

    >>> feature_offsets([2, 3]).tolist()
    [1, 3, 6]
    """
    return 1 + offsets_of(sizes)


@kernel
def main_effects(offsets: Ints, action: Ints, ones: Ints) -> None:
    """The features of a combination, into `ones`: the constant, and its level of each factor."""
    ones[0] = 0
    for l in range(len(action)):
        ones[1 + l] = offsets[l] + action[l]


@kernel
def value(weights: Floats, ones: Ints) -> float:
    """x'weights."""
    total = weights[ones[0]]
    for k in range(1, len(ones)):
        total += weights[ones[k]]
    return float(total)


@kernel
def shrink(covariance: Floats, ones: Ints, weight: float, work: Floats) -> float:
    """P <- (P^-1 + weight x x')^-1; leaves P x (of the old P) in `work`, returns the old x'Px."""
    size = len(work)

    # work = P x
    for j in range(size):
        work[j] = covariance[ones[0], j]
    for k in range(1, len(ones)):
        for j in range(size):
            work[j] += covariance[ones[k], j]

    # Sherman & Morrison: P <- P - weight (P x)(P x)' / (1 + weight x'Px)
    form = value(work, ones)
    rate = weight / (1.0 + weight * form)

    for i in range(size):
        scaled = rate * work[i]
        for j in range(size):
            covariance[i, j] -= scaled * work[j]

    return form


@kernel
def shrink_factor(factor: Floats, ones: Ints, weight: float, work: Floats, phi: Floats) -> float:
    """The same for P = F'F; leaves P x (of the old P) in `work`, F x in `phi`.

    F <- F - gamma weight (F x)(P x)', gamma = a / (1 + sqrt(a)), a = 1 / (1 + weight x'Px).
    """
    size = len(work)
    for j in range(size):
        work[j] = 0.0

    form = 0.0
    for i in range(size):
        phi[i] = value(factor[i], ones)
        form += phi[i] * phi[i]
        for j in range(size):
            work[j] += phi[i] * factor[i, j]

    a = 1.0 / (1.0 + weight * form)
    rate = weight * a / (1.0 + math.sqrt(a))

    for i in range(size):
        scaled = rate * phi[i]
        for j in range(size):
            factor[i, j] -= scaled * work[j]

    return form


@kernel
def draw(
    mean: Floats, factor: Floats, scale: float, rng: np.random.Generator, weights: Floats
) -> None:
    """weights ~ N(mean, scale^2 F'F)."""
    size = len(mean)
    for j in range(size):
        weights[j] = mean[j]
    for i in range(size):
        z = scale * rng.standard_normal()
        for j in range(size):
            weights[j] += z * factor[i, j]


def covariance_limits(prior: Floats) -> Within:
    """What a covariance, or its factor, may hold: it only shrinks from that of the prior."""
    largest = 1.0001 * float(np.abs(prior).max())
    return Within(-largest, largest)


def covariance_contradiction(covariance: Floats) -> str | None:
    """It is symmetric and positive, up to what is lost by rounding in the course of time."""
    scale = float(np.abs(covariance).max())
    if np.abs(covariance - covariance.T).max() > 1e-6 * scale:
        return "covariance is not symmetric"
    try:
        np.linalg.cholesky(covariance + 1e-6 * scale * np.eye(len(covariance)))
    except np.linalg.LinAlgError:
        return "covariance is not positive"
    return None
