"""The online Laplace approximation of logistic regression: a Gaussian N(m, P) of the weights.

P = F'F is kept as its root F, which draws need (`_linear.draw`).
"""

from __future__ import annotations

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import sigmoid
from factored_bandits.errors import InvalidInputError

from ._linear import shrink_factor, value

MOST_WEIGHTS = 2048


def check_weights(name: str, weights: int, remark: str = "") -> None:
    """Refuse more weights than a covariance is kept of.

    >>> check_weights("logistic_thompson", 2048)
    """
    if weights > MOST_WEIGHTS:
        raise InvalidInputError(
            f"{name} keeps the covariance of all weights and takes at most {MOST_WEIGHTS:,} of "
            f"them; this problem has {weights:,}{remark}"
        )


@kernel
def laplace_step(
    mean: Floats, factor: Floats, ones: Ints, reward: float, work: Floats, phi: Floats
) -> None:
    """Learn one reward of the combination with the features `ones`; scratch: work and phi.

    Unbounded rewards are clipped onto [0, 1].
    """
    # Chapelle & Li, Algorithm 3, with one play to a batch and the full covariance
    p = sigmoid(value(mean, ones))
    curvature = p * (1.0 - p)
    form = shrink_factor(factor, ones, curvature, work, phi)

    # one Newton step from the old mean: m <- m + P x (y - p), P x of the new P
    clipped = min(max(reward, 0.0), 1.0)
    rate = (clipped - p) / (1.0 + curvature * form)
    for j in range(len(mean)):
        mean[j] += rate * work[j]
