"""Bets on which level is better in which company: what `Agent.diagnose` reads
(docs/explanation/when-it-fails.md).

For every factor, every ordered pair of its levels and every level of another factor there is a
bettor who starts with 1 and bets that the first level is better than the second one in that
company. If it is nowhere better, the bettor's wealth is a supermartingale: it ever reaches 1 /
alpha with chance at most alpha.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.agent.dump import pack, unpack
from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.errors import InvalidInputError

PRIOR, STAKE = (
    0.5,
    0.9,
)  # two imagined gains of one half; the largest stake, of 1 that would be safe
LARGEST = 10**6  # bettors


class Bets(NamedTuple):
    """The bettors of one factor of K levels; C is the number of levels of all factors, and one for
    any company.
    """

    wealth: Floats  # (K, K, C + 1) its logarithm, of "the first level is better than the second"
    total: Floats  # (K, K, C + 1) sum of gains
    squares: Floats  # (K, K, C + 1) sum of their squares


class InteractionTest:
    """All bettors of an agent; `columns` are the factors watched, each in the company of all
    others.
    """

    def __init__(self, sizes: Ints, columns: tuple[int, ...]) -> None:
        self.sizes = [int(size) for size in sizes]
        self.columns = columns
        self.start = np.concatenate([[0], np.cumsum(sizes)])
        places = int(self.start[-1]) + 1

        if sum(self.sizes[l] ** 2 for l in columns) * places > LARGEST:
            raise InvalidInputError(
                "diagnostics=True keeps a number per pair of levels and level of another factor; "
                "for "
                f"{' x '.join(map(str, self.sizes))} levels these are more than {LARGEST:,}"
            )

        self.bets = [
            Bets(*(np.zeros((self.sizes[l], self.sizes[l], places)) for _ in Bets._fields))
            for l in columns
        ]
        self._contexts = [
            np.delete(np.arange(len(self.sizes) + 1), l) for l in columns
        ]  # all others, and any company
        self.seen = np.zeros((2, places))  # plays in each company, and the sum of their rewards

    def learn(self, actions: Ints, rewards: Floats) -> None:
        """A block in which every column is in random order; rewards from 0 to 1."""
        left = [
            np.bincount(column, minlength=size)
            for column, size in zip(actions.T, self.sizes, strict=True)
        ]
        for action, reward in zip(actions, rewards, strict=True):
            context = np.append(self.start[:-1] + action, self.start[-1])
            surprise = reward - (self.seen[1, context] + 0.5) / (self.seen[0, context] + 1.0)
            for bets, l, others in zip(self.bets, self.columns, self._contexts, strict=True):
                _bet(bets, int(action[l]), left[l], context[others], surprise[others])
            for counts, level in zip(left, action, strict=True):
                counts[level] -= 1
            self.seen[0, context] += 1.0
            self.seen[1, context] += reward

    def worst(self, at: int) -> Iterator[tuple[float, int, int]]:
        """Per level of the factor at this place of `columns`: its p_value, by which level, in which
        company.

        The p_value is the chance, at most, that a level which is nowhere behind would ever be as
        much behind; the bettors against it share it, and so do the factors.
        """
        bets = self.bets[at]
        l = self.columns[at]
        size = self.sizes[l]
        places = int(self.start[-1]) + 1
        bettors = (size - 1) * (places - size) * len(self.columns)

        for level in range(size):
            against = bets.wealth[:, level]
            winner, context = np.unravel_index(int(against.argmax()), against.shape)
            p_value = (
                math.exp(min(0.0, math.log(bettors) - against[winner, context]))
                if size > 1
                else 1.0
            )
            yield p_value, int(winner), int(context)

    def document(self) -> dict[str, Any]:
        """Everything, as JSON can hold it."""
        return {
            "seen": pack(self.seen),
            "bets": [[pack(array) for array in bets] for bets in self.bets],
        }

    def restore(self, document: dict[str, Any]) -> None:
        """What `document` described."""
        self.seen[:] = unpack(document["seen"], "seen", self.seen.dtype, self.seen.shape)
        for bets, saved in zip(self.bets, document["bets"], strict=True):
            for array, text in zip(bets, saved, strict=True):
                array[:] = unpack(text, "bets", array.dtype, array.shape)


def _bet(bets: Bets, level: int, left: Ints, context: Ints, surprise: Floats) -> None:
    """The play of `level`, while these are `left`: every other level that is left could have stood
    in its place.
    """
    rivals: Bools = left > 0
    rivals[level] = False
    others = np.flatnonzero(rivals)
    if len(others) == 0:
        return
    probability = left[others] / (
        left[others] + left[level]
    )  # of the other one, if it was to be one of the two
    gain = probability[:, None] * surprise
    ours = (level, others[:, None], context)
    theirs = (others[:, None], level, context)
    total = bets.total[ours]
    squares = bets.squares[ours]
    stake = np.clip(total / (squares + PRIOR), -STAKE, STAKE)
    grown = np.log1p(stake * gain)
    bets.wealth[ours] += np.where(stake > 0.0, grown, 0.0)
    bets.wealth[theirs] += np.where(stake < 0.0, grown, 0.0)
    bets.total[ours] += gain
    bets.total[theirs] -= gain
    bets.squares[ours] += gain * gain
    bets.squares[theirs] += gain * gain
