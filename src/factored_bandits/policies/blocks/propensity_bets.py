"""Bets by propensity: evidence against levels from a policy that knows its probabilities.

A factor draws level A by probabilities p, and the reward is x. Let j be its likeliest level, m a
forecast of the reward, and

    Z = (p_k / p_j) (x - m) [A = j] - (x - m) [A = k]

the outcome of a bet that level k is not the best. The mean of Z is p_k times that of (reward of j -
reward of k) in this round, at most 0 if k is the best, whatever the other factors play and however
rewards drift. 1 + stake * Z stays positive with a stake below 1 / (1 - m) and p_j / (p_k m).
Nothing is played for the sake of a bet (docs/explanation/certificates.md has the proofs).

All of it must be fixed before the draw, or come from earlier rounds, which are learned before this
one. So the probabilities wait in a queue for their reward, however late it is. A round that is
planned when the queue is full has no bet: that too is decided before its draw.
"""

from __future__ import annotations

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.limits import COUNT, SHARE, Within, index
from factored_bandits.policies.limits import rows as limit_rows

from .wealth import (
    BOLDEST,
    GAIN,
    LARGEST,
    PEAK,
    ROWS,
    SQUARE,
    WEALTH,
    WEALTH_LIMITS,
    new_wealth,
    settle_bet,
    stake_against,
)

# further rows of the table of bets
FORECAST = ROWS  # the mean reward of the level in its last plays
PLAYS = ROWS + 1  # how many, from 1 to WINDOW: the first is a reward of 1/2 that nobody got
WINDOW = 200.0
CAUTION = 1.0  # of the stakes: between 0.25 and 4 it matters little (docs/decisions.md)
TINY = 1e-300  # no division by zero, also of forged probabilities
CLOSEST = 1e-6  # a forecast is not closer to 0 or 1

# the queue of rounds that wait for their reward
FIRST = 0  # row of the oldest
LENGTH = 1
ROOM = 8192  # numbers, and at least LEAST rows
LEAST = 16


def new_bets(levels: int) -> Floats:
    """A table (6, levels) in which nobody has bet and every forecast is 1/2.

    >>> new_bets(1)[:, 0].tolist()
    [1.0, 1.0, 0.0, 0.0, 0.5, 1.0]
    """
    bets = new_wealth(levels, ROWS + 2)
    bets[FORECAST] = 0.5
    bets[PLAYS] = 1.0
    return bets


def new_drawn(levels: int) -> Floats:
    """Room for the queue: per row a round, then the probabilities of all levels.

    >>> len(new_drawn(9)) // 10, len(new_drawn(4096)) // 4097
    (819, 16)
    """
    return np.zeros(max(ROOM, LEAST * (1 + levels)))


def new_queue() -> Ints:
    """Nobody waits: the row of the oldest, and how many wait."""
    return np.zeros(2, dtype=np.int64)


def bet_limits(levels: int) -> dict[str, Within]:
    """What the arrays `bets`, `queue` and `drawn` of a state may hold."""
    width = 1 + levels
    rounds = np.arange(len(new_drawn(levels))) % width == 0
    room = len(rounds) // width
    return {
        "bets": limit_rows(*WEALTH_LIMITS, Within(CLOSEST, 1.0 - CLOSEST), Within(1.0, WINDOW, 1)),
        "queue": index(np.array([room, room + 1])),
        "drawn": Within(
            np.where(rounds, COUNT.low, SHARE.low),
            np.where(rounds, COUNT.high, SHARE.high),
            np.where(rounds, COUNT.step, SHARE.step),
        ),
    }


