"""Duels by matrix: entry (i, j) is the probability that arm i beats arm j.

>>> import factored_bandits as fb
>>> fb.environments.make("duel_matrix", preferences=[[0.5, 0.6], [0.4, 0.5]]).best
(0, 0)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from factored_bandits.core.checks import finite, integer
from factored_bandits.environments.base import Environment
from factored_bandits.environments.checks import room_for_matrix
from factored_bandits.environments.preferences import Unit, build, check_preferences
from factored_bandits.errors import InvalidInputError


def init(preferences: Any, unit: Unit = "average", tie: float = 0.0) -> Environment:
    """Duels whose winners are drawn by a preference matrix.

    Parameters
    ----------
    preferences
        A square matrix: `preferences[i][j]` is the probability that arm i beats arm j.
        `preferences[i][j] + preferences[j][i]` must be 1, with 1/2 on the diagonal.
    unit
        The unit of the regret: "average" (half the sum of what both arms lose against the best),
        "weak" (the smaller of the two), "strong" (the larger), "copeland" (by the number of arms
        beaten).
    tie
        The probability of a tie.

    Returns
    -------
    The problem.

    Raises
    ------
    InvalidInputError
        If the matrix is not one of preferences, or has no Condorcet winner and `unit` is not
        "copeland".

    Examples
    --------
    >>> init([[0.5, 0.6], [0.4, 0.5]]).mean([0, 1])
    0.6
    """
    try:
        matrix = np.array(preferences, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(
            "preferences must be a square matrix of numbers, every row of the same length"
        ) from None

    check_preferences(matrix)
    return build(
        "duel_matrix", preferences=matrix, tie=tie, unit=unit, params={"preferences": matrix}
    )


def cyclic(
    arms: int = 4, p_best: float = 0.6, p_cycle: float = 0.9, unit: Unit = "average"
) -> Environment:
    """One arm beats all others, which beat one another in a cycle (Komiyama et al. 2015).

    Arm i beats the arm after it, and loses to the arm before it, with probability `p_cycle`; in
    longer cycles, arms further apart are beaten going the shorter way round.

    Parameters
    ----------
    arms
        How many arms there are, at least 4: the best and a cycle of three.
    p_best
        The probability that arm 0 beats any other.
    p_cycle
        The probability that an arm beats its successor in the cycle.
    unit
        The unit of the regret: "average" (half the sum of what both arms lose against the best),
        "weak" (the smaller of the two), "strong" (the larger), "copeland" (by the number of arms
        beaten).

    Returns
    -------
    The problem, arm 0 the best.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Examples
    --------
    >>> cyclic().mean([1, 2]), cyclic().mean([3, 1]), cyclic().mean([0, 3])
    (0.9, 0.9, 0.6)
    """
    arms = integer("arms", arms, low=4)
    room_for_matrix(arms)
    for label, p in (("p_best", p_best), ("p_cycle", p_cycle)):
        if not 0.5 < finite(label, p) <= 1.0:
            raise InvalidInputError(f"{label} must lie in (0.5, 1], not {p!r}")

    matrix = np.full((arms, arms), 0.5)
    matrix[0, 1:] = p_best
    matrix[1:, 0] = 1.0 - p_best

    ring = arms - 1
    for i in range(ring):
        for ahead in range(1, ring):
            # half the way round there is no shorter way: such duels are even
            if 2 * ahead != ring:
                wins = p_cycle if 2 * ahead < ring else 1.0 - p_cycle
                matrix[1 + i, 1 + (i + ahead) % ring] = wins

    return init(preferences=matrix, unit=unit)


def hard_condorcet(
    arms: int = 16, p: float = 0.55, draw: int = 0, unit: Unit = "average"
) -> Environment:
    """One arm barely beats all others; who beats whom among those is random, and clear.

    To an algorithm that looks at the share of duels won, many other arms look better than arm 0.

    Parameters
    ----------
    arms
        How many arms there are.
    p
        The probability that arm 0 beats any other. The others beat one another with 0.75 to 0.95.
    draw
        Another number gives another problem.
    unit
        The unit of the regret: "average" (half the sum of what both arms lose against the best),
        "weak" (the smaller of the two), "strong" (the larger), "copeland" (by the number of arms
        beaten).

    Returns
    -------
    The problem, arm 0 the best.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Examples
    --------
    >>> problem = hard_condorcet(4)
    >>> problem.best, problem.mean([0, 3]), round(problem.mean([1, 2]), 3)
    ((0, 0), 0.55, 0.877)
    """
    arms = integer("arms", arms, low=2)
    room_for_matrix(arms)
    draw = integer("draw", draw, low=0)
    if not 0.5 < finite("p", p) <= 1.0:
        raise InvalidInputError(f"p must lie in (0.5, 1], not {p!r}")

    rng = np.random.default_rng(draw)
    matrix = np.full((arms, arms), 0.5)
    matrix[0, 1:] = p
    matrix[1:, 0] = 1.0 - p

    for i, j in zip(*np.triu_indices(arms - 1, 1), strict=True):
        clear = 0.5 + rng.uniform(0.25, 0.45) * rng.choice([-1.0, 1.0])
        matrix[1 + i, 1 + j] = clear
        matrix[1 + j, 1 + i] = 1.0 - clear

    return init(preferences=matrix, unit=unit)


GENERATORS = {"cyclic": cyclic, "hard_condorcet": hard_condorcet}
