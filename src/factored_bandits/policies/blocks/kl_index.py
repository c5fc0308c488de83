"""KL-UCB indices of one bandit, found lazily.

A bandit is a range of columns, from `start`, `size` long, of a table with the rows named below, a
column per arm. (One table: a step was measured to be slower over separate arrays.) The index
of an arm is the largest q with plays * kl(mean, q) <= threshold, where the threshold log t + c log
log t grows with the rounds (Garivier & Cappe 2011, Algorithm 1).

The index is a concave function of the threshold. So its tangent where it was last evaluated bounds
it from above, and its value there from below. A step looks at 256 tangents for the cost of five
exact indices, and needs an exact index only where the tangents do not decide: of the arm just
played, and of few others. The plays are those of the plain algorithm, ties included.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import kl_upper
from factored_bandits.core.rng import randint
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.limits import COUNT, NOT_NEGATIVE, SUM, Within
from factored_bandits.policies.limits import rows as limit_rows

# rows of a table
TOTAL = 0  # sum of rewards
PLAYS = 1
INTERCEPT = 2  # of the tangent, as a function of the threshold
SLOPE = 3  # of the tangent
INDEX = 4  # when it was evaluated last, a lower bound since
THRESHOLD = 5  # at which it was evaluated
ROWS = 6

# added to tangents, against rounding
MARGIN = 1e-11
# for one arm each; if these do not decide, many arms are near the top and are evaluated together
SCANS = 3


# what a table may hold
KL_LIMITS = limit_rows(
    SUM, COUNT, Within(SUM.low, math.inf), NOT_NEGATIVE, Within(0.0, math.inf), SUM
)


def kl_table(arms: int) -> Floats:
    """Unplayed arms; their index is infinite, so that they come first."""
    table = np.zeros((ROWS, arms))
    table[INTERCEPT] = math.inf
    table[INDEX] = math.inf
    return table


def check_c(name: str, c: float) -> None:
    """Refuse what would make the threshold fall with time."""
    if c < 0.0:
        raise InvalidInputError(
            f"{name}: c, the weight of log log t, must not be negative, not {c!r}"
        )


@kernel
def evaluate(table: Floats, arm: int, threshold: float) -> None:
    """The exact index of an arm, and its tangent."""
    table[THRESHOLD, arm] = threshold
    n = table[PLAYS, arm]
    if n == 0.0:
        return

    mean = min(1.0, max(0.0, table[TOTAL, arm] / n))
    index = kl_upper(mean, threshold / n)

    # The tangent, by the derivative of the inverse of n kl(mean, .). No index exceeds 1.
    slope = 0.0
    intercept = 1.0
    if mean < index < 1.0:
        slope = index * (1.0 - index) / (n * (index - mean))
        intercept = index - slope * threshold

    table[INDEX, arm] = index
    table[SLOPE, arm] = slope
    table[INTERCEPT, arm] = intercept + MARGIN


@kernel
def kl_pick(
    table: Floats, start: int, size: int, threshold: float, rng: np.random.Generator
) -> int:
    """An arm with the largest index, counted from `start`, ties at random.

    The threshold must never fall from one call to the next.
    """
    intercept = table[INTERCEPT]
    slope = table[SLOPE]
    top = start

    for _ in range(SCANS):
        best = -math.inf
        second = -math.inf
        for i in range(start, start + size):
            bound = intercept[i] + slope[i] * threshold
            # mostly false, and then it is the only comparison
            if bound > second:
                if bound > best:
                    second = best
                    best = bound
                    top = i
                else:
                    second = bound

        stale = table[THRESHOLD, top] != threshold
        if stale and table[INDEX, top] <= second:
            evaluate(table, top, threshold)
        # Whatever the indices of the others are, they are less.
        if table[INDEX, top] > second:
            return top - start
        if not stale:
            break

    return pick_among_ties(table, start, size, threshold, top, rng)


@kernel
def pick_among_ties(
    table: Floats, start: int, size: int, threshold: float, top: int, rng: np.random.Generator
) -> int:
    """One of the best, after evaluating every arm whose tangent reaches the index of `top`."""
    best = table[INDEX, top]
    ties = 0
    last = top

    for i in range(start, start + size):
        if table[INTERCEPT, i] + table[SLOPE, i] * threshold >= best:
            if table[PLAYS, i] == table[PLAYS, last] and table[TOTAL, i] == table[TOTAL, last]:
                # the same statistics have the same index
                for row in range(INTERCEPT, ROWS):
                    table[row, i] = table[row, last]
            elif table[THRESHOLD, i] != threshold:
                evaluate(table, i, threshold)
                last = i

            if table[INDEX, i] >= best:
                ties = ties + 1 if table[INDEX, i] == best else 1
                best = table[INDEX, i]

    left = randint(rng, ties) if ties > 1 else 0
    chosen = top

    for i in range(start, start + size):
        if table[INDEX, i] == best and table[THRESHOLD, i] == threshold:
            if left == 0:
                chosen = i
            left -= 1

    return chosen - start


@kernel
def kl_feed(table: Floats, arm: int, reward: float, threshold: float) -> None:
    """One more play of an arm, which was planned at this threshold."""
    table[TOTAL, arm] += reward
    table[PLAYS, arm] += 1.0
    evaluate(table, arm, threshold)


def kl_contradiction(table: Floats) -> str | None:
    """Plays are whole numbers, and only arms without plays come first whatever the tangents say."""
    plays = table[PLAYS]
    if (plays % 1.0).any() or np.isinf(table[[INTERCEPT, INDEX]][:, plays > 0.0]).any():
        return "table holds indices that do not follow from plays"
    return None
