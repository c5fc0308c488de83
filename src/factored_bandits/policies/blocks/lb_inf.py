"""LB-INF-V (Ito, Tsuchiya & Honda, COLT 2022): its probabilities, and how one learner learns.

FTRL with the regulariser sum beta_i phi(p_i), phi(x) = x - 1 - log x + gamma (x + (1 - x) log(1 -
x)): some multiplier lambda has c_i + beta_i h(p_i) = lambda for all i, h(p) = phi'(p) = 1 - 1/p -
gamma log(1 - p), for which the p_i add up to one (c = estimated losses so far + prediction of the
next). Both equations are solved by Newton's method in variables in which they are nearly straight,
from the last solution:

- one level, `probability_at`: below 1/2 in y = 1/p, where h is convex; above in s = -log(1 - p),
  where h is concave. Either way the second and all later steps come from the side from which
  Newton's method cannot overshoot.
- lambda: the log of (sum of all probabilities but the first) / (1 - the first), a growing function;
  bisected where a step leaves the bracket. With the likeliest level first, probabilities keep their
  digits down to 1e-300.

A learner is a range of columns, from `start`, `size` long, of a table with the rows named below. It
stays one table because every function needs most rows, and `vdb` keeps another learner's numbers in
the same rows.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Code
from factored_bandits.policies.limits import COUNT, SHARE, SUM, Within
from factored_bandits.policies.limits import rows as limit_rows

# rows of a table of learners
ESTIMATE = 0  # cumulated estimates of the losses
PREDICTION = 1  # m, of the next loss
VARIANCE = 2  # the sum under the root of beta
PLAYS = 3
PROBABILITY = 4  # p, of the last solution
BETA = 5  # scratch: the weight of each level's regulariser
COST = 6  # scratch: c, relative to that of the first level
ROWS = 7

# how the next loss is predicted
LEAST_SQUARES: Code = 0
GRADIENT: Code = 1

EPSILON = 0.2  # beta starts at 1 + EPSILON
PACE = 0.25  # of the gradient prediction
STEPS = 200  # never reached: bisection alone would end before
TINY = 1e-300  # no probability is smaller
LARGEST_LOSS = 1e6  # unbounded rewards: beyond this the equations would lose their digits
LARGEST_ESTIMATE = 1e30
NEAR = 1e-4  # a relative step of this size leaves an error of about its square


# what a table may hold; estimates are losses divided by probabilities
LB_INF_LIMITS = limit_rows(
    Within(-LARGEST_ESTIMATE, LARGEST_ESTIMATE),
    Within(-LARGEST_LOSS, LARGEST_LOSS),
    Within(0.0, LARGEST_ESTIMATE),
    COUNT,
    SHARE,
    SUM,
    SUM,
)


def lb_inf_table(sizes: list[int]) -> Floats:
    """Learners of these sizes side by side: all predictions 1/2, all probabilities equal.

    >>> lb_inf_table([2, 1])[PROBABILITY].tolist()
    [0.5, 0.5, 1.0]
    """
    table = np.zeros((ROWS, sum(sizes)))
    table[PREDICTION] = 0.5
    table[PROBABILITY] = np.repeat([1.0 / size for size in sizes], sizes)
    return table


@kernel
def probability_at(a: float, gamma: float, p: float, rest: float) -> tuple[float, float]:
    """The solution of h(p) = a, as p and 1 - p, from a starting point given as both.

    Both, because the digits of the smaller one count.

    >>> p, rest = probability_at(-8.0, 1.0, 0.5, 0.5)
    >>> round(1 - 1 / p - math.log(rest), 9)
    -8.0
    """
    # h(1/2): below it p <= 1/2, and y = 1/p is the variable
    if a <= gamma * math.log(2.0) - 1.0:
        y = max(2.0, 1.0 / max(p, TINY))
        for _ in range(STEPS):
            left = 1.0 - 1.0 / y
            before = y
            excess = 1.0 - y - gamma * math.log1p(-1.0 / y) - a
            y = max(2.0, y + excess / (1.0 + gamma / (y * y * left)))
            if abs(y - before) <= NEAR * y:
                break
        return 1.0 / y, 1.0 - 1.0 / y

    s = max(math.log(2.0), -math.log(max(rest, TINY)))
    for _ in range(STEPS):
        rest = math.exp(-s)
        p = 1.0 - rest
        before = s
        missing = a - 1.0 + 1.0 / p - gamma * s
        s = max(math.log(2.0), s + missing / (gamma + rest / (p * p)))
        s = min(s, -math.log(TINY))
        if abs(s - before) <= NEAR:
            break

    rest = math.exp(-s)
    return 1.0 - rest, rest


@kernel
def lb_inf_weights(table: Floats, start: int, size: int, gamma: float, previous: float) -> float:
    """Fill row PROBABILITY of one learner; gamma = log(1 + t) at round t.

    Returns lambda, relative to c of the first level: the `previous` of the next call (0.0 at
    first).
    """
    # its probability is 1 from the start
    if size == 1:
        return 0.0

    first, low, high = prepare(table, start, size, gamma)
    multiplier = min(max(previous, low), high)
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
                (multiplier - table[COST, i]) / beta, gamma, p, rest if i == first else 1.0 - p
            )
            table[PROBABILITY, i] = p

            # dp / dlambda
            gain = 1.0 / (beta * (1.0 / (p * p) + gamma / left))
            if i == first:
                rest = left
                slope_first = gain / left
            else:
                others += p
                slope += gain
                steepest = max(steepest, gain / p)

        excess = math.log(others / rest)
        step = -excess / (slope / others + slope_first)
        # No probability would change by a larger share than NEAR.
        if abs(excess) <= 10.0 * NEAR and abs(step) * steepest <= NEAR:
            break

        if excess > 0.0:
            high = multiplier
        else:
            low = multiplier
        multiplier += step
        if not low < multiplier < high:
            multiplier = 0.5 * (low + high)
            step = 0.0

    # The last step goes along the tangents.
    others = 0.0
    for i in range(start, start + size):
        if i != first:
            p = table[PROBABILITY, i]
            table[PROBABILITY, i] += step / (table[BETA, i] * (1.0 / (p * p) + gamma / (1.0 - p)))
            others += table[PROBABILITY, i]

    table[PROBABILITY, first] = 1.0 - others
    return multiplier + step


@kernel
def prepare(table: Floats, start: int, size: int, gamma: float) -> tuple[int, float, float]:
    """Fill rows BETA and COST; the column of the first level, and a bracket of lambda.

    The first level is the one that gets 1/K at the lowest lambda; in the end it has at least 1/K.
    """
    least = math.inf
    for i in range(start, start + size):
        # beta_i = sqrt((1 + epsilon)^2 + (1 / gamma) sum of weighted squared residuals)
        table[BETA, i] = math.sqrt((1.0 + EPSILON) * (1.0 + EPSILON) + table[VARIANCE, i] / gamma)
        table[COST, i] = table[ESTIMATE, i] + table[PREDICTION, i]
        least = min(least, table[COST, i])

    first = start
    low = math.inf
    high = -math.inf
    h_even = 1.0 - size - gamma * math.log1p(-1.0 / size)  # h(1/K)

    for i in range(start, start + size):
        table[COST, i] -= least
        even = table[COST, i] + table[BETA, i] * h_even  # the lambda at which this level has 1/K
        high = max(high, even)
        if even < low:
            first = i
            low = even

    zero = table[COST, first]
    for i in range(start, start + size):
        table[COST, i] -= zero

    # At `low` no level has more than 1/K; at `high` none has less, or 1 - p of the first is TINY.
    slack = 1e-9 * (1.0 + abs(low) + zero)
    low = low - zero - slack
    high = min(high - zero + slack, -table[BETA, first] * gamma * math.log(TINY))
    return first, low, high


@kernel
def lb_inf_feed(
    table: Floats, start: int, size: int, arm: int, loss: float, gamma: float, prediction: Code
) -> None:
    """Learn the loss in [0, 1] of the level `arm`, played by the probabilities of this `gamma`.

    Losses of unbounded rewards are cut off at LARGEST_LOSS.
    """
    played = start + arm
    p = table[PROBABILITY, played]
    loss = min(max(loss, -LARGEST_LOSS), LARGEST_LOSS)
    residual = loss - table[PREDICTION, played]

    # the estimate: m_k for all k, and (loss - m) / p for the level played
    for i in range(start, start + size):
        table[ESTIMATE, i] += table[PREDICTION, i]
    table[ESTIMATE, played] += residual / p

    table[VARIANCE, played] += residual * residual * min(1.0, 2.0 * (1.0 - p) / (p * p * gamma))
    table[PLAYS, played] += 1.0

    # least squares: (1/2 + sum of losses) / (1 + plays), in running form
    pace = PACE if prediction == GRADIENT else 1.0 / (1.0 + table[PLAYS, played])
    table[PREDICTION, played] += residual * pace
