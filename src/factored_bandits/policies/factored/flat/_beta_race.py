"""Which of many independent Beta variables is the largest? Exact, without drawing them all.

Take a threshold so low that some variable is nearly always above it. Whether a variable with both
parameters at least 1 is above the threshold, and where, is drawn by thinning: its density is
log-concave, so beyond the threshold it lies below its tangent there, an exponential of mass `e`;
with probability e a point of that exponential is proposed, and accepted with probability density /
tangent.

The proposals of all variables together are found by jumping: a variable proposes if an exponential
clock rings within its hazard -log(1 - e), and blocks of variables whose hazards add up to less than
the time left are skipped. Variables that are mostly above the threshold are drawn as usual (hazard
infinite). If none is above the threshold, all are drawn below it.

Any threshold gives the same distribution; a good one makes a race of 256 cost about as much as ten
draws.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import log_gamma

# the threshold lies this many standard deviations below the mean of the highest variable
DEVIATIONS = 2.0
# proposals per race: with very many variables the threshold is raised until there are no more
MOST_PROPOSALS = 12.0
# of the way to 1, to find that threshold
HALVINGS = 10


@kernel
def steepness(a: float, b: float, threshold: float) -> float:
    """How fast the log-density of Beta(a, b) falls at the threshold."""
    return (b - 1.0) / (1.0 - threshold) - (a - 1.0) / threshold


@kernel
def hazard(a: float, b: float, threshold: float) -> float:
    """-log(1 - mass of the tangent beyond the threshold).

    Infinite where that mass is large or the density still rises.
    """
    # With b = 1 the mass itself is known: P(X <= threshold) = threshold^a.
    if b == 1.0 and threshold > 0.0:
        exact = -a * math.log(threshold)
        return exact if exact < math.log(2.0) else math.inf

    fall = steepness(a, b, threshold) if threshold > 0.0 else 0.0
    if fall <= 0.0:
        return math.inf

    normaliser = log_gamma(a) + log_gamma(b) - log_gamma(a + b)
    log_density = (a - 1.0) * math.log(threshold) + (b - 1.0) * math.log(1.0 - threshold)
    density = math.exp(log_density - normaliser)
    mass = -density / fall * math.expm1(-fall * (1.0 - threshold))
    return -math.log1p(-mass) if mass < 0.5 else math.inf


@kernel
def set_threshold(alpha: Floats, beta: Floats, hazards: Floats, block_hazards: Floats) -> float:
    """A threshold that the largest variable rarely misses; fills all hazards and their sums."""
    threshold = 0.0
    for i in range(len(alpha)):
        a = alpha[i]
        b = beta[i]
        n = a + b
        deviation = math.sqrt(a * b / (n * n * (n + 1.0)))
        threshold = max(threshold, a / n - DEVIATIONS * deviation)

    if expected_proposals(alpha, beta, threshold) > MOST_PROPOSALS:
        step = 0.5 * (1.0 - threshold)
        for _ in range(HALVINGS):
            if expected_proposals(alpha, beta, threshold + step) > MOST_PROPOSALS:
                threshold += step
            step *= 0.5

    for i in range(len(alpha)):
        hazards[i] = hazard(alpha[i], beta[i], threshold)
    for block in range(len(block_hazards)):
        sum_block(hazards, block_hazards, block)
    return threshold


@kernel
def expected_proposals(alpha: Floats, beta: Floats, threshold: float) -> float:
    """How many variables propose in a race over this threshold, on average (at most)."""
    total = 0.0
    for i in range(len(alpha)):
        total += min(1.0, hazard(alpha[i], beta[i], threshold))
    return total


@kernel
def block_length(hazards: Floats, block_hazards: Floats) -> int:
    """How many variables are in a block; the last one may be shorter."""
    return (len(hazards) + len(block_hazards) - 1) // len(block_hazards)


@kernel
def sum_block(hazards: Floats, block_hazards: Floats, block: int) -> None:
    """The sum of the hazards of a block."""
    length = block_length(hazards, block_hazards)
    total = 0.0
    for i in range(block * length, min(len(hazards), (block + 1) * length)):
        total += hazards[i]
    block_hazards[block] = total


@kernel
def update_hazard(
    alpha: Floats, beta: Floats, hazards: Floats, block_hazards: Floats, threshold: float, i: int
) -> None:
    """After the parameters of variable i have changed."""
    hazards[i] = hazard(alpha[i], beta[i], threshold)
    sum_block(hazards, block_hazards, i // block_length(hazards, block_hazards))


@kernel
def race(
    alpha: Floats,
    beta: Floats,
    hazards: Floats,
    block_hazards: Floats,
    threshold: float,
    rng: np.random.Generator,
) -> int:
    """The variable that is the largest in one draw of all of them.

    >>> alpha, beta = np.array([9.0, 2.0, 1.0]), np.array([2.0, 9.0, 3.0])
    >>> hazards, block_hazards = np.zeros(3), np.zeros(2)
    >>> threshold = set_threshold(alpha, beta, hazards, block_hazards)
    >>> race(alpha, beta, hazards, block_hazards, threshold, np.random.default_rng(1))
    0
    """
    length = block_length(hazards, block_hazards)
    clock = -math.log1p(-rng.random())
    best = -1.0
    winner = -1

    for block in range(len(block_hazards)):
        if block_hazards[block] < clock:
            clock -= block_hazards[block]
            continue

        for i in range(block * length, min(len(hazards), (block + 1) * length)):
            if hazards[i] < clock:
                clock -= hazards[i]
                continue

            value = propose(alpha[i], beta[i], hazards[i], threshold, best, rng)
            if value > best:
                best = value
                winner = i
            clock = -math.log1p(-rng.random())

    if best > threshold:
        return winner

    # None is above the threshold: draw all below it, but those drawn as usual before.
    for i in range(len(hazards)):
        if hazards[i] < math.inf:
            value = rng.beta(alpha[i], beta[i])
            while value > threshold:
                value = rng.beta(alpha[i], beta[i])
            if value > best:
                best = value
                winner = i

    return winner


@kernel
def propose(
    a: float, b: float, hazard: float, threshold: float, best: float, rng: np.random.Generator
) -> float:
    """A draw of a variable whose clock has rung; -1 if it is rejected or at most `best`.

    With infinite hazard any draw; else one above the threshold.
    """
    if hazard == math.inf:
        return rng.beta(a, b)

    # by inversion: the distribution function is x^a
    if b == 1.0:
        below = threshold**a
        y = (below + (1.0 - below) * rng.random()) ** (1.0 / a)
        return y if y > best else -1.0

    fall = steepness(a, b, threshold)
    above = -math.log1p(rng.random() * math.expm1(-fall * (1.0 - threshold))) / fall
    y = threshold + above
    if y <= best or y >= 1.0:
        return -1.0

    rising = (a - 1.0) * math.log(y / threshold)
    falling = (b - 1.0) * math.log((1.0 - y) / (1.0 - threshold))
    accepted = rng.random() < math.exp(rising + falling + fall * above)
    return y if accepted else -1.0
