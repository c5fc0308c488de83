"""The bets of `dueling_leader_tea` against "this arm is the best".

A bet is fixed before the duel by the record before it: money is multiplied by
2 (p x + (1 - p) (1 - x)), x the outcome for the arm and p < 1/2 the share of wins that is expected
of it. The factor is linear in x and falls with it, so its mean is at most 1 whenever the mean of x
is at least 1/2: for ties too, and for any distribution of x on [0, 1].
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel

from ._leader_record import DUELS, WON, State, smoothed

# The prior of an arm's share of wins against the leader is that of all arms, which is 1/2 and worth
# so many duels before the first one.
COMMON_PRIOR = 4.0
# the stakes 1 - 2p on past duels, each with the same share of half of the money
STAKES = (0.05, 0.1, 0.2, 0.4, 0.8)


@kernel
def share_of(state: State, k: int) -> float:
    """The share of duels with the leader that arm k is expected to win, by what was before."""
    reign = state.reign
    lost = reign[DUELS] - reign[WON]
    common = min(0.5, (lost + 0.5 * COMMON_PRIOR) / (reign[DUELS] + COMMON_PRIOR))
    return smoothed(state.won[k], state.duels[k], common)


@kernel
def bet_with_leader(state: State, k: int, outcome: float) -> None:
    """The bets on a duel of arm k with the leader."""
    leader_won = state.duels[k] - state.won[k]
    bet(state, k, share_of(state, k), outcome)
    bet(state, state.leader[0], smoothed(leader_won, state.duels[k], 0.5), 1.0 - outcome)


@kernel
def bet_with_beater(state: State, k: int, outcome: float) -> None:
    """The bets on a duel of arm k with the former leader that beat it."""
    won = state.beater_won[k]
    duels = state.beater_duels[k]
    bet(state, k, smoothed(won, duels, 0.5), outcome)
    bet(state, state.beater[k], smoothed(duels - won, duels, 0.5), 1.0 - outcome)


@kernel
def bet(state: State, k: int, share: float, outcome: float) -> None:
    """Bet that arm k wins the `share` of its duels, if that is less than half of them."""
    if share < 0.5:
        factor = 2.0 * (share * outcome + (1.0 - share) * (1.0 - outcome))
        state.wealth[k] += math.log(factor)
        state.peak[k] = max(state.peak[k], state.wealth[k])


def wealth_of_history(wins: Floats) -> Floats:
    """Per arm the log of its money after past duels, wins (K, K) of row over column, K >= 2.

    Half of the money is kept, the other half divided evenly among opponents and stakes, which are
    fixed beforehand, so that the order of the duels does not matter. A tie, half a win for each,
    costs a little: (1 + s)^(1/2) (1 - s)^(1/2) < 1.

    >>> wealth_of_history(np.array([[0.0, 30.0], [0.0, 0.0]])).round(2)
    array([-0.64, 15.33])
    """
    arms = len(wins)
    stakes = np.array(STAKES)[:, None, None]
    money = wins * np.log1p(-stakes) + wins.T * np.log1p(stakes)
    money[:, np.arange(arms), np.arange(arms)] = -np.inf

    shares = np.logaddexp.reduce(money, axis=(0, 2)) - math.log(len(STAKES) * (arms - 1))
    return np.asarray(np.logaddexp(0.0, shares) - math.log(2.0))
