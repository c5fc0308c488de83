"""Which plays were planned, given out, answered and learned; it knows nothing of policies."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.errors import DecisionError

from .column import BITS, LAST, ROWS, Column

DROPPED = math.inf  # instead of a reward: nothing is to be learned
REMEMBERED = 1000  # expired ids, for a precise answer to whoever answers too late


# the levels of a play, and the probability of each; None if the policy does not know it
Play = tuple[tuple[int, ...], tuple[float, ...] | None]


class Block(NamedTuple):
    """Plays that were planned together and are learned together."""

    start: int  # the round of the first play, which is its id too
    actions: Ints  # (n, columns), in the narrowest type
    rewards: Floats  # (n,), or (n, factors) of semi-bandit outcomes


@dataclass(slots=True)
class Counters:
    """All that changes in a ledger beside its columns: what it takes to undo a call."""

    asked: int = 0  # plays up to this one were given out
    learned: int = 0  # plays up to this one are learned
    planned: int = 0  # plays up to this one have a plan
    waiting: int = 0  # how many were given out and are not settled
    first_block: int = 0  # the number of the oldest block that is not learned
    next_block: int = 0  # the number that the next block will have
    block_end: int = 0  # the last play of the oldest block that is not learned
    missing: int = 0  # how many plays of that block are not settled
    oldest: int = 1  # no play before this one is waiting
    longest_delay: int = 0  # the most rounds that an answer ever took

    def copy(self) -> Counters:
        """The same numbers, to return to."""
        return Counters(
            self.asked,
            self.learned,
            self.planned,
            self.waiting,
            self.first_block,
            self.next_block,
            self.block_end,
            self.missing,
            self.oldest,
            self.longest_delay,
        )


class Ledger:
    """Plays are numbered from 1; those between `learned` and `planned` are kept, in columns.

    A play costs some forty bytes until it is learned, however many there are.

    Parameters
    ----------
    sizes
        The number of levels in each column of an action.
    outcomes
        How many outcomes a play has; 0: one reward.
    """

    def __init__(self, sizes: Ints, outcomes: int = 0) -> None:
        self.counters = Counters()
        self.columns = len(sizes)
        self.outcomes = outcomes
        self.actions = Column(np.min_scalar_type(int(max(sizes)) - 1), self.columns)
        self.probabilities: Column | None = None  # of the level chosen, just before the choice
        self.rewards = Column(np.float64, outcomes, blank=math.nan)  # NaN until settled
        # when a play was given out, in seconds; NaN: not known
        self.times = Column(np.float64, blank=math.nan)
        self.lengths = Column(np.int64)  # by block
        self.expired: deque[int] = deque(maxlen=REMEMBERED)
        self._shown: tuple[int, list[Play]] = (0, [])  # plays from this one on; see `play`
        self._room = 0  # the columns have room for plays up to this one
        self._forgotten = 0  # chunks before this one are gone
        self._settled: list[int] = []  # in this call
        self._expired_before: list[int] | None = None

    @property
    def asked(self) -> int:
        """How many plays were given out."""
        return self.counters.asked

    @property
    def learned(self) -> int:
        """How many plays are learned."""
        return self.counters.learned

    @property
    def planned(self) -> int:
        """The last round that has a plan."""
        return self.counters.planned

    def last_block(self) -> int:
        """The first play of the block that was planned last."""
        return self.planned - int(self.lengths[self.counters.next_block - 1]) + 1

    def blocks(self) -> Iterator[range]:
        """The plays of each block that is not learned, the oldest first."""
        first = self.counters.learned + 1
        for block in range(self.counters.first_block, self.counters.next_block):
            length = int(self.lengths[block])
            yield range(first, first + length)
            first += length

    # ------------------------------------------------------------ one call, as a whole or not

    def begin(self) -> Counters:
        """What `undo` takes to return to this moment; what is learned is forgotten for good."""
        chunk = (self.counters.learned + 1) >> BITS
        if chunk > self._forgotten:
            self._forget()
            self._forgotten = chunk

        self._settled = []
        self._expired_before = None
        return self.counters.copy()

    def _forget(self) -> None:
        first = self.counters.learned + 1
        self.actions.forget(first)
        self.rewards.forget(first)
        self.times.forget(first)
        self.lengths.forget(self.counters.first_block)
        if self.probabilities is not None:
            self.probabilities.forget(first)

    def undo(self, counters: Counters) -> None:
        """Return to the moment of `begin`; can be interrupted and repeated."""
        for play in self._settled:
            self.rewards[play] = math.nan
        if self._expired_before is not None:
            self.expired = deque(self._expired_before, maxlen=REMEMBERED)
        self._shown = (0, [])
        self.counters = counters

    # ------------------------------------------------------------ from plan to learned

    def open(self, actions: Ints, probabilities: Floats | None) -> None:
        """Put a new block, unanswered, behind all others."""
        counters = self.counters
        length = len(actions)
        first = counters.planned + 1
        last = counters.planned + length

        if last > self._room:
            self._make_room(first, last)
        self.actions.write(first, actions)
        self.lengths[counters.next_block] = length
        if probabilities is not None:
            if self.probabilities is None:
                self.probabilities = Column(np.float64, self.columns)
                self.probabilities.reach(first, self._room)
            self.probabilities.write(first, probabilities)

        if counters.first_block == counters.next_block:
            counters.block_end = last
            counters.missing = length
        counters.planned = last
        counters.next_block += 1

    def _make_room(self, first: int, last: int) -> None:
        """Room for plays up to the end of a chunk; there are not more blocks than plays."""
        for column in (self.actions, self.rewards, self.times, self.probabilities):
            if column is not None:
                column.reach(first, last)

        block = self.counters.next_block
        self.lengths.reach(block, block + ROWS)
        self._room = last | LAST

    def give_out(self, now: float) -> int:
        """The id of the next planned play, given out now."""
        counters = self.counters
        counters.asked += 1
        counters.waiting += 1
        self.times[counters.asked] = now
        return counters.asked

    def play(self, play: int) -> Play:
        """A play that is not learned; those planned with it are likely to be asked for next."""
        first, rows = self._shown
        if not first <= play < first + len(rows):
            first = play
            rows = self._rows(play, max(self.planned - play + 1, 1))
            self._shown = (first, rows)
        return rows[play - first]

    def _rows(self, first: int, count: int) -> list[Play]:
        actions = map(tuple, self.actions.read(first, count).tolist())
        if self.probabilities is None:
            return [(action, None) for action in actions]
        known = self.probabilities.read(first, count).tolist()
        return [(action, tuple(row)) for action, row in zip(actions, known, strict=True)]

    def settle(self, play: int, reward: float | Floats, *, answered: bool = True) -> None:
        """Write the reward of a play that waits; `answered` is False for a default reward."""
        if not answered:
            if self._expired_before is None:
                self._expired_before = list(self.expired)
            self.expired.append(play)

        self._settled.append(play)
        self.rewards[play] = reward

        counters = self.counters
        counters.waiting -= 1
        if play <= counters.block_end:
            counters.missing -= 1
        if answered:
            counters.longest_delay = max(counters.longest_delay, counters.asked - play)

    def ready(self) -> Block | None:
        """The oldest block, if it is complete; it is to be learned, and then `advance`."""
        counters = self.counters
        if counters.missing > 0 or counters.first_block == counters.next_block:
            return None

        start = counters.learned + 1
        length = counters.block_end - counters.learned
        return Block(start, self.actions.read(start, length), self.rewards.read(start, length))

    def advance(self) -> None:
        """Count the oldest block as learned."""
        counters = self.counters
        counters.learned = counters.block_end
        counters.first_block += 1
        self.recount()

    def recount(self) -> None:
        """Count the plays of the oldest block that are not settled; most were not given out."""
        counters = self.counters
        counters.missing = 0
        if counters.first_block < counters.next_block:
            length = int(self.lengths[counters.first_block])
            counters.block_end = counters.learned + length
            given_out = min(counters.asked - counters.learned, length)
            counters.missing = length - given_out
            if given_out > 0 and counters.waiting > 0:
                open_ones = self._are_open(counters.learned + 1, given_out)
                counters.missing += int(np.count_nonzero(open_ones))

    # ------------------------------------------------------------ what waits

    def check(self, identifier: int) -> None:
        """Raise an error unless the decision was given out and is not settled."""
        if not isinstance(identifier, (int, np.integer)) or not 1 <= identifier <= self.asked:
            raise DecisionError(
                f"decision {identifier!r} was never given out; ids are whole numbers, so far from "
                f"1 to {self.asked}"
            )

        if self.is_waiting(identifier):
            return
        if identifier in self.expired:
            raise DecisionError(f"decision {identifier} has expired: no answer is taken any more")

        detail = "answered already"
        if len(self.expired) == REMEMBERED and identifier < self.expired[0]:
            detail = "settled already: it was answered, or expired long ago"
        raise DecisionError(f"decision {identifier} is {detail}; a decision takes one reward")

    def is_waiting(self, play: int) -> bool:
        """Whether a play was given out and is not settled."""
        counters = self.counters
        known = isinstance(play, (int, np.integer)) and counters.learned < play <= counters.asked
        if not known:
            return False
        reward = self.rewards[play]
        return math.isnan(reward[0] if self.outcomes else reward)

    def waiting(self) -> Iterator[int]:
        """The plays that wait, in ascending order."""
        play = max(self.counters.oldest, self.learned + 1)
        while play <= self.asked:
            after = min(((play >> BITS) + 1) << BITS, self.asked + 1)
            yield from (np.flatnonzero(self._are_open(play, after - play)) + play).tolist()
            play = after

    def oldest(self) -> int | None:
        """The oldest play that waits; None if none does."""
        if self.counters.waiting == 0:
            return None

        # a play is settled for good, so the search goes on where the last one ended
        if not self.is_waiting(self.counters.oldest):
            self.counters.oldest = next(self.waiting())
        return self.counters.oldest

    def _are_open(self, first: int, count: int) -> Bools:
        """Of each of `count` plays from `first` on whether it is not settled."""
        rewards = self.rewards.read(first, count)
        return np.isnan(rewards[:, 0] if self.outcomes else rewards)
