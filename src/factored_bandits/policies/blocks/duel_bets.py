"""Bets on duels: evidence that an arm is no Condorcet winner.

A Condorcet winner wins a duel with any other arm with probability at least 1/2 (a tie is half a
win). So 1/2 - win, the outcome of a bet that an arm is not the winner, has a mean of at most 0 if
it is, whoever the opponent is, why ever the two were chosen and however preferences change
(docs/explanation/certificates.md). One duel settles the bets on both of its arms.
"""

from __future__ import annotations

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel

from .wealth import BOLDEST, settle_bet, stake_against

# 1 + stake (1/2 - win) is positive below this stake
MOST = 2.0 * BOLDEST


@kernel
def bet_on_duel(bets: Floats, first: int, second: int, reward: float) -> None:
    """Settle the bets on both arms; `reward` is 1 if the first won. None on a duel with itself.

    >>> from factored_bandits.policies.blocks.wealth import new_wealth
    >>> bets = new_wealth(2)
    >>> for _ in range(10):
    ...     bet_on_duel(bets, 0, 1, 1.0)
    >>> bets[0].round(2).tolist()
    [1.0, 9.05]
    """
    if first == second:
        return

    win = min(max(reward, 0.0), 1.0)
    settle_bet(bets, first, stake_against(bets, first, MOST), 0.5 - win)
    settle_bet(bets, second, stake_against(bets, second, MOST), win - 0.5)
