"""Bets on which level is better in which context: what `Agent.diagnose` reads.

For every factor, every ordered pair of its levels and every level of another factor there is a
bettor. It starts with wealth 1 and bets that the first level is better than the second one while
the other factor plays that level. If the first level is not better, the wealth is a
supermartingale: by Ville's inequality it ever reaches 1 / alpha with probability at most alpha.
See docs/explanation/when-it-fails.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints, offsets_of
from factored_bandits.core.limits import MOST_ROUNDS
from factored_bandits.core.packing import pack, unpack
from factored_bandits.errors import DumpError, InvalidInputError

PRIOR = 0.5  # the sum of squares before anything is seen: two imagined gains of one half
LARGEST_STAKE = 0.9  # a stake of 1 could lose everything at once
LARGEST = 10**6  # bettors


class Bets(NamedTuple):
    """The bettors of one factor of K levels.

    There are C contexts: one per level of any factor, and the last one for all plays together.
    """

    wealth: Floats  # (K, K, C) its logarithm, of "the first level is better than the second"
    total: Floats  # (K, K, C) sum of gains
    squares: Floats  # (K, K, C) sum of their squares


class Worst(NamedTuple):
    """The strongest evidence against one level."""

    p_value: float
    winner: int  # the level that is better
    context: int  # the context in which it is


class InteractionTest:
    """All bettors of an agent; `columns` are the factors tested, each in every context."""

    def __init__(self, sizes: Ints, columns: tuple[int, ...]) -> None:
        self.sizes = [int(size) for size in sizes]
        self.columns = columns
        self.offsets = offsets_of(sizes)
        self.contexts = int(self.offsets[-1]) + 1

        if sum(self.sizes[l] ** 2 for l in columns) * self.contexts > LARGEST:
            raise InvalidInputError(
                "diagnostics=True keeps a number per pair of levels and level of another factor; "
                f"for {' x '.join(map(str, self.sizes))} levels these are more than {LARGEST:,}"
            )

        self.bets = [self._no_bets(self.sizes[l]) for l in columns]
        # per tested factor: the columns of a context vector that do not depend on itself
        self._others = [np.delete(np.arange(len(self.sizes) + 1), l) for l in columns]
        # plays in each context, and the sum of their rewards
        self.seen = np.zeros((2, self.contexts))

    def _no_bets(self, size: int) -> Bets:
        return Bets(*(np.zeros((size, size, self.contexts)) for _ in Bets._fields))

    def learn(self, actions: Ints, rewards: Floats) -> None:
        """Take a block in which every column is in random order; rewards from 0 to 1."""
        left = [
            np.bincount(column, minlength=size)
            for column, size in zip(actions.T, self.sizes, strict=True)
        ]

        for action, reward in zip(actions, rewards, strict=True):
            context = np.append(self.offsets[:-1] + action, self.offsets[-1])
            plays, total = self.seen[:, context]
            surprise = reward - (total + 0.5) / (plays + 1.0)

            for bets, l, others in zip(self.bets, self.columns, self._others, strict=True):
                _bet(bets, int(action[l]), left[l], context[others], surprise[others])

            for counts, level in zip(left, action, strict=True):
                counts[level] -= 1
            self.seen[0, context] += 1.0
            self.seen[1, context] += reward

    def worst(self, row: int) -> Iterator[Worst]:
        """Per level of a factor (`row` of `columns`) the strongest evidence against it.

        The p-value bounds the probability that a level which is nowhere worse ever looks so bad.
        It is a union bound over the bettors against the level, and over the factors.
        """
        bets = self.bets[row]
        size = self.sizes[self.columns[row]]
        bettors = (size - 1) * (self.contexts - size) * len(self.columns)

        for level in range(size):
            against = bets.wealth[:, level]
            winner, context = np.unravel_index(int(against.argmax()), against.shape)
            p_value = 1.0
            if size > 1:
                p_value = math.exp(min(0.0, math.log(bettors) - against[winner, context]))
            yield Worst(p_value, int(winner), int(context))

    def document(self) -> dict[str, Any]:
        """Everything, as JSON can hold it."""
        return {
            "seen": pack(self.seen),
            "bets": [[pack(array) for array in bets] for bets in self.bets],
        }

    def restore(self, document: dict[str, Any]) -> None:
        """Take over what `document` described."""
        self.seen[:] = unpack(document["seen"], "seen", self.seen.dtype, self.seen.shape)
        for bets, saved in zip(self.bets, document["bets"], strict=True):
            for array, text in zip(bets, saved, strict=True):
                array[:] = unpack(text, "bets", array.dtype, array.shape)
        self._check()

    def _check(self) -> None:
        """Refuse numbers that no rewards from 0 to 1 can have led to."""
        plays, total = self.seen
        possible = (plays >= 0.0) & (total >= 0.0) & (total <= plays) & (plays <= MOST_ROUNDS)
        good = possible.all()
        for bets in self.bets:
            good &= all((np.abs(array) <= MOST_ROUNDS).all() for array in bets)
            good &= (bets.squares >= 0.0).all()
        if not good:
            raise DumpError("the dump is damaged: its diagnostics do not come from rewards")


def _bet(bets: Bets, level: int, left: Ints, context: Ints, surprise: Floats) -> None:
    """Bet on the play of `level`, against every other level that is left in the block.

    Since the block is in random order, any of those could have been played instead.
    """
    rivals: Bools = left > 0
    rivals[level] = False
    others = np.flatnonzero(rivals)
    if len(others) == 0:
        return

    # the probability of the other level, given that one of the two is played
    probability = left[others] / (left[others] + left[level])
    gain = probability[:, None] * surprise

    ours = (level, others[:, None], context)
    theirs = (others[:, None], level, context)
    total = bets.total[ours]
    squares = bets.squares[ours]

    # the two bettors of a pair are mirror images: the one with a positive stake bets
    stake = np.clip(total / (squares + PRIOR), -LARGEST_STAKE, LARGEST_STAKE)
    grown = np.log1p(stake * gain)
    bets.wealth[ours] += np.where(stake > 0.0, grown, 0.0)
    bets.wealth[theirs] += np.where(stake < 0.0, grown, 0.0)
    bets.total[ours] += gain
    bets.total[theirs] -= gain
    bets.squares[ours] += gain * gain
    bets.squares[theirs] += gain * gain
