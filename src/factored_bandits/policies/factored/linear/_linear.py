"""Linear models with one-hot features: a constant, one per level, if asked one per pair of levels.

A combination x has a 1 at each feature in `ones` and 0 elsewhere, so x'v is a sum of few entries.
Two ways to keep the covariance P = (prior + sum of w x x')^-1 under rank-one updates, both O(d^2)
loops over rows that vectorise:

- `shrink`: P itself (Sherman & Morrison), where entries of P are needed: confidence widths;
- `shrink_factor`: a square root F with P = F'F (blocks/gaussian), where draws from N(m, P) are
  needed.
"""

from __future__ import annotations

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, Sizes, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.blocks.gaussian import shrink_root


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
    """The same for P = F'F; leaves P x (of the old P) in `work`, F x in `phi`."""
    for i in range(len(phi)):
        phi[i] = value(factor[i], ones)
    return shrink_root(factor, phi, weight, work)


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
