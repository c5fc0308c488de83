"""Wealth: what a gambler has made who bets, round after round, that a level is not the best.

A bet on an outcome z, of mean at most 0 if the level is the best, multiplies the wealth by
1 + stake * z. With a stake that is not negative, is fixed before the outcome and leaves
1 + stake * z >= 0 whatever comes, the wealth is then a supermartingale that begins at 1, so that it
ever reaches 1 / alpha with probability at most alpha (Ville): 1 / (its peak) is an anytime-valid
p-value (docs/explanation/certificates.md).

The stake is gain / (square + 1), the sums of z and of its square so far: near it the sum of
log(1 + stake * z) over the past was at its largest.
"""

from __future__ import annotations

import itertools

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.limits import NOT_NEGATIVE, SUM, Within

# rows of a table of bets, a column per level
WEALTH = 0
PEAK = 1  # the largest wealth so far
GAIN = 2  # the sum of the outcomes z
SQUARE = 3  # the sum of their squares
ROWS = 4

# no p-value is smaller than 1 / LARGEST; less wealth than one has is always allowed
LARGEST = 1e300
# of the wealth may be lost in one bet
BOLDEST = 0.95

WEALTH_LIMITS = (Within(0.0, LARGEST), Within(1.0, LARGEST), SUM, NOT_NEGATIVE)


def new_wealth(levels: int, rows: int = ROWS) -> Floats:
    """A table of bets in which nobody has bet.

    >>> new_wealth(2).tolist()
    [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    """
    bets = np.zeros((rows, levels))
    bets[WEALTH] = 1.0
    bets[PEAK] = 1.0
    return bets


@kernel
def stake_against(bets: Floats, level: int, most: float) -> float:
    """The stake of the next bet, from the bets before it: from 0 to `most`.

    >>> bets = new_wealth(1)
    >>> settle_bet(bets, 0, 0.0, 0.5)
    >>> stake_against(bets, 0, 1.9), stake_against(bets, 0, 0.1)
    (0.4, 0.1)
    """
    return min(max(bets[GAIN, level] / (bets[SQUARE, level] + 1.0), 0.0), most)


@kernel
def settle_bet(bets: Floats, level: int, stake: float, outcome: float) -> None:
    """Pay a bet out, and add its outcome to the sums.

    >>> bets = new_wealth(1)
    >>> settle_bet(bets, 0, 0.5, 0.5)
    >>> settle_bet(bets, 0, 0.5, -0.5)
    >>> bets[:, 0].tolist()
    [0.9375, 1.25, 0.0, 0.5]
    """
    wealth = min(bets[WEALTH, level] * (1.0 + stake * outcome), LARGEST)
    bets[WEALTH, level] = wealth
    bets[PEAK, level] = max(bets[PEAK, level], wealth)
    bets[GAIN, level] += outcome
    bets[SQUARE, level] += outcome * outcome


def wealth_contradiction(bets: Floats) -> str | None:
    """What cannot be in a table of bets, in words.

    >>> wealth_contradiction(np.array([[2.0], [1.0], [0.0], [0.0]]))
    'the wealth of level 0 is above its peak'
    """
    above = np.flatnonzero(bets[WEALTH] > bets[PEAK])
    return f"the wealth of level {above[0]} is above its peak" if len(above) else None


def wealth_p_values(bets: Floats, offsets: Ints) -> list[Floats]:
    """Per factor and level an anytime-valid p-value of its being the best.

    >>> bets = new_wealth(3)
    >>> bets[PEAK, 1] = 40.0
    >>> [values.tolist() for values in wealth_p_values(bets, np.array([0, 2, 3]))]
    [[1.0, 0.025], [1.0]]
    """
    return [1.0 / bets[PEAK, a:b] for a, b in itertools.pairwise(offsets)]
