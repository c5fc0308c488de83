"""Rows that were planned together: a block is one step of the proof, not each of its rows.

Within a block the next row is not as random as its propensity says, given the rows before: `tea`
plays every active level once before any comes again. But propensities are right given everything
before the block, so that the sum over its rows is what the bound needs. A level that is active in a
block is played in it; so the rows tell in which blocks a level could be played: where the
propensities of the levels played add up to 1, no other could.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.errors import InvalidInputError
from factored_bandits.inference.mean_bounds import Process
from factored_bandits.logs import Log

CLOSE = 1e-9


class Blocks(NamedTuple):
    """Which block each row belongs to, counted from 0 without gaps, and how long a block can be."""

    block: Ints  # (rows,)
    longest: int

    def process(self, values: Floats, low: float, high: float, scale: float) -> Process:
        """The sums over blocks, with forecasts of a row's mean between `low` and `high`."""
        sums: Floats = np.bincount(self.block, weights=values).astype(np.float64)
        lengths = np.bincount(self.block).astype(np.float64)
        before = np.cumsum(sums) - sums + 0.5 * (low + high)
        forecasts = np.clip(before / (np.cumsum(lengths) - lengths + 1.0), low, high)
        return Process(sums, forecasts * lengths, scale * self.longest, len(values))


def blocks_of(log: Log) -> Blocks | None:
    """The blocks of a log; None if every row was drawn anew."""
    if log.blocks is None:
        return None
    index = np.cumsum(np.diff(log.blocks, prepend=log.blocks[:1]) != 0)
    lengths = np.bincount(index)
    if lengths.max() == 1:
        return None
    return Blocks(index, int(max(lengths.max(), log.sizes.max())))


def possible(log: Log, blocks: Blocks, wanted: tuple[Bools | None, ...]) -> Bools:
    """The rows of blocks in which all wanted levels could be played.

    An error if that cannot be told, but for the last block, which may have been cut off.
    """
    if log.propensities is None:
        raise InvalidInputError("rows that were planned in blocks need a propensity per factor")

    last = int(blocks.block[-1])
    could = np.ones(last + 1, dtype=bool)
    for column, levels in enumerate(wanted):
        if levels is None:
            continue
        # per block and level the propensity, 0 where it was not played
        table = np.zeros((last + 1, len(levels)))
        table[blocks.block, log.actions[:, column]] = log.propensities[:, column]
        unknown = np.abs(table.sum(axis=1) - 1.0) > CLOSE
        could[last] &= not unknown[last]
        unknown[last] = False
        if unknown.any():
            row = int(np.argmax(unknown[blocks.block])) + 1
            raise InvalidInputError(
                f"the propensities of {list(log.factors)[column]!r} in the block that begins in "
                f"row {row} do not add up to 1 over the levels played in it: rows are missing, or "
                "the policy did not play all that it could"
            )
        could &= (table[:, levels] > 0.0).all(axis=1)
    return could[blocks.block]
