"""The Bernoulli KL divergence and the confidence bounds it gives: `upper` and `lower`, by Newton's
method.

kl(p, .) is convex, so Newton's method started above the root comes down to it and never crosses it;
the starting points below are proven upper bounds, and one of them is always near: at most six steps
of two logarithms, mostly three.
"""

from __future__ import annotations

import math

from .kernel import kernel

STEPS = 60  # never reached: a guard against a loop without end
TINY = 1e-300  # chances below this are nothing


@kernel
def surprise(p: float, q: float, distance: float) -> float:
    """p log(p / q), with its digits kept where distance = q - p is small."""
    if p < TINY:
        return 0.0
    share = distance / p
    if share > -0.5:
        return -p * math.log1p(share)
    return p * math.log(p / q) if q > TINY else p * (math.log(p) - math.log(q))


@kernel
def kl(p: float, q: float) -> float:
    """The KL divergence between coins with chances p and q in [0, 1].

    >>> round(kl(0.2, 0.5), 6), kl(0.3, 1.0), kl(1.0, 1.0)
    (0.192745, inf, 0.0)
    """
    if (q <= 0.0 and p > 0.0) or (q >= 1.0 and p < 1.0):
        return math.inf
    return max(0.0, surprise(p, q, q - p) + surprise(1.0 - p, 1.0 - q, p - q))


@kernel
def upper(p: float, budget: float) -> float:
    """The largest q in [p, 1] with kl(p, q) <= budget; p outside [0, 1] counts as its nearer end.

    >>> round(upper(0.2, 0.192745), 5), upper(1.0, 0.1), upper(0.5, 0.0)
    (0.5, 1.0, 0.5)
    """
    if budget <= 0.0 or p >= 1.0:
        return min(1.0, max(0.0, p))
    if p < TINY:
        return -math.expm1(-budget)
    rest = 1.0 - p
    # kl >= 2 d^2 (Pinsker) and kl >= d^2 / (2 (p + d) (1 - p)), d = q - p: either bounds d from
    # above
    part = budget * rest
    distance = min(math.sqrt(0.5 * budget), part + math.sqrt(part * (part + 2.0 * p)))

    if distance > 0.5 * rest:  # towards 1, kl >= -entropy(p) - (1 - p) log(1 - q) is closer
        distance = min(
            distance, rest - math.exp((p * math.log(p) + rest * math.log(rest) - budget) / rest)
        )

    for _ in range(STEPS):
        above = rest - distance
        if above <= 0.0:
            return 1.0
        if distance <= 0.0:
            return p
        excess = surprise(p, p + distance, distance) + surprise(rest, above, -distance) - budget
        step = excess * (p + distance) * above / distance
        distance -= step
        if step * step < 1e-16 * p * min(
            distance, above
        ):  # what is left is the square of this step
            return p + distance

    return p + distance


@kernel
def lower(p: float, budget: float) -> float:
    """The smallest q in [0, p] with kl(p, q) <= budget.

    >>> lower(0.0, 0.1), round(lower(0.8, 0.192745), 5)
    (0.0, 0.5)
    """
    return 1.0 - upper(1.0 - p, budget)


@kernel
def exploration(t: float, factor: float) -> float:
    """log t + factor * log log t, never negative and never falling: what KL-UCB spends at round t.

    >>> exploration(1, 3), round(exploration(1000, 3), 4)
    (0.0, 12.7057)
    """
    log_t = math.log(t)
    return log_t + factor * math.log(max(1.0, log_t))


@kernel
def sigmoid(x: float) -> float:
    """The logistic function, without overflow."""
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    odds = math.exp(x)
    return odds / (1.0 + odds)
