"""The bounds of the Temporary Elimination Module: when a lead is with high confidence (derived in
docs/explanation/bounds.md).

All are *time-free*: arm i is out at confidence delta iff log(1 / delta) < tau_i, the largest
`threshold` of a lead over it. We call log(1 / delta) the level; in TEA it is log f(t).
"""

from __future__ import annotations

import math

from factored_bandits.core.kernel import kernel

# paper and hoeffding have the radius sqrt(constant log(2 K f(N) / delta) / N) of Algorithm 3, line
# 10.
CONSTANTS = {"paper": 12.0, "hoeffding": 8.0, "bernstein": 0.0, "betting": -1.0}
K1 = (2.0**0.25 + 2.0**-0.25) / math.sqrt(
    2.0
)  # bernstein: the boundary is K1 sqrt(V E) + REACH E, stitched over
# epochs of V that double; sum of 1 / (zeta(1.4) (k + 1)^1.4) is 1
EPOCH_POWER = 1.4
LOG_ZETA = math.log(3.105546)
CENTRE = (
    0.25  # bernstein: the mean about which V is taken is cut off here, so that a paired difference,
)
REACH = 2.0 + CENTRE  # which lies in [-2, 2], falls at most this far below it
PRIOR, STAKE = (
    8.0,
    0.45,
)  # betting: two imagined differences of size 2; the largest stake, of 1/2 that would be safe
NEVER = -math.inf
# Lemma 3 adds up 1 / f(k) over all k and says that this is at most 1. It is 2.11, and 1.05 for the
# f of the lemma.
SUM_OF_INVERSES = 2.109742801236892


@kernel
def log_f(t: float) -> float:
    """log f(t), f(t) = (t + 1) log^2(t + 1)."""
    log_t = math.log(t + 1.0)
    return log_t + 2.0 * math.log(log_t)


@kernel
def first_round_at(level: float) -> int:
    """The first round t with log f(t) >= level (at most 2^62)."""
    if level <= log_f(1.0):
        return 1
    if level > log_f(2.0**62):
        return 2**62
    # solve x + 2 log x = level, x = log(t + 1); Newton climbs to the root from below
    x = 0.7
    step = 1.0

    while step > 1e-14 * x:
        step = (level - x - 2.0 * math.log(x)) / (1.0 + 2.0 / x)
        x += step

    t = math.exp(x)
    # log f(low) < level <= log f(high)
    low = int(t * (1.0 - 1e-12)) - 3
    high = int(t * (1.0 + 1e-12)) + 3

    while high - low > 1:
        middle = (low + high) // 2
        if middle < 1 or log_f(float(middle)) < level:
            low = middle
        else:
            high = middle

    return high


@kernel
def threshold(difference: float, n: int, size: int, constant: float, evidence: float) -> float:
    """The level below which a lead puts the other arm out, after n comparisons: one term of tau."""
    if constant > 0.0:
        return difference * difference / (constant * n) - math.log(2.0 * size) - log_f(float(n))
    if constant < 0.0:
        return evidence - math.log(2.0 * size)
    v = max(evidence, 1.0)  # solve K1 sqrt(v E) + REACH E = difference for E
    root = (math.sqrt(K1 * K1 * v + 4.0 * REACH * difference) - K1 * math.sqrt(v)) / (2.0 * REACH)

    return (
        root * root - math.log(2.0 * size) - LOG_ZETA - EPOCH_POWER * math.log(1.0 + math.log2(v))
    )


def spent(size: int, constant: float) -> float:
    """The chance that the best of `size` arms is ever out at confidence delta is at most delta
    times this.

    (size - 1) opponents, delta / (2 size) each, times the sum of 1 / f(N) for the bounds that add
    up over N.

    >>> round(spent(2, CONSTANTS["betting"]), 3), round(spent(16, CONSTANTS["paper"]), 3)
    (0.25, 0.989)
    """
    return (size - 1) / (2.0 * size) * (SUM_OF_INVERSES if constant > 0.0 else 1.0)


def radius(
    n: int, size: int, level: float, constant: float = CONSTANTS["paper"], evidence: float = 0.0
) -> float:
    """By how much a lead over n comparisons may be too large, per comparison; not a number for
    betting.

    Betting decides between "ahead" and "not ahead", it bounds no distance.

    >>> round(radius(1000, 16, log_f(1e6)), 4)
    0.6322
    """
    if constant > 0.0:
        return math.sqrt(constant * (math.log(2.0 * size) + log_f(float(n)) + level) / n)
    if constant < 0.0:
        return math.nan
    v = max(evidence, 1.0)
    exponent = level + math.log(2.0 * size) + LOG_ZETA + EPOCH_POWER * math.log(1.0 + math.log2(v))
    return (K1 * math.sqrt(v * exponent) + REACH * exponent) / n
