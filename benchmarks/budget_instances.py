"""The duels on which policies for a fixed budget are measured; arm 0 is the best of each.

The numbers to compare with were taken on instances that are described in words only. `p=.6`, the
votes and the ties are exactly those. Of the others ("bt12", "close two", "cycles") forms that fit
the words were tried (`fixed_budget.py forms`), and one was taken on which `self_sparring`, `dts`,
`rmed1` and uniform duels with a fit do what they did there: policies that are not the ones to be
compared (docs/decisions.md). For the votes between all models, regret is clipped at 0, which was
chosen after a look at both forms.
"""

from __future__ import annotations

from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from arena_votes import Votes

import factored_bandits as fb

# of the votes: ties among all, as the reference has it
TIES_OF_VOTES = 0.39


class Duels(NamedTuple):
    """Who beats whom in a duel that is no tie, and how often there is a tie."""

    preferences: np.ndarray
    tie: float
    said: str

    def environment(self, ties: bool = True):
        """As a problem; for a policy that refuses ties each is decided by a fair draw."""
        matrix = self.preferences
        if not ties:
            matrix = 0.5 + (1.0 - self.tie) * (matrix - 0.5)
        return fb.environments.make(
            "duel_matrix",
            preferences=matrix,
            unit="copeland",
            tie=self.tie if ties else 0.0,
        )


def by_utility(utilities, tie=0.0, said=""):
    gaps = np.subtract.outer(utilities, utilities)
    return Duels(1.0 / (1.0 + np.exp(-gaps)), tie, said)


def bradley_terry(arms, tie=0.0, spread=1.05):
    """Utilities at the quantiles of a normal distribution."""
    normal = NormalDist(0.0, spread)
    utilities = np.array([normal.inv_cdf(1.0 - (k + 0.5) / arms) for k in range(arms)])
    return by_utility(utilities, tie, f"normal quantiles, standard deviation {spread} (chosen)")


def drawn_utilities(draw, arms=16, tie=0.2):
    """Standard normal utilities, another draw in every run."""
    utilities = np.sort(np.random.default_rng([77, draw]).standard_normal(arms))[::-1]
    return by_utility(utilities, tie)


def one_best(arms, p):
    matrix = np.full((arms, arms), 0.5)
    matrix[0, 1:] = p
    matrix[1:, 0] = 1.0 - p
    return Duels(matrix, 0.0, "the best wins with this probability, all others are equal")


def close_two(arms=4, p=0.53, rest=0.7):
    matrix = one_best(arms, rest).preferences
    matrix[1, 2:] = rest
    matrix[2:, 1] = 1.0 - rest
    matrix[0, 1] = p
    matrix[1, 0] = 1.0 - p
    return Duels(matrix, 0.0, f"{arms} arms, two of them win {rest} against the rest (chosen)")


def cycles(arms=12, p=0.62, strong=0.8):
    """The best beats all; each other one beats the next five around a circle."""
    matrix = one_best(arms, p).preferences
    others = arms - 1
    for i in range(others):
        for step in range(1, others // 2 + 1):
            j = (i + step) % others
            matrix[1 + i, 1 + j] = strong
            matrix[1 + j, 1 + i] = 1.0 - strong
    return Duels(matrix, 0.0, f"each other arm wins {strong} against the next {others // 2}")


def two_winners(arms=8, p=0.58, strong=0.85):
    """Arm 0 beats all barely, the Condorcet winner; arm 1 all others clearly: the Borda winner."""
    matrix = one_best(arms, p).preferences
    matrix[1, 2:] = strong
    matrix[2:, 1] = 1.0 - strong
    return Duels(matrix, 0.0, f"arm 1 wins {strong} against all but the Condorcet winner")


def voted(path: Path, arms: int, best: bool = False):
    """LLMFAO: decisive shares with 8 votes as Bradley-Terry expects them; the best first."""
    votes = Votes(path)
    chosen = votes.arms(arms, best)
    matrix = votes.preferences[np.ix_(chosen, chosen)]
    beats = (matrix > 0.5).sum(1)
    order = np.lexsort((-matrix.mean(1), -beats))
    said = "the strongest" if best else "every fifth by strength" if arms < 59 else "all"
    condorcet = beats[order[0]] == arms - 1
    said += "" if condorcet else "; no Condorcet winner, the best by mean share"
    if not condorcet:
        order = np.argsort(-matrix.mean(1))
    return Duels(matrix[np.ix_(order, order)], TIES_OF_VOTES, said)
