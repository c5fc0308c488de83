"""Counts of verdicts: of each candidate, and of each side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from factored_bandits.core.distributions.binomial import at_least

from .answers import FIRST, SECOND, TIE
from .entries import Entry

ALPHA = 0.05
STEPS = 60  # of a bisection: to the last bit
WINNERS = {FIRST: "model_a", SECOND: "model_b", TIE: "tie"}


@dataclass
class Tally:
    """The verdicts on one candidate, or on one level.

    Attributes
    ----------
    wins, ties, losses
        Verdicts of each kind.
    given_up
        Calls that were given up.

    Examples
    --------
    >>> tally = Tally(wins=6, ties=2, losses=2)
    >>> tally.n, tally.rate
    (10, 0.7)
    """

    wins: int = 0
    ties: int = 0
    losses: int = 0
    given_up: int = 0

    @property
    def n(self) -> int:
        """How many verdicts there were."""
        return self.wins + self.ties + self.losses

    @property
    def rate(self) -> float:
        """The share of wins, a tie counted as half of one; one half if there is no verdict."""
        return (self.wins + 0.5 * self.ties) / self.n if self.n else 0.5

    def add(self, share: float) -> None:
        """Count a verdict.

        Parameters
        ----------
        share
            1 for a win, 0.5 for a tie, 0 for a loss.
        """
        self.wins += share == FIRST
        self.ties += share == TIE
        self.losses += share == SECOND


class PositionBias(NamedTuple):
    """How often the candidate wins that is shown first.

    Sides are drawn at random, so that without a preference for a side it is one half, however
    different the candidates are.

    Attributes
    ----------
    share
        Of the verdicts that are no ties; one half if there is none.
    low, high
        An exact interval of 95 % (Clopper and Pearson).
    verdicts
        How many verdicts were no ties.
    """

    share: float
    low: float
    high: float
    verdicts: int

    def __str__(self) -> str:
        return (
            f"the candidate shown first won {self.share:.0%} of {self.verdicts:,} verdicts without "
            f"ties ({self.low:.0%} to {self.high:.0%})"
        )


def tally_candidates(names: Iterable[Any], entries: Sequence[Entry]) -> dict[Any, Tally]:
    """Verdicts on each candidate, in the order of `names`."""
    tallies = {name: Tally() for name in names}
    for entry in entries:
        first = tallies[entry.call["first"]]
        second = tallies[entry.call["second"]]
        if entry.event == "given up":
            first.given_up += 1
            second.given_up += 1
        elif entry.value is not None:
            first.add(entry.value)
            second.add(1.0 - entry.value)
    return tallies


def position_bias(firsts: Iterable[float]) -> PositionBias:
    """How often the first shown won, from verdicts as the judge gave them.

    >>> position_bias([1.0] * 60 + [0.0] * 40 + [0.5] * 7)  # doctest: +ELLIPSIS
    PositionBias(share=0.6, low=0.497..., high=0.696..., verdicts=100)
    """
    decided = [value for value in firsts if value != TIE]
    wins = sum(value == FIRST for value in decided)
    low, high = interval(wins, len(decided))
    return PositionBias(wins / len(decided) if decided else 0.5, low, high, len(decided))


def interval(wins: float, n: int, alpha: float = ALPHA) -> tuple[float, float]:
    """The exact interval for the probability of a win; ties may count as halves.

    >>> interval(0, 10)  # doctest: +ELLIPSIS
    (0.0, 0.30849710781876...)
    """
    if n == 0:
        return 0.0, 1.0
    low = 0.0 if wins <= 0 else _root(wins, n, alpha / 2)
    high = 1.0 if wins >= n else 1.0 - _root(n - wins, n, alpha / 2)
    return low, high


def _root(wins: float, n: int, tail: float) -> float:
    """The probability with which so many wins and more have the probability `tail`."""
    low = 0.0
    high = 1.0
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        # halves: `at_least` is a beta function, which does not mind
        if at_least(wins, n, middle) < tail:  # type: ignore[arg-type]
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
