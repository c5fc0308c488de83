"""Single-bandit machines: ordinary bandit algorithms from which dueling ones are built (Ailon et
al. 2014).

A machine is a table with a row per statistic and a column per arm. `pick` an arm, then `feed` it
what it has won; a tie is half a win.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import categorical

from .tsallis import REDUCED_VARIANCE, learning_rate, tsallis_weights

WINS, PLAYS = 0, 1  # rows of every machine
MEAN, WIDTH = 2, 3  # rows of UCB: wins / plays, infinite where nothing was played; 1 / sqrt(plays)
LOSSES, PROBABILITIES = (
    2,
    3,
)  # rows of Exp3 and Tsallis-INF: estimated losses; the chance of each arm at the last pick
ROWS = 4


def ucb_tables(base_bandits: int, arms: int) -> Floats:
    """UCB machines that know nothing."""
    tables = np.zeros((base_bandits, ROWS, arms))
    tables[:, MEAN] = math.inf
    return tables


@kernel
def ucb_reset(table: Floats) -> None:
    """Forget everything."""
    for arm in range(table.shape[1]):
        table[WINS, arm] = 0.0
        table[PLAYS, arm] = 0.0
        table[MEAN, arm] = math.inf
        table[WIDTH, arm] = 0.0


@kernel
def ucb_pick(table: Floats, pulls: float, alpha: float, rng: np.random.Generator) -> int:
    """The largest mean + sqrt(alpha ln pulls / plays), unplayed arms first; `pulls` of this machine
    so far.
    """
    mean = table[MEAN]
    width = table[WIDTH]
    root = math.sqrt(alpha * math.log(max(pulls, 1.0)))
    best = -math.inf
    chosen = 0
    ties = 0

    for arm in range(len(mean)):
        bound = mean[arm] + root * width[arm]
        if bound > best:
            best = bound
            chosen = arm
            ties = 1
        elif bound == best:
            ties += 1
            if rng.random() * ties < 1.0:
                chosen = arm

    return chosen


@kernel
def ucb_feed(table: Floats, arm: int, win: float) -> None:
    """One more play of `arm`."""
    count(table, arm, win)
    table[MEAN, arm] = table[WINS, arm] / table[PLAYS, arm]
    table[WIDTH, arm] = 1.0 / math.sqrt(table[PLAYS, arm])


def ucb_warm_start(tables: Floats, wins: Floats, plays: Floats) -> None:
    """Add wins and plays, (machines, arms), to all machines."""
    tables[:, WINS] += wins
    tables[:, PLAYS] += plays
    known = tables[:, PLAYS] > 0.0
    tables[:, MEAN][known] = tables[:, WINS][known] / tables[:, PLAYS][known]
    tables[:, WIDTH][known] = 1.0 / np.sqrt(tables[:, PLAYS][known])


@kernel
def count(table: Floats, arm: int, win: float) -> None:
    """Wins and plays."""
    table[WINS, arm] += win
    table[PLAYS, arm] += 1.0


@kernel
def thompson_pick(table: Floats, rng: np.random.Generator) -> int:
    """The largest of one draw per arm from Beta(wins + 1, losses + 1)."""
    best = -1.0
    chosen = 0

    for arm in range(table.shape[1]):
        draw = rng.beta(table[WINS, arm] + 1.0, table[PLAYS, arm] - table[WINS, arm] + 1.0)
        if draw > best:
            best = draw
            chosen = arm

    return chosen


@kernel
def exp3_pick(table: Floats, pulls: float, rng: np.random.Generator) -> int:
    """Chances proportional to exp(-rate losses), rate = sqrt(ln K / (K n)) at the n-th pull: Exp3
    without horizon.
    """
    arms = table.shape[1]
    rate = math.sqrt(math.log(arms) / (arms * (pulls + 1.0)))
    least = math.inf
    total = 0.0
    for arm in range(arms):
        least = min(least, table[LOSSES, arm])
    for arm in range(arms):
        table[PROBABILITIES, arm] = math.exp(-rate * (table[LOSSES, arm] - least))
        total += table[PROBABILITIES, arm]

    for arm in range(arms):
        table[PROBABILITIES, arm] /= total
    return categorical(rng, table[PROBABILITIES], 0, arms)


@kernel
def tsallis_pick(
    table: Floats, pulls: float, guesses: Floats, place: int, rng: np.random.Generator
) -> int:
    """Tsallis-INF; `guesses[place]` is where its equation was solved last."""
    rate = learning_rate(pulls + 1.0, REDUCED_VARIANCE)
    losses = table[LOSSES]
    probabilities = table[PROBABILITIES]
    guesses[place] = tsallis_weights(losses, probabilities, 0, len(losses), rate, guesses[place])
    return categorical(rng, probabilities, 0, len(losses))
