"""Which of many independent Beta variables is the largest? Exact in law, without drawing them all.

Take a bar so low that some variable is nearly always above it. Whether a variable with both
parameters at least 1 is above the bar, and where, is drawn by thinning: its density is log-concave,
so beyond the bar it lies below its tangent there, an exponential of mass `e`; with chance e a point
of that exponential is proposed, and accepted with the chance density / tangent. The proposals of
all variables together are found by jumping: a variable proposes if an exponential clock rings
within its hazard -log(1 - e), and blocks of variables whose hazards add up to less than the time
left are skipped. Variables that are mostly above the bar are drawn as usual (hazard infinite). If
none is above the bar, all are drawn below it. Any bar is exact; a good one makes a race of 256 cost
about as much as ten draws.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel

FIRST, SECOND, HAZARD = (
    0,
    1,
    2,
)  # rows of a table, a column per variable: both parameters of the Beta, the hazard
# the bar lies this many standard deviations below the mean of some variable, and below no other so
# far
STERN = 2.0
# proposals per race: with very many variables the bar is raised until there are no more than these
ENOUGH = 12.0
HALVINGS = 10  # of the way to 1, to find that bar


@kernel
def log_gamma(x: float) -> float:
    """The logarithm of the gamma function for x >= 1, to about 1e-12 (math.lgamma differs between
    compilers).

    >>> abs(log_gamma(5.5) - math.lgamma(5.5)) < 1e-12
    True
    """
    product = 1.0
    while x < 10.0:
        product *= x
        x += 1.0

    y = 1.0 / (x * x)
    series = (
        1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)))
    ) / x
    return (x - 0.5) * math.log(x) - x + 0.5 * math.log(2.0 * math.pi) + series - math.log(product)


@kernel
def steepness(a: float, b: float, bar: float) -> float:
    """How fast the log-density of Beta(a, b) falls at the bar."""
    return (b - 1.0) / (1.0 - bar) - (a - 1.0) / bar


@kernel
def hazard(a: float, b: float, bar: float) -> float:
    """-log(1 - mass of the tangent beyond the bar); infinite where that mass is large or the
    density still rises.

    With b = 1 the mass itself is known: the chance to be at most the bar is bar^a.
    """
    if b == 1.0 and bar > 0.0:
        exact = -a * math.log(bar)
        return exact if exact < math.log(2.0) else math.inf

    fall = steepness(a, b, bar) if bar > 0.0 else 0.0
    if fall <= 0.0:
        return math.inf
    normaliser = log_gamma(a) + log_gamma(b) - log_gamma(a + b)
    density = math.exp((a - 1.0) * math.log(bar) + (b - 1.0) * math.log(1.0 - bar) - normaliser)
    mass = -density / fall * math.expm1(-fall * (1.0 - bar))
    return -math.log1p(-mass) if mass < 0.5 else math.inf


@kernel
def set_bar(table: Floats, sums: Floats) -> float:
    """A bar that the largest variable rarely misses; all hazards, and their sums over blocks."""
    bar = 0.0
    for i in range(table.shape[1]):
        a = table[FIRST, i]
        b = table[SECOND, i]
        n = a + b
        bar = max(bar, a / n - STERN * math.sqrt(a * b / (n * n * (n + 1.0))))

    if proposals(table, bar) > ENOUGH:
        step = 0.5 * (1.0 - bar)
        for _ in range(HALVINGS):
            if proposals(table, bar + step) > ENOUGH:
                bar += step
            step *= 0.5

    for i in range(table.shape[1]):
        table[HAZARD, i] = hazard(table[FIRST, i], table[SECOND, i], bar)
    for block in range(len(sums)):
        add_up(table, sums, block)
    return bar


@kernel
def proposals(table: Floats, bar: float) -> float:
    """How many variables propose in a race over this bar, on average."""
    total = 0.0
    for i in range(table.shape[1]):
        total += min(1.0, hazard(table[FIRST, i], table[SECOND, i], bar))
    return total


@kernel
def add_up(table: Floats, sums: Floats, block: int) -> None:
    """The sum of the hazards of a block."""
    arms = table.shape[1]
    length = (arms + len(sums) - 1) // len(sums)
    total = 0.0
    for i in range(block * length, min(arms, (block + 1) * length)):
        total += table[HAZARD, i]
    sums[block] = total


@kernel
def recompute_bar(table: Floats, sums: Floats, bar: float, at: int) -> None:
    """After the parameters of one variable have changed."""
    table[HAZARD, at] = hazard(table[FIRST, at], table[SECOND, at], bar)
    add_up(table, sums, at // ((table.shape[1] + len(sums) - 1) // len(sums)))


@kernel
def race(table: Floats, sums: Floats, bar: float, rng: np.random.Generator) -> int:
    """The variable that is the largest in one draw of all of them.

    >>> table, sums = np.array([[9.0, 2.0, 1.0], [2.0, 9.0, 3.0], [0.0, 0.0, 0.0]]), np.zeros(2)
    >>> race(table, sums, set_bar(table, sums), np.random.default_rng(1))
    0
    """
    arms = table.shape[1]
    length = (arms + len(sums) - 1) // len(sums)
    clock = -math.log1p(-rng.random())
    best = -1.0
    winner = -1

    for block in range(len(sums)):
        if sums[block] < clock:
            clock -= sums[block]
            continue
        for i in range(block * length, min(arms, (block + 1) * length)):
            if table[HAZARD, i] < clock:
                clock -= table[HAZARD, i]
                continue
            value = propose(table[FIRST, i], table[SECOND, i], table[HAZARD, i], bar, best, rng)
            if value > best:
                best = value
                winner = i
            clock = -math.log1p(-rng.random())

    if best <= bar:
        for i in range(arms):
            if table[HAZARD, i] < math.inf:
                value = rng.beta(table[FIRST, i], table[SECOND, i])
                while value > bar:
                    value = rng.beta(table[FIRST, i], table[SECOND, i])
                if value > best:
                    best = value
                    winner = i

    return winner


@kernel
def propose(
    a: float, b: float, hazard: float, bar: float, best: float, rng: np.random.Generator
) -> float:
    """A draw of a variable whose clock has rung; -1 if it is at most max(bar, best), or, with
    infinite hazard, any.
    """
    if hazard == math.inf:
        return rng.beta(a, b)
    if b == 1.0:
        below_bar = bar**a
        y = (below_bar + (1.0 - below_bar) * rng.random()) ** (1.0 / a)
        return y if y > best else -1.0

    fall = steepness(a, b, bar)
    above = -math.log1p(rng.random() * math.expm1(-fall * (1.0 - bar))) / fall
    y = bar + above
    if y <= best or y >= 1.0:
        return -1.0
    ratio = (
        (a - 1.0) * math.log(y / bar) + (b - 1.0) * math.log((1.0 - y) / (1.0 - bar)) + fall * above
    )
    return y if rng.random() < math.exp(ratio) else -1.0
