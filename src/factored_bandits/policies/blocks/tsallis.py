"""Tsallis-INF (Zimmert & Seldin, JMLR 2021): its weights, and what one learner does with a loss.

FTRL with the regulariser -4 sum(sqrt(w) - w / 2) / rate gives w_i = 4 / (rate (L_i - x))^2, x such
that they add up to one. In y = rate (min L - x), which lies between 2 and 2 sqrt(K), the sum S(y)
is a power mean to the power -2, so S^(-1/2) is concave and nearly straight: Newton's method on it
needs no safeguard but the bracket, and two or three steps from the last solution. (The paper
applies Newton's method to S - 1 itself.)

A learner is a range, from `start`, `size` long, of two arrays: `losses` (cumulated estimates) and
`weights`. So any number of learners can live side by side, in any policy.
"""

from __future__ import annotations

import math

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Code

# estimators of the losses
REDUCED_VARIANCE: Code = 0
IMPORTANCE: Code = 1

# Newton steps, never reached
STEPS = 100
# of the sum of the weights, before they are normalised
PRECISION = 1e-10


@kernel
def learning_rate(t: float, estimator: Code) -> float:
    """At round t: 4 / sqrt(t) with reduced variance, 2 / sqrt(t) with importance weighting."""
    return (4.0 if estimator == REDUCED_VARIANCE else 2.0) / math.sqrt(t)


@kernel
def tsallis_weights(
    losses: Floats, weights: Floats, start: int, size: int, rate: float, previous: float
) -> float:
    """Fill the weights of one learner; returns y, the `previous` of the next call (0.0 at first).

    >>> import numpy as np
    >>> weights = np.zeros(3)
    >>> y = tsallis_weights(np.array([0.0, 1.0, 5.0]), weights, 0, 3, 1.0, 0.0)
    >>> weights.round(4).tolist()
    [0.6132, 0.3167, 0.0701]
    """
    least = losses[start]
    for i in range(start + 1, start + size):
        least = min(least, losses[i])

    highest = 2.0 * math.sqrt(size)
    y = min(max(previous, 2.0), highest)
    total = 1.0

    for _ in range(STEPS):
        total = 0.0
        cubes = 0.0
        for i in range(start, start + size):
            root = 2.0 / (rate * (losses[i] - least) + y)
            weights[i] = root * root
            total += weights[i]
            cubes += weights[i] * root

        if abs(total - 1.0) <= PRECISION:
            break

        # dS / dy = -cubes, hence the Newton step of S^(-1/2) = 1
        step = 2.0 * total * (math.sqrt(total) - 1.0) / cubes
        y = min(max(y + step, 2.0), highest)

    for i in range(start, start + size):
        weights[i] /= total
    return y


@kernel
def tsallis_feed(
    losses: Floats,
    weights: Floats,
    start: int,
    size: int,
    arm: int,
    loss: float,
    rate: float,
    estimator: Code,
) -> None:
    """Learn the loss in [0, 1] of the level `arm`, played by the weights of this `rate`.

    Importance weighting, (IW) in the paper, adds loss / w to the level played. With reduced
    variance, (RV), every level with w >= rate^2 gets the baseline 1/2, played or not, and only the
    difference to it is weighted by importance.
    """
    played = start + arm
    baseline = 0.0

    if estimator == REDUCED_VARIANCE:
        threshold = rate * rate
        for i in range(start, start + size):
            if weights[i] >= threshold:
                losses[i] += 0.5
        if weights[played] >= threshold:
            baseline = 0.5

    losses[played] += (loss - baseline) / weights[played]
