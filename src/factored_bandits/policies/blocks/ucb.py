"""UCB indices, mean + root / sqrt(plays), of one bandit.

A bandit is a range of columns, from `start`, `size` long, of a table with the rows named below, a
column per arm. (One table: the scan over all arms was measured to be slower over separate arrays.)
Mean and width change with a play only: a look at an arm costs a product and a sum, no root and no
division.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.branches import rarely
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.limits import COUNT, SUM, Within
from factored_bandits.policies.limits import rows as limit_rows

# rows of a table
TOTAL = 0  # sum of rewards
PLAYS = 1
MEAN = 2  # total / plays, infinite where nothing was played
WIDTH = 3  # 1 / sqrt(plays)
ROWS = 4


# what a table may hold; an axis of base bandits may stand before
UCB_LIMITS = limit_rows(SUM, COUNT, Within(SUM.low, math.inf), Within(0.0, 1.0))


def ucb_table(arms: int) -> Floats:
    """Unplayed arms; their mean is infinite, so that they come first."""
    table = np.zeros((ROWS, arms))
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
    """An arm with the largest index, counted from `start`, ties at random; root = sqrt(a log t).

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
        # A branch for each arm and none for ties: the processor foresees neither well, and one that
        # it takes for the other costs as much as several arms.
        if rarely(index >= best):
            ties = (ties if index == best else 0) + 1
            chosen = i  # of arms that tie, the last
            best = index

    # One draw however many ties there are: in the beginning all arms tie.
    if ties > 1:
        left = randint(rng, ties)
        for i in range(start, start + size):
            if mean[i] + root * width[i] == best:
                if left == 0:
                    chosen = i
                left -= 1

    return chosen - start


@kernel
def ucb_feed(table: Floats, arm: int, reward: float) -> None:
    """One more play of an arm."""
    table[TOTAL, arm] += reward
    table[PLAYS, arm] += 1.0
    table[MEAN, arm] = table[TOTAL, arm] / table[PLAYS, arm]
    table[WIDTH, arm] = 1.0 / math.sqrt(table[PLAYS, arm])
