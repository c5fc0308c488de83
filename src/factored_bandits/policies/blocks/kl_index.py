"""KL-UCB indices of one bandit, found lazily: a range of columns, from `start`, `size` long, of a
table.

The index of an arm, the largest q with plays * kl(mean, q) <= spend, is a concave function of
`spend` (which grows with the rounds). So its tangent at the last exact look bounds it from above,
and its value there from below. A step looks at 256 tangents for the cost of five exact indices, and
needs an exact index only where the tangents do not decide: of the arm just played, and of few
others. The plays are those of the plain algorithm, ties included.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import upper
from factored_bandits.core.rng import randint
from factored_bandits.errors import InvalidInputError

TOTAL, PLAYS = 0, 1  # rows of a table: sum of rewards, plays
OFFSET, SLOPE = 2, 3  # further rows: the tangent, as a function of `spend`
INDEX, SPEND = 4, 5  # further rows: the last exact look, and when it was
MARGIN = 1e-11  # added to tangents, against rounding
SCANS = (
    3  # for one arm each; if that does not decide, many are near the top and are looked at together
)


def kl_table(arms: int) -> Floats:
    """Nothing was played; the index of such an arm is infinite, so that it comes first."""
    table = np.zeros((6, arms))
    table[[OFFSET, INDEX]] = math.inf
    return table


def check_c(name: str, c: float) -> None:
    """Refuse what would make the confidence fall with time."""
    if c < 0.0:
        raise InvalidInputError(
            f"{name}: c, the weight of log log t, must not be negative, not {c!r}"
        )


@kernel
def look(table: Floats, at: int, spend: float) -> None:
    """The exact index of the arm in column `at`, and its tangent."""
    table[SPEND, at] = spend
    n = table[PLAYS, at]

    if n > 0.0:
        mean = min(1.0, max(0.0, table[TOTAL, at] / n))
        index = upper(mean, spend / n)
        # no index exceeds 1
        slope = 0.0
        offset = 1.0
        if mean < index < 1.0:
            slope = index * (1.0 - index) / (n * (index - mean))
            offset = index - slope * spend
        table[INDEX, at], table[SLOPE, at], table[OFFSET, at] = index, slope, offset + MARGIN


@kernel
def kl_pick(table: Floats, start: int, size: int, spend: float, rng: np.random.Generator) -> int:
    """An arm with the largest index, counted from `start`, ties at random; `spend` must never fall."""
    offset = table[OFFSET]
    slope = table[SLOPE]
    top = start

    for _ in range(SCANS):
        best = -math.inf
        second = -math.inf
        for i in range(start, start + size):
            bound = offset[i] + slope[i] * spend
            if bound > second:
                if bound > best:
                    best, second, top = bound, best, i
                else:
                    second = bound
        stale = table[SPEND, top] != spend
        if stale and table[INDEX, top] <= second:
            look(table, top, spend)
        if table[INDEX, top] > second:  # whatever the others are, they are less
            return top - start
        if not stale:
            break

    return among_ties(table, start, size, spend, top, rng)


@kernel
def among_ties(
    table: Floats, start: int, size: int, spend: float, top: int, rng: np.random.Generator
) -> int:
    """All arms that could have the largest index, which is near that of `top`, are looked at; one
    of the best.
    """
    best = table[INDEX, top]
    ties = 0
    last = top

    for i in range(start, start + size):
        if table[OFFSET, i] + table[SLOPE, i] * spend >= best:
            if table[PLAYS, i] == table[PLAYS, last] and table[TOTAL, i] == table[TOTAL, last]:
                for row in range(OFFSET, SPEND + 1):  # the same numbers have the same index
                    table[row, i] = table[row, last]
            elif table[SPEND, i] != spend:
                look(table, i, spend)
                last = i
            if table[INDEX, i] >= best:
                ties = ties + 1 if table[INDEX, i] == best else 1
                best = table[INDEX, i]

    left = randint(rng, ties) if ties > 1 else 0
    chosen = top

    for i in range(start, start + size):
        if table[INDEX, i] == best and table[SPEND, i] == spend:
            if left == 0:
                chosen = i
            left -= 1

    return chosen - start


@kernel
def kl_feed(table: Floats, at: int, reward: float, spend: float) -> None:
    """One more play of the arm in column `at`, which was planned at this `spend`."""
    table[TOTAL, at] += reward
    table[PLAYS, at] += 1.0
    look(table, at, spend)