@kernel
def await_reward(queue: Ints, drawn: Floats, t: int, probabilities: Floats) -> None:
    """Put the probabilities of round t behind those that wait, if there is room.

    >>> queue, drawn = new_queue(), new_drawn(2)
    >>> await_reward(queue, drawn, 7, np.array([0.25, 0.75]))
    >>> queue.tolist(), drawn[:3].tolist()
    ([0, 1], [7.0, 0.25, 0.75])
    """
    width = 1 + len(probabilities)
    room = len(drawn) // width
    if queue[LENGTH] >= room:
        return

    start = (queue[FIRST] + queue[LENGTH]) % room * width
    drawn[start] = float(t)
    for i in range(len(probabilities)):
        drawn[start + 1 + i] = probabilities[i]
    queue[LENGTH] += 1


@kernel
def bet(
    bets: Floats, queue: Ints, drawn: Floats, offsets: Ints, t: int, action: Ints, reward: float
) -> None:
    """Settle the bets of round t: per factor one on each of its levels."""
    levels = bets.shape[1]
    width = 1 + levels
    room = len(drawn) // width

    while queue[LENGTH] > 0:
        start = queue[FIRST] * width
        noted = drawn[start]
        if noted > t:
            return  # of a later round: there was no room for this one

        if noted == t:
            # unbounded rewards have no certificates, and must do no harm either
            x = min(max(reward, 0.0), 1.0)
            for l in range(len(offsets) - 1):
                played = offsets[l] + action[l]
                bet_factor(bets, drawn, start + 1, offsets[l], offsets[l + 1], played, x)

        # zeros, so that a dump stays small
        for i in range(width):
            drawn[start + i] = 0.0
        queue[LENGTH] -= 1
        queue[FIRST] = (queue[FIRST] + 1) % room if queue[LENGTH] > 0 else 0


@kernel
def bet_factor(
    bets: Floats, drawn: Floats, at: int, first: int, last: int, played: int, x: float
) -> None:
    """One factor, levels `first` to `last`, whose probabilities begin at drawn[at]."""
    leader = first
    for k in range(first + 1, last):
        if drawn[at + k] > drawn[at + leader]:
            leader = k

    likeliest = max(drawn[at + leader], TINY)
    forecast = bets[FORECAST, leader]
    surprise = x - forecast

    if played == leader:
        drawn[at + leader] = 0.0  # it has no bet against itself; the row is cleared in any case
        bet_on_all(bets, drawn[at + first : at + last], first, likeliest, forecast, surprise)
    else:
        ratio = max(drawn[at + played] / likeliest, TINY)
        most = min(BOLDEST / (1.0 - forecast), BOLDEST / (forecast * ratio))
        settle_bet(bets, played, stake_against(bets, played, CAUTION, most), -surprise)

    # the forecast of later rounds
    plays = min(bets[PLAYS, played] + 1.0, WINDOW)
    changed = bets[FORECAST, played] + (x - bets[FORECAST, played]) / plays
    bets[PLAYS, played] = plays
    bets[FORECAST, played] = min(max(changed, CLOSEST), 1.0 - CLOSEST)


@kernel
def bet_on_all(
    bets: Floats,
    probabilities: Floats,
    first: int,
    likeliest: float,
    forecast: float,
    surprise: float,
) -> None:
    """The likeliest level was played: settle a bet on every level from `first` on.

    It is `settle_bet` for each of them, written by rows: compilers then do several levels at once,
    and this is where the time goes. The limit p_j / (p_k m) is put on stake * p_k / p_j.
    """
    size = len(probabilities)
    wealth = bets[WEALTH, first : first + size]
    peak = bets[PEAK, first : first + size]
    gain = bets[GAIN, first : first + size]
    square = bets[SQUARE, first : first + size]

    scale = 1.0 / likeliest
    most = BOLDEST / (1.0 - forecast)
    most_of_share = BOLDEST / forecast

    for i in range(size):
        ratio = probabilities[i] * scale
        share = min(max(gain[i] / (square[i] + CAUTION), 0.0), most) * ratio
        now = min(wealth[i] * (1.0 + min(share, most_of_share) * surprise), LARGEST)
        outcome = ratio * surprise

        wealth[i] = now
        peak[i] = max(peak[i], now)
        gain[i] += outcome
        square[i] += outcome * outcome
