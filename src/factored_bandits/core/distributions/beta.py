"""The incomplete beta function, without SciPy: tails of Student's t and of the binomial."""

from __future__ import annotations

import math

STEPS = 10_000  # terms of the continued fraction; a guard, a few dozen do
TINY = 1e-300
PRECISION = 1e-15


def incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """The regularised incomplete beta function I_x(a, b).

    Parameters
    ----------
    a, b
        Positive.
    x, rest
        From 0 to 1, adding up to 1: the smaller one keeps its digits.

    Returns
    -------
    float
        The probability that a Beta(a, b) number is at most x.

    Examples
    --------
    >>> incomplete_beta(1.0, 1.0, 0.25, 0.75), round(incomplete_beta(2.0, 3.0, 0.5, 0.5), 6)
    (0.25, 0.6875)
    """
    if x <= 0.0:
        return 0.0
    if rest <= 0.0:
        return 1.0
    # the fraction converges fast only on this side of the mean
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - incomplete_beta(b, a, rest, x)

    log_front = (
        math.lgamma(a + b)
        - math.lgamma(a)
        - math.lgamma(b)
        + a * math.log(x)
        + b * (math.log(rest) if rest < 0.5 else math.log1p(-x))
    )
    return math.exp(log_front) / (a * _fraction(a, b, x))


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    value = 1.0
    ratio = 1.0
    inverse = 0.0

    for n in range(1, STEPS):
        m, odd = divmod(n, 2)
        if odd:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))

        inverse = 1.0 / _away_from_zero(1.0 + term * inverse)
        ratio = _away_from_zero(1.0 + term / ratio)
        value *= inverse * ratio
        if abs(inverse * ratio - 1.0) < PRECISION:
            break

    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY
