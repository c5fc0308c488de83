"""Functions of numbers that kernels share: Bernoulli KL bounds, sigmoid, log-gamma.

`kl_upper` and `kl_lower` are found by Newton's method. kl(p, .) is convex, so Newton's method
started above the root comes down to it and never crosses it; the starting points below are proven
upper bounds, and one of them is always near: at most six steps of two logarithms, mostly three.
"""

from __future__ import annotations

import math

from .kernel import kernel

# Newton steps; never reached, a guard against a loop without end
STEPS = 60
# a probability below this counts as zero
TINY = 1e-300


@kernel
def relative_entropy_term(p: float, q: float, difference: float) -> float:
    """p log(p / q), with its digits kept where difference = q - p is small."""
    if p < TINY:
        return 0.0

    ratio = difference / p
    if ratio > -0.5:
        return -p * math.log1p(ratio)
    return p * math.log(p / q) if q > TINY else p * (math.log(p) - math.log(q))


@kernel
def kl(p: float, q: float) -> float:
    """The KL divergence between Bernoulli distributions with means p and q in [0, 1].

    >>> round(kl(0.2, 0.5), 6), kl(0.3, 1.0), kl(1.0, 1.0)
    (0.192745, inf, 0.0)
    """
    if (q <= 0.0 and p > 0.0) or (q >= 1.0 and p < 1.0):
        return math.inf

    success = relative_entropy_term(p, q, q - p)
    failure = relative_entropy_term(1.0 - p, 1.0 - q, p - q)
    return max(0.0, success + failure)


@kernel
def kl_upper(p: float, budget: float) -> float:
    """The largest q in [p, 1] with kl(p, q) <= budget; p outside [0, 1] counts as its nearer end.

    >>> round(kl_upper(0.2, 0.192745), 5), kl_upper(1.0, 0.1), kl_upper(0.5, 0.0)
    (0.5, 1.0, 0.5)
    """
    if budget <= 0.0 or p >= 1.0:
        return min(1.0, max(0.0, p))
    if p < TINY:
        return -math.expm1(-budget)

    # With d = q - p, kl >= 2 d^2 (Pinsker) and kl >= d^2 / (2 (p + d) (1 - p)): either bounds d
    # from above.
    rest = 1.0 - p
    part = budget * rest
    distance = min(math.sqrt(0.5 * budget), part + math.sqrt(part * (part + 2.0 * p)))

    # Towards 1, kl >= -entropy(p) - (1 - p) log(1 - q) is closer.
    if distance > 0.5 * rest:
        entropy = p * math.log(p) + rest * math.log(rest)
        distance = min(distance, rest - math.exp((entropy - budget) / rest))

    for _ in range(STEPS):
        above = rest - distance
        if above <= 0.0:
            return 1.0
        if distance <= 0.0:
            return p

        success = relative_entropy_term(p, p + distance, distance)
        failure = relative_entropy_term(rest, above, -distance)
        excess = success + failure - budget
        step = excess * (p + distance) * above / distance
        distance -= step

        # Newton's method is quadratic: the error left is of the order of the square of this step.
        if step * step < 1e-16 * p * min(distance, above):
            return p + distance

    return p + distance


@kernel
def kl_lower(p: float, budget: float) -> float:
    """The smallest q in [0, p] with kl(p, q) <= budget.

    >>> kl_lower(0.0, 0.1), round(kl_lower(0.8, 0.192745), 5)
    (0.0, 0.5)
    """
    return 1.0 - kl_upper(1.0 - p, budget)


@kernel
def exploration(t: float, c: float) -> float:
    """The exploration function log t + c log log t of KL-UCB, never negative and never falling.

    >>> exploration(1, 3), round(exploration(1000, 3), 4)
    (0.0, 12.7057)
    """
    log_t = math.log(t)
    return log_t + c * math.log(max(1.0, log_t))


@kernel
def sigmoid(x: float) -> float:
    """The logistic function, without overflow.

    >>> sigmoid(0.0), sigmoid(-1000.0)
    (0.5, 0.0)
    """
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    odds = math.exp(x)
    return odds / (1.0 + odds)


@kernel
def stirling_error(n: float) -> float:
    """log n! - log(sqrt(2 pi n) (n / e)^n) by Stirling's series: to 1e-16 for n >= 16.

    >>> n = 20.0
    >>> stirling = 0.5 * math.log(2.0 * math.pi * n) + n * math.log(n) - n
    >>> abs(math.lgamma(n + 1.0) - stirling - stirling_error(n)) < 1e-13
    True
    """
    x = 1.0 / (n * n)
    return (
        1.0 / 12.0 - x * (1.0 / 360.0 - x * (1.0 / 1260.0 - x * (1.0 / 1680.0 - x / 1188.0)))
    ) / n


@kernel
def log_gamma(x: float) -> float:
    """The logarithm of the gamma function for x >= 1, to about 1e-12.

    `math.lgamma` is not used because it differs between compilers.

    >>> abs(log_gamma(5.5) - math.lgamma(5.5)) < 1e-12
    True
    """
    # gamma(x) = gamma(x + 1) / x, up to where the series is precise
    product = 1.0
    while x < 10.0:
        product *= x
        x += 1.0

    half_log_2_pi = 0.5 * math.log(2.0 * math.pi)
    return (x - 0.5) * math.log(x) - x + half_log_2_pi + stirling_error(x) - math.log(product)
