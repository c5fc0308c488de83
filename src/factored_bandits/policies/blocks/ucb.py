"""UCB indices, mean + root / sqrt(plays), of one bandit: a range of columns, from `start`, `size`
long, of a table.

Mean and 1 / sqrt(plays) change with a play only: a look at an arm costs a product and a sum, no
root and no division.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.errors import InvalidInputError

TOTAL, PLAYS, MEAN, WIDTH = (
    0,
    1,
    2,
    3,
)  # rows of a table: sum of rewards, plays, their ratio, 1 / sqrt(plays)


def ucb_table(arms: int) -> Floats:
    """Nothing was played; the mean of such an arm is infinite, so that it comes first."""
    table = np.zeros((4, arms))
    table[MEAN] = math.inf
    return table


def check_alpha(name: str, alpha: float) -> None:
    """Refuse what has no root."""
    if alpha < 0.0:
        raise InvalidInputError(
            f"{name}: alpha stands under a root and must not be negative, not {alpha!r}"
        )


@kernel
def ucb_pick(table: Floats, start: int, size: int, root: float, rng: np.random.Generator) -> int:
    """An arm with the largest index, counted from `start`, ties at random; root = sqrt(alpha log
    t).

    >>> table = ucb_table(2)
    >>> ucb_feed(table, 0, 1.0)
    >>> ucb_pick(table, 0, 2, 1.0, np.random.default_rng(0))
    1
    """
    mean = table[MEAN]
    width = table[WIDTH]
    best = -math.inf
    chosen = start
    ties = 0

    for i in range(start, start + size):
        index = mean[i] + root * width[i]
        if index >= best:
            ties = ties + 1 if index == best else 1
            best = index
            chosen = i

    if ties > 1:
        left = randint(rng, ties)
        for i in range(start, start + size):
            if mean[i] + root * width[i] == best:
                if left == 0:
                    chosen = i
                left -= 1

    return chosen - start


@kernel
def ucb_feed(table: Floats, at: int, reward: float) -> None:
    """One more play of the arm in column `at`."""
    table[TOTAL, at] += reward
    table[PLAYS, at] += 1.0
    table[MEAN, at] = table[TOTAL, at] / table[PLAYS, at]
    table[WIDTH, at] = 1.0 / math.sqrt(table[PLAYS, at])
