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

REMEMBERED = 1000  # expired ids, for a precise answer to whoever comes too late


@dataclass(eq=False)
class Block:
    """Plays that were planned together and will be learned together."""

    start: int  # the round of the first play, which is its id too
    actions: Ints  # (n, columns)
    probabilities: Floats | None  # (n, columns) of the level chosen, just before the choice
    # (n,), or (n, factors) if each has an outcome of its own; NaN until the play is settled
    rewards: Floats
    missing: int  # how many are not settled


@dataclass(eq=False)
class Ledger:
    """Plays are numbered from 1; up to `learned` all are in the policy's state, up to `asked` all
    were given out.
    """

    outcomes: int = 0  # how many outcomes a play has; 0: one reward
    asked: int = 0
    learned: int = 0
    blocks: deque[Block] = field(
        default_factory=deque
    )  # planned and not learned, in the order of planning
    waiting: dict[int, Block] = field(
        default_factory=dict
    )  # by id, ascending: given out and not settled
    expired: deque[int] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    @property
    def planned(self) -> int:
        """The last round that has a plan."""
        return (
            self.blocks[-1].start + len(self.blocks[-1].rewards) - 1
            if self.blocks
            else self.learned
        )

    def open(self, actions: Ints, probabilities: Floats | None) -> None:
        """Put a new block, unanswered, behind all others."""
        count = len(actions)
        rewards = np.full((count, self.outcomes) if self.outcomes else count, math.nan)
        self.blocks.append(Block(self.planned + 1, actions, probabilities, rewards, count))

    def give_out(self) -> tuple[Block, int]:
        """The next planned play: its block and its place there."""
        block = self.blocks[-1]
        self.asked += 1
        self.waiting[self.asked] = block
        return block, self.asked - block.start

    def check(self, identifier: int) -> None:
        """A decision that was given out and is not settled, or an error that says what it is
        instead.
        """
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

        forgotten = len(self.expired) == REMEMBERED and identifier < self.expired[0]
        detail = (
            "settled already: it was answered, or expired long ago"
            if forgotten
            else "answered already"
        )
        raise DecisionError(f"decision {identifier} is {detail}; a decision takes one reward")

    def settle(self, identifier: int, reward: float | Floats) -> None:
        """Write the reward of a decision that waits."""
        block = self.waiting.pop(identifier)
        block.rewards[identifier - block.start] = reward
        block.missing -= 1

    def ready(self) -> Iterator[Block]:
        """Take out the blocks that can be learned now: complete, with nothing incomplete before
        them.
        """
        while self.blocks and self.blocks[0].missing == 0:
            block = self.blocks.popleft()
            self.learned += len(block.rewards)
            yield block

    def document(self) -> dict[str, Any]:
        """Everything, as JSON can hold it."""
        probabilities = [
            block.probabilities for block in self.blocks if block.probabilities is not None
        ]
        return {
            "asked": self.asked,
            "learned": self.learned,
            "lengths": [len(block.rewards) for block in self.blocks],
            "actions": pack(np.concatenate([block.actions for block in self.blocks]))
            if self.blocks
            else None,
            "rewards": pack(np.concatenate([block.rewards for block in self.blocks]))
            if self.blocks
            else None,
            "chances": pack(np.concatenate(probabilities)) if probabilities else None,
            "expired": list(self.expired),
        }


def restored(document: dict[str, Any], sizes: Ints, outcomes: int) -> Ledger:
    """The ledger that `document` describes, of plays with this many outcomes."""
    asked = document["asked"]
    learned = document["learned"]
    lengths = document["lengths"]

    if (
        not all(isinstance(n, int) for n in (asked, learned, *lengths, *document["expired"]))
        or min([1, *lengths]) < 1
    ):
        raise DumpError("the dump is damaged: its counters are not whole numbers")

    ledger = Ledger(outcomes=outcomes, asked=asked, learned=learned)
    total = sum(lengths)
    if not 0 <= learned <= asked <= learned + total:
        raise DumpError("the dump is damaged: its counters contradict its blocks")
    ledger.expired.extend(document["expired"])
    if lengths:
        actions = unpack(document["actions"], "actions", np.dtype(np.int64), (total, len(sizes)))
        rewards = unpack(
            document["rewards"],
            "rewards",
            np.dtype(np.float64),
            (total, outcomes) if outcomes else (total,),
        )
        probabilities = None
        if document["chances"] is not None:
            probabilities = unpack(
                document["chances"], "chances", np.dtype(np.float64), (total, len(sizes))
            )
        if not (
            np.isnan(rewards[asked - learned :]).all()
            and ((actions >= 0) & (actions < sizes)).all()
        ):
            raise DumpError("the dump is damaged: its open blocks hold plays that cannot be")
        _refill(ledger, lengths, actions, rewards, probabilities)

    return ledger


def _refill(
    ledger: Ledger, lengths: list[int], actions: Ints, rewards: Floats, probabilities: Floats | None
) -> None:
    at = 0
    for length in lengths:
        part = slice(at, at + length)
        ledger.open(
            actions[part].copy(), None if probabilities is None else probabilities[part].copy()
        )
        block = ledger.blocks[-1]
        block.rewards[:] = rewards[part]
        open_places = np.flatnonzero(np.isnan(block.rewards.reshape(length, -1)).any(axis=1))
        block.missing = len(open_places)
        for place in open_places:
            if block.start + int(place) <= ledger.asked:
                ledger.waiting[block.start + int(place)] = block
        at += length
