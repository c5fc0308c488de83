"""Thompson sampling of duels: theta_ij ~ Beta(W_ij + 1, W_ji + 1), without drawing it.

All that a tournament asks of theta_ij is on which side of 1/2 it lies, and P(theta_ij > 1/2) =
P(Bin(n, 1/2) <= W_ij), n = N_ij + 1, is kept up to date in O(1): a win adds pmf(n; W + 1) / 2, a
loss takes away pmf(n; W) / 2, and the pmf follows by a ratio. So a side costs one uniform number.
Every 256 duels of a pair (later 4096) both are computed anew: rounding errors stay below 1e-12, and
a pmf that has underflowed cannot return with a wrong value, since so many duels move a pair by less
than ten of the more than 37 standard deviations that underflow takes.

Counts must be whole, so policies that use this do not learn from ties.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import stirling_error
from factored_bandits.policies.limits import ROUNDING, Within

from .duels import divergence, met, record

# draws until a theta lies on the side asked for; only rounding errors, on sides of probability 1e-6
# or less, ever ask for more
PATIENCE = 1_000_000

TINY = 2.0**-60  # far below what x = 1 - 2^-53 leaves


@kernel
def fair_mass(n: float, k: float) -> float:
    """P(Bin(n, 1/2) = k), relative error about 1e-13 (Loader 2000)."""
    few = min(k, n - k)
    if few < 0.0:
        return 0.0
    if few < 16.0:
        ways = 1.0
        for i in range(int(few)):
            ways *= (n - i) / (i + 1.0)
        return math.ldexp(ways, -int(min(n, 2000.0)))

    error = stirling_error(n) - stirling_error(few) - stirling_error(n - few)
    exponent = error - divergence(few, n - few)
    return math.exp(exponent) * math.sqrt(n / (2.0 * math.pi * few * (n - few)))


@kernel
def fair_tail(n: float, k: float) -> float:
    """P(Bin(n, 1/2) <= k), summed from the larger end of the shorter tail.

    That takes about 4 sqrt(n) terms at most.
    """
    low = min(k, n - k - 1.0)
    term = fair_mass(n, low)
    total = term

    while low > 0.0 and term > 1e-17 * total:
        term *= low / (n - low + 1.0)
        low -= 1.0
        total += term

    return total if k <= n - k - 1.0 else 1.0 - total


@kernel
def update_posterior(
    wins: Floats, probability: Floats, mass: Floats, first: int, second: int, outcome: float
) -> None:
    """Learn one duel.

    `probability[i, j]` is P(theta_ij > 1/2); `mass[i, j]`, i < j, is P(Bin(N_ij + 1, 1/2) = W_ij).
    """
    i = min(first, second)
    j = max(first, second)
    n = wins[i, j] + wins[j, i] + 1.0
    won = wins[i, j]
    p = probability[i, j]
    pmf = mass[i, j]

    if outcome == (1.0 if i == first else 0.0):
        p += 0.5 * pmf * (n - won) / (won + 1.0)
        pmf *= 0.5 * (n + 1.0) / (won + 1.0)
    else:
        p -= 0.5 * pmf
        pmf *= 0.5 * (n + 1.0) / (n + 1.0 - won)

    record(wins, first, second, outcome)

    # anew from time to time, so that no rounding error accumulates
    if n % (256.0 if n < 65536.0 else 4096.0) == 0.0:
        p = fair_tail(n + 1.0, wins[i, j])
        pmf = fair_mass(n + 1.0, wins[i, j])

    probability[i, j] = p
    probability[j, i] = 1.0 - p
    mass[i, j] = pmf


@kernel
def draw_above_half(wins: Floats, i: int, j: int, rng: np.random.Generator) -> float:
    """theta_ij given that it exceeds 1/2.

    Two draws on average, since this is asked with the probability that it does.
    """
    for _ in range(PATIENCE):
        theta = rng.beta(wins[i, j] + 1.0, wins[j, i] + 1.0)
        if theta > 0.5:
            return theta
    return 0.5


@kernel
def draw_above_half_quickly(wins: Floats, i: int, j: int, rng: np.random.Generator) -> float:
    """The same; of a pair in which one arm won all duels, or that has not met, by one number.

    Beta(a, 1) has the distribution function x^a, and Beta(1, b) is one minus Beta(b, 1).
    """
    won = wins[i, j] + 1.0
    lost = wins[j, i] + 1.0

    if lost == 1.0 and won == 1.0:
        return 0.5 + 0.5 * rng.random()
    if lost == 1.0:
        least = 0.5**won
        return (least + (1.0 - least) * rng.random()) ** (1.0 / won)
    if won == 1.0:
        return 1.0 - 0.5 * rng.random() ** (1.0 / lost)
    return draw_above_half(wins, i, j, rng)


@kernel
def draw_above(
    wins: Floats, i: int, j: int, x: float, logs: tuple[float, float], rng: np.random.Generator
) -> float:
    """theta_ij given that it exceeds 1/2, if it exceeds x > 1/2 as well; x if not.

    `logs` are those of s = 2 (1 - x) and of 2 x. Where x is large, mostly by one number: let z be
    theta_ij given that it exceeds 1/2, and y lie between x and 1 as z does between 1/2 and 1, so
    1 - y = s (1 - z). By the densities of y and z theta_ij exceeds x with probability
    E[s^(L + 1) (y / z)^W], and is then distributed as y is with these weights; y / z is at most
    2 x. Where that bounds nothing, z itself decides.
    """
    won = wins[i, j]
    lost = wins[j, i]
    most = math.exp((lost + 1.0) * logs[0] + won * logs[1])
    if most < 1.0 and rng.random() >= most:
        return x

    z = draw_above_half_quickly(wins, i, j, rng)
    if most >= 1.0:
        return max(x, z)
    y = 1.0 - 2.0 * (1.0 - x) * (1.0 - z)
    return y if rng.random() < (y / (2.0 * x * z)) ** won else x


@kernel
def logs_of(x: float) -> tuple[float, float]:
    """What `draw_above` needs beside x; any numbers as long as x is not known."""
    return math.log(max(2.0 * (1.0 - x), TINY)), math.log(2.0 * x)


@kernel
def likely_winner(probability: Floats) -> int:
    """The arm with the largest expected number of others beaten."""
    best = 0
    most = -1.0

    for i in range(probability.shape[0]):
        total = 0.0
        for j in range(probability.shape[0]):
            total += probability[i, j]
        if total > most:
            best = i
            most = total

    return best


def warm_start_posterior(wins: Floats, probability: Floats, mass: Floats, past: Floats) -> None:
    """Past duels, wins (K, K) of row over column, count like duels played."""
    wins += past
    for i, j in met(wins):
        n = wins[i, j] + wins[j, i] + 1.0
        mass[i, j] = fair_mass(n, wins[i, j])
        probability[i, j] = fair_tail(n, wins[i, j])
        probability[j, i] = 1.0 - probability[i, j]


# the tail of a pair's posterior is a sum of about 4 sqrt(N) terms
POSTERIOR_WINS = Within(0.0, 10**11, 1.0)


def posterior_contradiction(wins: Floats, probability: Floats) -> str | None:
    """Who is behind has a small probability, by Hoeffding's inequality; both sides make one.

    Otherwise `draw_above_half` would draw again and again.
    """
    n = wins + wins.T + 1.0
    behind = np.maximum(n - 2.0 * wins - 1.0, 0.0)
    most = np.exp(-behind * behind / (2.0 * n)) + ROUNDING
    both = np.abs(probability + probability.T - 1.0) <= ROUNDING
    if not both.all() or (probability > most).any():
        return "probability does not follow from wins"
    return None
