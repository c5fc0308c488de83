"""The bounds of TEM: when one arm leads another with high confidence (docs/explanation/bounds.md).

A bound answers two questions, each by a kernel of its own: up to which log(1 / delta) does a lead
eliminate the other arm (`..._threshold`, line 10 of Algorithm 3 solved for log(1 / delta)), and, if
it needs more than D and N, how is a comparison weighed by what was known before (`centre` of
bernstein, `stake` of betting)? `threshold`, `radius` and `spent` at the end choose among them.
"""

from __future__ import annotations

import math

from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Code

# State.bound: the choices of `Params.bound`, in their order
PAPER: Code = 0
HOEFFDING: Code = 1
BERNSTEIN: Code = 2
BETTING: Code = 3
BOUNDS = {"paper": PAPER, "hoeffding": HOEFFDING, "bernstein": BERNSTEIN, "betting": BETTING}

# the threshold of an arm that nobody leads
NEVER = -math.inf

# Lemma 3 adds up 1 / f(k) over all k and says that this is at most 1. It is 2.11, and 1.05 for the
# f of the lemma.
SUM_OF_INVERSES = 2.109742801236892


# f(t) = (t + 1) log^2(t + 1): TEA asks for confidence 1 - 1 / f(t) in round t.


@kernel
def log_f(t: float) -> float:
    """log f(t)."""
    log_t = math.log(t + 1.0)
    return log_t + 2.0 * math.log(log_t)


@kernel
def first_round_at(log_inv_delta: float) -> int:
    """The first round t with log f(t) >= log_inv_delta (at most 2^62)."""
    if log_inv_delta <= log_f(1.0):
        return 1
    if log_inv_delta > log_f(2.0**62):
        return 2**62

    # solve x + 2 log x = log_inv_delta, x = log(t + 1); Newton climbs to the root from below
    x = 0.7
    step = 1.0
    while step > 1e-14 * x:
        step = (log_inv_delta - x - 2.0 * math.log(x)) / (1.0 + 2.0 / x)
        x += step

    # bisect for the exact round: log f(low) < log_inv_delta <= log f(high)
    t = math.exp(x)
    low = int(t * (1.0 - 1e-12)) - 3
    high = int(t * (1.0 + 1e-12)) + 3
    while high - low > 1:
        middle = (low + high) // 2
        if middle < 1 or log_f(float(middle)) < log_inv_delta:
            low = middle
        else:
            high = middle

    return high


# paper and hoeffding: the radius sqrt(constant log(2 K f(N) / delta) / N) of line 10

PAPER_CONSTANT = 12.0
# for bounded rewards the noise and the random context share one interval
HOEFFDING_CONSTANT = 8.0


@kernel
def constant_of(bound: Code) -> float:
    """The constant of line 10, for the two bounds that have one."""
    if bound == PAPER:
        return PAPER_CONSTANT
    return HOEFFDING_CONSTANT


@kernel
def hoeffding_threshold(difference: float, n: int, size: int, constant: float) -> float:
    """D > sqrt(constant N log(2 K f(N) / delta)), solved for log(1 / delta)."""
    return difference * difference / (constant * n) - math.log(2.0 * size) - log_f(float(n))


# bernstein: D > K1 sqrt(V E) + REACH E, with V (the evidence) the sum of squares about a predicted
# mean and E = log(2 K / delta) + the price of the epoch; stitched over epochs in which V doubles

K1 = (2.0**0.25 + 2.0**-0.25) / math.sqrt(2.0)
# epoch k has the share 1 / (zeta(1.4) (k + 1)^1.4), and the shares add up to 1
EPOCH_POWER = 1.4
LOG_ZETA = math.log(3.105546)
# the predicted mean is cut off here, so that a paired difference, which lies in [-2, 2], falls at
# most REACH below it
CENTRE = 0.25
REACH = 2.0 + CENTRE


@kernel
def bernstein_threshold(difference: float, size: int, evidence: float) -> float:
    """The boundary K1 sqrt(V E) + REACH E = D, solved for E and then for log(1 / delta)."""
    v = max(evidence, 1.0)
    root = (math.sqrt(K1 * K1 * v + 4.0 * REACH * difference) - K1 * math.sqrt(v)) / (2.0 * REACH)
    return (
        root * root - math.log(2.0 * size) - LOG_ZETA - EPOCH_POWER * math.log(1.0 + math.log2(v))
    )


@kernel
def centre(difference: float, n: float) -> float:
    """The predicted mean of the comparisons of a phase; D and N are those before it."""
    return min(CENTRE, difference / n if n > 0 else 0.0)


# betting: the evidence is the log of the wealth of one who bets on the lead, a small part each time

# two imagined differences of size 2
PRIOR = 8.0
# the largest stake; up to 1/2 would be safe
STAKE = 0.45
# the largest loss: that of the largest stake on a difference of 2. Only unbounded rewards, for
# which this bound proves nothing, could lose more; a wealth below 0 has no logarithm
LARGEST_LOSS = -2.0 * STAKE


@kernel
def betting_threshold(size: int, evidence: float) -> float:
    """wealth > 2 K / delta, solved for log(1 / delta)."""
    return evidence - math.log(2.0 * size)


@kernel
def stake(difference: float, sum_of_squares: float) -> float:
    """The part of the wealth staked on each comparison of a phase; D and squares before it."""
    # Kelly's stake for small leads: mean over mean square
    return min(max(difference, 0.0) / (sum_of_squares + PRIOR), STAKE)


# One of the four


@kernel
def pairs_plays(bound: Code) -> bool:
    """Whether the bound compares play with play (and keeps evidence), not the means of a phase."""
    return bound in (BERNSTEIN, BETTING)


@kernel
def threshold(bound: Code, difference: float, n: int, size: int, evidence: float) -> float:
    """The log(1 / delta) up to which a lead eliminates the other arm: one term of tau (line 10)."""
    if bound == BETTING:
        return betting_threshold(size, evidence)
    if difference <= 0.0:
        return NEVER
    if bound == BERNSTEIN:
        return bernstein_threshold(difference, size, evidence)
    return hoeffding_threshold(difference, n, size, constant_of(bound))


def radius(
    n: int, size: int, log_inv_delta: float, bound: Code = PAPER, evidence: float = 0.0
) -> float:
    """By how much a lead over n comparisons may be too large, per comparison (line 10).

    Not a number for betting, which decides between "ahead" and "not ahead" and bounds no distance.

    >>> round(radius(1000, 16, log_f(1e6)), 4)
    0.6322
    """
    if bound == BETTING:
        return math.nan

    if bound == BERNSTEIN:
        v = max(evidence, 1.0)
        price = LOG_ZETA + EPOCH_POWER * math.log(1.0 + math.log2(v))
        exponent = log_inv_delta + math.log(2.0 * size) + price
        return (K1 * math.sqrt(v * exponent) + REACH * exponent) / n

    exponent = math.log(2.0 * size) + log_f(float(n)) + log_inv_delta
    return math.sqrt(constant_of(bound) * exponent / n)


def spent(size: int, bound: Code) -> float:
    """The probability that the best of `size` arms is ever eliminated is at most delta times this.

    (size - 1) opponents, delta / (2 size) each, times the sum of 1 / f(N) for the bounds that add
    up over N.

    >>> round(spent(2, BETTING), 3), round(spent(16, PAPER), 3)
    (0.25, 0.989)
    """
    return (size - 1) / (2.0 * size) * (1.0 if pairs_plays(bound) else SUM_OF_INVERSES)
