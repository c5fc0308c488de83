"""Base bandits: ordinary bandit algorithms from which dueling ones are built (Ailon et al. 2014).

The paper calls one a single-bandit machine (SBM). It picks an arm, then learns what the arm has
won; a tie is half a win. Wins and plays of every base bandit are kept in a table of `ucb`.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import categorical, tie_wins

from .exponential import exponential_weights
from .tsallis import REDUCED_VARIANCE, learning_rate, tsallis_weights
from .ucb import MEAN, PLAYS, TOTAL, WIDTH, ucb_table


def ucb_tables(base_bandits: int, arms: int) -> Floats:
    """UCB base bandits that know nothing, (base bandits, 4, arms)."""
    return np.stack([ucb_table(arms)] * base_bandits)


@kernel
def ucb_reset(table: Floats) -> None:
    """Forget everything."""
    for arm in range(table.shape[1]):
        table[TOTAL, arm] = 0.0
        table[PLAYS, arm] = 0.0
        table[MEAN, arm] = math.inf
        table[WIDTH, arm] = 0.0


@kernel
def base_ucb_pick(table: Floats, pulls: float, alpha: float, rng: np.random.Generator) -> int:
    """The largest mean + sqrt(alpha log pulls / plays), unplayed arms first, ties at random.

    `pulls` counts the plays of this base bandit so far.
    """
    mean = table[MEAN]
    width = table[WIDTH]
    root = math.sqrt(alpha * math.log(max(pulls, 1.0)))
    best = -math.inf
    chosen = 0
    ties = 0

    for arm in range(len(mean)):
        index = mean[arm] + root * width[arm]
        if index >= best:
            if index > best:
                best = index
                ties = 0
            ties += 1
            if tie_wins(rng, ties):
                chosen = arm

    return chosen


def ucb_warm_start(tables: Floats, wins: Floats, plays: Floats) -> None:
    """Add wins and plays, (base bandits, arms), to all base bandits."""
    tables[:, TOTAL] += wins
    tables[:, PLAYS] += plays
    known = tables[:, PLAYS] > 0.0
    tables[:, MEAN][known] = tables[:, TOTAL][known] / tables[:, PLAYS][known]
    tables[:, WIDTH][known] = 1.0 / np.sqrt(tables[:, PLAYS][known])


@kernel
def thompson_pick(wins: Floats, plays: Floats, rng: np.random.Generator) -> int:
    """The largest of one draw per arm from Beta(wins + 1, losses + 1)."""
    best = -1.0
    chosen = 0

    for arm in range(len(wins)):
        draw = rng.beta(wins[arm] + 1.0, plays[arm] - wins[arm] + 1.0)
        if draw > best:
            best = draw
            chosen = arm

    return chosen


@kernel
def exp3_pick(losses: Floats, probabilities: Floats, pulls: float, rng: np.random.Generator) -> int:
    """Exp3 without horizon: rate = sqrt(log K / (K n)) at the n-th pull."""
    arms = len(losses)
    rate = math.sqrt(math.log(arms) / (arms * (pulls + 1.0)))
    exponential_weights(losses, probabilities, 0, arms, rate, 0.0)
    return categorical(rng, probabilities, 0, arms)


@kernel
def tsallis_pick(
    losses: Floats,
    probabilities: Floats,
    pulls: float,
    solutions: Floats,
    position: int,
    rng: np.random.Generator,
) -> int:
    """Tsallis-INF; `solutions[position]` solved its equation last, Newton's method begins there."""
    arms = len(losses)
    rate = learning_rate(pulls + 1.0, REDUCED_VARIANCE)
    solutions[position] = tsallis_weights(losses, probabilities, 0, arms, rate, solutions[position])
    return categorical(rng, probabilities, 0, arms)
