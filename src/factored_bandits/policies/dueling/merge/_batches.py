"""Batches of arms: drawn at the first round, merged when half of the arms are eliminated."""

from __future__ import annotations

import numpy as np

from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import shuffle

from ._merge import BATCHES, LEFT, STAGE, State


@kernel
def regroup(state: State, batch: int, rng: np.random.Generator) -> None:
    """Draw the batches at the first round; merge them when the number of arms has halved."""
    counts = state.counts
    arms = len(state.members)

    if counts[STAGE] == 0:
        counts[STAGE] = 1
        shuffle(rng, state.members, arms)

    # at most K / 2^stage arms are left
    if counts[BATCHES] > 1 and counts[LEFT] * 2 ** counts[STAGE] <= arms:
        counts[STAGE] += 1
        rank_batches(state, rng)
        merge(state, batch)


@kernel
def rank_batches(state: State, rng: np.random.Generator) -> None:
    """The batches by length, in random order among equals (insertion sort)."""
    ranks = state.ranks
    lengths = state.lengths
    batches = state.counts[BATCHES]

    for b in range(batches):
        ranks[b] = b
    shuffle(rng, ranks, batches)

    for k in range(1, batches):
        moved = ranks[k]
        slot = k
        while slot > 0 and lengths[ranks[slot - 1]] > lengths[moved]:
            ranks[slot] = ranks[slot - 1]
            slot -= 1
        ranks[slot] = moved


@kernel
def merge(state: State, batch: int) -> None:
    """The smallest with the largest while both fit into 3/2 of the batch size; the rest alone."""
    lengths = state.lengths
    low = 0
    high = state.counts[BATCHES] - 1
    batches = 0
    filled = 0

    while low <= high:
        begin = filled
        small = state.ranks[low]
        large = state.ranks[high]
        filled = copy_batch(state, large, filled)
        if low < high and 2 * (lengths[small] + lengths[large]) <= 3 * batch:
            filled = copy_batch(state, small, filled)
            low += 1
        high -= 1
        state.new_lengths[batches] = filled - begin
        batches += 1

    state.counts[BATCHES] = batches
    adopt(state)


@kernel
def copy_batch(state: State, b: int, filled: int) -> int:
    """The arms of batch b into `new_members`; returns how far that is filled."""
    for k in range(state.lengths[b]):
        state.new_members[filled + k] = state.members[state.offsets[b] + k]
    return filled + state.lengths[b]


@kernel
def adopt(state: State) -> None:
    """The new members and lengths become those in use."""
    filled = 0
    for b in range(state.counts[BATCHES]):
        state.offsets[b] = filled
        state.lengths[b] = state.new_lengths[b]
        filled += state.lengths[b]

    for k in range(filled):
        state.members[k] = state.new_members[k]


@kernel
def join_next(state: State, b: int) -> int:
    """An arm alone in its batch joins the next batch; returns the number of that batch."""
    counts = state.counts
    if state.lengths[b] > 1 or counts[BATCHES] == 1:
        return b

    arm = state.members[state.offsets[b]]
    target = (b + 1) % counts[BATCHES]
    batches = 0
    filled = 0

    for other in range(counts[BATCHES]):
        if other != b:
            begin = filled
            filled = copy_batch(state, other, filled)
            if other == target:
                state.new_members[filled] = arm
                filled += 1
            state.new_lengths[batches] = filled - begin
            batches += 1

    counts[BATCHES] = batches
    adopt(state)
    return target if target < b else target - 1
