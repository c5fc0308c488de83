"""A Gaussian belief N(m, P) about weights, kept by a square root F of its covariance: P = F'F.

What is learned of a sum x'w of the weights changes F by a rank-one update (Potter 1963; the
square-root Kalman filter), in O(d^2) loops over rows that vectorise. Draws are m + F'z for standard
normal z, without a Cholesky decomposition, and P stays positive whatever is lost by rounding.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.limits import Within


@kernel
def shrink_root(factor: Floats, phi: Floats, weight: float, work: Floats) -> float:
    """P <- (P^-1 + weight x x')^-1, with phi = F x; leaves P x (of the old P) in `work`.

    F <- F - gamma weight (F x)(P x)', gamma = a / (1 + sqrt(a)), a = 1 / (1 + weight x'Px).
    Returns the old x'Px.

    >>> factor = np.eye(2)
    >>> work = np.zeros(2)
    >>> shrink_root(factor, np.array([1.0, 0.0]), 3.0, work), (factor.T @ factor).tolist()
    (1.0, [[0.25, 0.0], [0.0, 1.0]])
    """
    size = len(work)
    for j in range(size):
        work[j] = 0.0

    form = 0.0
    for i in range(size):
        form += phi[i] * phi[i]
        for j in range(size):
            work[j] += phi[i] * factor[i, j]

    a = 1.0 / (1.0 + weight * form)
    rate = weight * a / (1.0 + math.sqrt(a))

    for i in range(size):
        scaled = rate * phi[i]
        for j in range(size):
            factor[i, j] -= scaled * work[j]

    return float(form)


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
