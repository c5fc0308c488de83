"""Bets on the levels of a duel, with stakes from what the model predicts.

H_k is "level k is the best of its factor": with the rests of the two sides exchangeable, it wins
against any other level with probability at least 1/2, a tie half a win. Of the two levels of a
factor the one that the model expects to lose is bet against, by its predicted probability p < 1/2
of winning: the money is multiplied by 2 (p r + (1 - p) (1 - r)), r the share that it won. If H_k is
true the mean of that factor is at most 1 given the past, whoever chose the pair, so that the money
ever reaches 1 / alpha with probability at most alpha (Ville). The stake depends on the past and on
which two levels meet in each factor, not on which of them is on which side.
"""

from __future__ import annotations

import math

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import sigmoid

from ._state import LARGEST_LOG, State

# MacKay (1992): the mean of sigma(g) for g ~ N(a, s^2) is about sigma(a / sqrt(1 + pi s^2 / 8))
SPREAD = math.pi / 8.0
# never bet all that there is: a prediction may round to 0
LEAST = 1e-12


@kernel
def bet_on_sides(state: State, delta: float, action: Ints, reward: float) -> None:
    """Settle a bet per factor in which the sides differ; `reward` is the share of the first."""
    factors = len(state.turn)

    squares = 0.0
    for l in range(factors):
        gap = gap_of(state, action, l)
        squares += gap * gap

    for l in range(factors):
        x = state.offsets[l] + action[l]
        y = state.offsets[l] + action[factors + l]
        gap = state.mean[x] - state.mean[y]
        if gap == 0.0:
            continue

        # what the other factors add may help or harm: their gaps are spread like an uncertainty,
        # by their squares, which do not tell the sides apart
        spread = max(squares - gap * gap, 0.0) + distance(state, x, y)
        p = max(sigmoid(-abs(gap) / math.sqrt(1.0 + SPREAD * spread)), LEAST)
        if gap < 0.0:
            settle(state, l, x, p, reward, delta)
        else:
            settle(state, l, y, p, 1.0 - reward, delta)


@kernel
def gap_of(state: State, action: Ints, l: int) -> float:
    """By how much the first side is ahead in factor l."""
    factors = len(state.turn)
    x = state.offsets[l] + action[l]
    y = state.offsets[l] + action[factors + l]
    return float(state.mean[x] - state.mean[y])


@kernel
def distance(state: State, x: int, y: int) -> float:
    """The variance of the difference of two utilities."""
    total = 0.0
    for i in range(len(state.mean)):
        difference = state.factor[i, x] - state.factor[i, y]
        total += difference * difference
    return total


@kernel
def settle(state: State, l: int, k: int, p: float, won: float, delta: float) -> None:
    """Pay a bet against level k of factor l, which won this share; rule it out if it is time."""
    gain = math.log(2.0 * (p * won + (1.0 - p) * (1.0 - won)))
    state.wealth[k] = min(state.wealth[k] + gain, LARGEST_LOG)
    state.peak[k] = max(state.peak[k], state.wealth[k])

    # the last one stays: something is the best
    proved = state.peak[k] >= math.log(len(state.turn) / delta)
    if proved and state.active[k] and active_levels(state, l) > 1:
        state.active[k] = False
        state.changes[0] += 1


@kernel
def active_levels(state: State, l: int) -> int:
    """How many levels of factor l are not ruled out."""
    count = 0
    for k in range(state.offsets[l], state.offsets[l + 1]):
        if state.active[k]:
            count += 1
    return count
