"""How many voters it takes to bring an elimination about, whatever the truth is.

The money bet against an arm is a product of factors, one for each vote on it. If the arm is the
best, the mean of each factor of an honest vote is at most 1, given the votes on all duels that were
asked before: the stake, and who meets, depend on nothing else, lies included. So the product over
the honest votes alone ever reaches 1/alpha with probability at most alpha (Ville), whoever the
liars are, however they conspire, and however they adapt to the votes before theirs.

An arm is eliminated when the whole product has reached 1/alpha. Take the m voters away whose
factors are largest. If what is left is still 1/alpha or more, then it is so for any m voters, and
the elimination stands whoever of them lied. `colluders` is the least number with which it does not:
docs/explanation/voters.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .walk import Learned

# A bet stakes at most all that there is on a fair game: a vote doubles the money at most.
MOST_PER_VOTE = math.log(2.0)


class Peak(NamedTuple):
    """The most evidence that there ever was against an arm.

    Attributes
    ----------
    log_wealth
        The log of the money; at least 0.
    plays
        After how many plays that was.
    """

    log_wealth: float
    plays: int

    @property
    def p_value(self) -> float:
        """Anytime-valid, of the arm being the best."""
        return math.exp(-self.log_wealth)


def peaks(learned: Sequence[Learned], arms: int) -> list[Peak]:
    """The evidence against each arm, of some plays.

    Of a part of the plays, such as those that some voters have not judged, it is what there would
    be had the bets on the others not been made: their factors are left out of the product.

    Parameters
    ----------
    learned
        What the policy learned, in its order.
    arms
        How many arms there are.

    Returns
    -------
    list of Peak
        One for each arm.
    """
    gains = [play.gains for play in learned] or [np.zeros(arms)]
    paths = np.vstack([np.zeros(arms), np.cumsum(gains, axis=0)])
    at = paths.argmax(axis=0)
    return [Peak(float(paths[t, k]), int(t)) for k, t in enumerate(at)]


def gains_by_voter(learned: Sequence[Learned], arm: int) -> dict[str, float]:
    """How much the votes of each voter have added to the evidence against an arm."""
    gains: dict[str, float] = {}
    for play in learned:
        if play.who is not None:
            gains[play.who] = gains.get(play.who, 0.0) + float(play.gains[arm])
    return gains


def colluders(learned: Sequence[Learned], arm: int, peak: Peak, alpha: float) -> int | None:
    """The least number of voters who could have brought the elimination of an arm about.

    Parameters
    ----------
    learned
        What the policy learned, in its order.
    arm
        Which arm.
    peak
        The evidence against it.
    alpha
        The probability of error at which it is eliminated.

    Returns
    -------
    int or None
        With any fewer liars it stands, with probability of error alpha; None if the arm is not
        eliminated.

    Examples
    --------
    >>> learned = [Learned(n, f"voter {n % 3}", np.array([0.5])) for n in range(12)]
    >>> colluders(learned, 0, Peak(6.0, 12), alpha=0.05)  # 2 each; log(1 / alpha) is 3
    2
    """
    threshold = -math.log(alpha)
    if peak.log_wealth < threshold:
        return None
    gains = gains_by_voter(learned[: peak.plays], arm)
    left = peak.log_wealth
    for number, gain in enumerate(sorted(gains.values(), reverse=True), 1):
        left -= max(gain, 0.0)
        if left < threshold:
            return number
    return len(gains) + 1  # what is left was there before any vote
