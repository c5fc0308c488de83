"""LB-INF-V (Ito, Tsuchiya & Honda 2022): its chances, and what one learner does with a loss.

FTRL with the regulariser sum beta_i phi(p_i), phi(x) = x - 1 - log x + gamma (x + (1 - x) log(1 -
x)): some level lambda has c_i + beta_i h(p_i) = lambda for all i, h(p) = phi'(p) = 1 - 1/p - gamma
log(1 - p), for which the p_i add up to one (c = estimated losses so far + prediction of the next).
Both equations are solved by Newton's method in variables in which they are nearly straight, from
the last solution:

- one level, `probability_at`: below 1/2 in y = 1/p, where h is convex; above in s = -log(1 - p),
  where h is concave. Either way the second and all later steps come from the side from which
  Newton's method cannot overshoot.
- lambda: the log of (chance of all levels but the first) / (1 - chance of the first), a growing
  function; bisected where a step leaves the bracket. With the likeliest level first, chances keep
  their digits down to 1e-300.

A learner is a range of columns, from `start`, `size` long, of a table with the rows named below; so
any number of learners can live side by side, in any policy.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Code

ESTIMATE, PREDICTION, VARIANCE, PLAYS, PROBABILITY = 0, 1, 2, 3, 4  # rows of a table of learners
BETA, COST = 5, 6  # further rows: scratch
LEAST_SQUARES: Code = 0  # predictions
GRADIENT: Code = 1
EPSILON = 0.2  # beta starts at 1 + EPSILON
PACE = 0.25  # of the gradient prediction
STEPS = 200  # never reached: bisection alone would end before
TINY = 1e-300  # no chance is smaller
NEAR = 1e-4  # a relative step of this size leaves an error of about its square


def lb_inf_table(sizes: list[int]) -> Floats:
    """Learners of these sizes side by side that know nothing: predictions 1/2, all chances equal."""
    table = np.zeros((7, sum(sizes)))
    table[PREDICTION] = 0.5
    table[PROBABILITY] = np.repeat([1.0 / size for size in sizes], sizes)
    return table


@kernel
def probability_at(a: float, gamma: float, p: float, rest: float) -> tuple[float, float]:
    """p and 1 - p with h(p) = a, from a guess of both (their digits count where they are small).

    >>> p, rest = probability_at(-8.0, 1.0, 0.5, 0.5)
    >>> round(1 - 1 / p - math.log(rest), 9)
    -8.0
    """
    if a <= gamma * math.log(2.0) - 1.0:  # p <= 1/2
        y = max(2.0, 1.0 / max(p, TINY))
        for _ in range(STEPS):
            left = 1.0 - 1.0 / y
            before = y
            y = max(
                2.0,
                y + (1.0 - y - gamma * math.log1p(-1.0 / y) - a) / (1.0 + gamma / (y * y * left)),
            )
            if abs(y - before) <= NEAR * y:
                break
        return 1.0 / y, 1.0 - 1.0 / y

    s = max(math.log(2.0), -math.log(max(rest, TINY)))
    for _ in range(STEPS):
        rest = math.exp(-s)
        p = 1.0 - rest
        before = s
        s = min(
            max(math.log(2.0), s + (a - 1.0 + 1.0 / p - gamma * s) / (gamma + rest / (p * p))),
            -math.log(TINY),
        )
        if abs(s - before) <= NEAR:
            break

    rest = math.exp(-s)
    return 1.0 - rest, rest


@kernel
def lb_inf_weights(table: Floats, start: int, size: int, gamma: float, assumptions: float) -> float:
    """Fill row PROBABILITY of one learner from rows ESTIMATE, PREDICTION and VARIANCE; gamma =
    log(1 + t) at round t.

    Returns lambda, relative to c of the first level: the `assumptions` for the next time; 0.0 for
    the first.
    """
    if size == 1:
        return 0.0  # its chance is 1 from the start
    first, low, high = prepare(table, start, size, gamma)
    level = min(max(assumptions, low), high)
    rest = 1.0 - table[PROBABILITY, first]
    step = 0.0

    for _ in range(STEPS):
        others = 0.0
        slope = 0.0
        slope_first = 0.0
        steepest = 0.0
        for i in range(start, start + size):
            beta = table[BETA, i]
            p = table[PROBABILITY, i]
            p, left = probability_at(
                (level - table[COST, i]) / beta, gamma, p, rest if i == first else 1.0 - p
            )
            table[PROBABILITY, i] = p
            gain = 1.0 / (beta * (1.0 / (p * p) + gamma / left))  # dp / dlambda
            if i == first:
                rest = left
                slope_first = gain / left
            else:
                others += p
                slope += gain
                steepest = max(steepest, gain / p)
        excess = math.log(others / rest)
        step = -excess / (slope / others + slope_first)
        if (
            abs(excess) <= 10.0 * NEAR and abs(step) * steepest <= NEAR
        ):  # nobody's chance would change by more
            break
        if excess > 0.0:
            high = level
        else:
            low = level
        level += step
        if not low < level < high:
            level = 0.5 * (low + high)
            step = 0.0

    others = 0.0
    for i in range(start, start + size):  # the last step goes along the tangents
        if i != first:
            p = table[PROBABILITY, i]
            table[PROBABILITY, i] += step / (table[BETA, i] * (1.0 / (p * p) + gamma / (1.0 - p)))
            others += table[PROBABILITY, i]

    table[PROBABILITY, first] = 1.0 - others
    return level + step


@kernel
def prepare(table: Floats, start: int, size: int, gamma: float) -> tuple[int, float, float]:
    """Rows BETA and COST (c relative to that of the first level); the column of the first level, a
    bracket of lambda.

    The first level is the one that gets 1/K at the lowest lambda; in the end it has at least 1/K.
    """
    least = math.inf
    for i in range(start, start + size):
        table[BETA, i] = math.sqrt((1.0 + EPSILON) * (1.0 + EPSILON) + table[VARIANCE, i] / gamma)
        table[COST, i] = table[ESTIMATE, i] + table[PREDICTION, i]
        least = min(least, table[COST, i])

    first = start
    low = math.inf
    high = -math.inf
    even = 1.0 - size - gamma * math.log1p(-1.0 / size)  # h(1/K)

    for i in range(start, start + size):
        table[COST, i] -= least
        level = table[COST, i] + table[BETA, i] * even  # where this level has 1/K
        high = max(high, level)
        if level < low:
            first = i
            low = level

    zero = table[COST, first]
    for i in range(start, start + size):
        table[COST, i] -= zero
    slack = 1e-9 * (1.0 + abs(low) + zero)
    # at `low` nobody has more than 1/K; at `high` nobody less, or 1 - p of the first is TINY
    return (
        first,
        low - zero - slack,
        min(high - zero + slack, -table[BETA, first] * gamma * math.log(TINY)),
    )


@kernel
def lb_inf_feed(
    table: Floats, start: int, size: int, arm: int, loss: float, gamma: float, prediction: Code
) -> None:
    """Learn the loss in [0, 1] of the level `arm`, played by the chances of this `gamma`."""
    for i in range(start, start + size):
        table[ESTIMATE, i] += table[PREDICTION, i]
    played = start + arm
    p = table[PROBABILITY, played]
    surprise = loss - table[PREDICTION, played]
    table[ESTIMATE, played] += surprise / p
    table[VARIANCE, played] += surprise * surprise * min(1.0, 2.0 * (1.0 - p) / (p * p * gamma))
    table[PLAYS, played] += 1.0
    # least squares: (1/2 + sum of losses) / (1 + plays), in running form
    table[PREDICTION, played] += surprise * (
        PACE if prediction == GRADIENT else 1.0 / (1.0 + table[PLAYS, played])
    )
