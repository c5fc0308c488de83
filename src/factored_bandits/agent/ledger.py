"""Which plays were planned, given out, answered and learned; it knows nothing of policies."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.packing import pack, unpack
from factored_bandits.errors import DecisionError, DumpError

REMEMBERED = 1000  # expired ids, for a precise answer to whoever answers too late


@dataclass(eq=False)
class Block:
    """Plays that were planned together and will be learned together."""

    start: int  # the round of the first play, which is its id too
    actions: Ints  # (n, columns)
    probabilities: Floats | None  # (n, columns) of the level chosen, just before the choice
    rewards: Floats  # (n,), or (n, factors) of semi-bandit outcomes; NaN until settled
    missing: int  # how many are not settled


@dataclass(eq=False)
class Ledger:
    """Plays are numbered from 1; those up to `asked` were given out, up to `learned` learned."""

    outcomes: int = 0  # how many outcomes a play has; 0: one reward
    asked: int = 0
    learned: int = 0
    # planned and not learned, in the order of planning
    blocks: deque[Block] = field(default_factory=deque)
    # by id, ascending: given out and not settled
    waiting: dict[int, Block] = field(default_factory=dict)
    expired: deque[int] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    @property
    def planned(self) -> int:
        """The last round that has a plan."""
        if not self.blocks:
            return self.learned
        last = self.blocks[-1]
        return last.start + len(last.rewards) - 1

    def open(self, actions: Ints, probabilities: Floats | None) -> None:
        """Put a new block, unanswered, behind all others."""
        count = len(actions)
        rewards = np.full((count, self.outcomes) if self.outcomes else count, math.nan)
        self.blocks.append(Block(self.planned + 1, actions, probabilities, rewards, count))

    def give_out(self) -> tuple[Block, int]:
        """The next planned play: its block and its row there."""
        block = self.blocks[-1]
        self.asked += 1
        self.waiting[self.asked] = block
        return block, self.asked - block.start

    def check(self, identifier: int) -> None:
        """Raise an error unless the decision was given out and is not settled."""
        if not isinstance(identifier, (int, np.integer)) or not 1 <= identifier <= self.asked:
            raise DecisionError(
                f"decision {identifier!r} was never given out; ids are whole numbers, so far from "
                f"1 to {self.asked}"
            )

        if identifier in self.waiting:
            return
        if identifier in self.expired:
            raise DecisionError(
                f"decision {identifier} has expired: the default reward stands in for its answer"
            )

        detail = "answered already"
        if len(self.expired) == REMEMBERED and identifier < self.expired[0]:
            detail = "settled already: it was answered, or expired long ago"
        raise DecisionError(f"decision {identifier} is {detail}; a decision takes one reward")

    def settle(self, identifier: int, reward: float | Floats) -> None:
        """Write the reward of a decision that waits."""
        block = self.waiting.pop(identifier)
        block.rewards[identifier - block.start] = reward
        block.missing -= 1

    def ready(self) -> Iterator[Block]:
        """Take out the blocks that can be learned: complete, with only complete ones before."""
        while self.blocks and self.blocks[0].missing == 0:
            block = self.blocks.popleft()
            self.learned += len(block.rewards)
            yield block

    def document(self) -> dict[str, Any]:
        """Everything, as JSON can hold it."""
        blocks = self.blocks
        known = [block.probabilities for block in blocks if block.probabilities is not None]
        return {
            "asked": self.asked,
            "learned": self.learned,
            "lengths": [len(block.rewards) for block in blocks],
            "actions": _packed([block.actions for block in blocks]),
            "rewards": _packed([block.rewards for block in blocks]),
            "probabilities": _packed(known),
            "expired": list(self.expired),
        }


def _packed(arrays: list[Any]) -> dict[str, Any] | None:
    return pack(np.concatenate(arrays)) if arrays else None


def restored(document: dict[str, Any], sizes: Ints, outcomes: int) -> Ledger:
    """The ledger that `document` describes, of plays with this many outcomes."""
    asked = document["asked"]
    learned = document["learned"]
    lengths = document["lengths"]
    expired = document["expired"]

    counters = (asked, learned, *lengths, *expired)
    if not all(isinstance(n, int) for n in counters) or min([1, *lengths]) < 1:
        raise DumpError("the dump is damaged: its counters are not whole numbers")

    ledger = Ledger(outcomes=outcomes, asked=asked, learned=learned)
    total = sum(lengths)
    if not 0 <= learned <= asked <= learned + total:
        raise DumpError("the dump is damaged: its counters contradict its blocks")

    ledger.expired.extend(expired)
    if not lengths:
        return ledger

    floats = np.dtype(np.float64)
    columns = (total, len(sizes))
    shape = (total, outcomes) if outcomes else (total,)
    actions = unpack(document["actions"], "actions", np.dtype(np.int64), columns)
    rewards = unpack(document["rewards"], "rewards", floats, shape)
    probabilities = None
    if document["probabilities"] is not None:
        probabilities = unpack(document["probabilities"], "probabilities", floats, columns)

    possible = ((actions >= 0) & (actions < sizes)).all()
    if not possible or not np.isnan(rewards[asked - learned :]).all():
        raise DumpError("the dump is damaged: its open blocks hold plays that cannot be")

    _refill(ledger, lengths, actions, rewards, probabilities)
    return ledger


def _refill(
    ledger: Ledger, lengths: list[int], actions: Ints, rewards: Floats, probabilities: Floats | None
) -> None:
    first = 0
    for length in lengths:
        rows = slice(first, first + length)
        known = None if probabilities is None else probabilities[rows].copy()
        ledger.open(actions[rows].copy(), known)
        block = ledger.blocks[-1]
        block.rewards[:] = rewards[rows]

        unsettled = np.flatnonzero(np.isnan(block.rewards.reshape(length, -1)).any(axis=1))
        block.missing = len(unsettled)
        for row in unsettled:
            identifier = block.start + int(row)
            if identifier <= ledger.asked:
                ledger.waiting[identifier] = block

        first += length
