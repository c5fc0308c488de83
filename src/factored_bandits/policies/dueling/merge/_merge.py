"""Divide and conquer (MergeRUCB, Zoghi 2015; MergeDTS, Li 2020): arms duel in small batches, which
merge as arms go.

Batches take turns. An arm leaves for good when another one of its batch beats it with high confidence,
u_ij < 1/2 with u_ij = q_ij + sqrt(alpha log(t + C) / N_ij); one at a time, so that a cycle cannot
empty a batch. When half of the arms are gone, small batches are joined with large ones, to between
1/2 and 3/2 of the batch size; and so on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import shuffle_column
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import FOREVER
from factored_bandits.policies.blocks.duels import check_positive, check_size, deficit, record

ARM, ARM_SCRATCH, START, LENGTH, RANK, LENGTH_SCRATCH = 0, 1, 2, 3, 4, 5  # columns of State.groups
BATCHES, LEFT, STAGE = 0, 1, 2  # places in State.counts


class Params(NamedTuple):
    """`alpha` under the root; arms in a `batch`; chance of `failure` that the bounds allow (the
    papers take 1 / T).
    """

    alpha: float = 1.01
    batch: int = 4
    failure: float = 0.01


class State(NamedTuple):
    """Records of all pairs, and which arms are left in which batch."""

    wins: Floats  # (K, K) of row over column, a tie counts one half
    active: Bools  # (K,) who is left
    # (K, 6) arms, batch by batch, and scratch; per batch its start, its length, its rank, and
    # scratch
    groups: Ints
    counts: Ints  # (3,) batches; arms left; stage, 0 before the first round
    delay: Floats  # (1,) C, added to the round inside the logarithm


def begin(policy: str, params: Params, arms: int) -> State:
    """Nothing known. Batches of about the size asked for; they are drawn at the first round."""
    alpha, batch, failure = params
    check_size(policy, arms, matrices=1)
    check_positive(policy, batch=batch, failure=failure)
    if alpha <= 0.5:
        raise InvalidInputError(f"{policy}: alpha must exceed 0.5, not {alpha!r}")
    batches = max(1, int(arms / batch + 0.5))
    groups = np.zeros((arms, 6), dtype=np.int64)
    groups[:, ARM] = np.arange(arms)
    edges = np.arange(batches + 1) * arms // batches
    groups[:batches, START], groups[:batches, LENGTH] = edges[:-1], np.diff(edges)
    delay = ((4.0 * alpha - 1.0) * arms**2 / ((2.0 * alpha - 1.0) * failure)) ** (
        1.0 / (2.0 * alpha - 1.0)
    )
    counts = np.array([batches, arms, 0])

    return State(
        np.zeros((arms, arms)), np.ones(arms, dtype=np.bool_), groups, counts, np.array([delay])
    )


@kernel
def regroup(state: State, batch: int, rng: np.random.Generator) -> None:
    """Draw the batches at the first round; merge them when the number of arms has halved."""
    groups = state.groups
    counts = state.counts

    if counts[STAGE] == 0:
        counts[STAGE] = 1
        shuffle_column(rng, groups, ARM, len(groups))

    if counts[BATCHES] > 1 and counts[LEFT] * 2 ** counts[STAGE] <= len(groups):
        counts[STAGE] += 1
        rank_batches(state, rng)
        merge(state, batch)


@kernel
def rank_batches(state: State, rng: np.random.Generator) -> None:
    """Ranks by length, random among equals."""
    groups = state.groups
    batches = state.counts[BATCHES]
    for b in range(batches):
        groups[b, RANK] = b
    shuffle_column(rng, groups, RANK, batches)
    for k in range(1, batches):
        moved = groups[k, RANK]
        place = k
        while place > 0 and groups[groups[place - 1, RANK], LENGTH] > groups[moved, LENGTH]:
            groups[place, RANK] = groups[place - 1, RANK]
            place -= 1
        groups[place, RANK] = moved


@kernel
def merge(state: State, batch: int) -> None:
    """The smallest with the largest as long as both fit into 3/2 of the batch size; the rest alone."""
    groups = state.groups
    counts = state.counts
    low = 0
    high = counts[BATCHES] - 1
    batches = 0
    filled = 0

    while low <= high:
        begin = filled
        small = groups[low, RANK]
        large = groups[high, RANK]
        filled = copy_batch(groups, large, filled)
        if low < high and 2 * (groups[small, LENGTH] + groups[large, LENGTH]) <= 3 * batch:
            filled = copy_batch(groups, small, filled)
            low += 1
        high -= 1
        groups[batches, LENGTH_SCRATCH] = filled - begin
        batches += 1

    counts[BATCHES] = batches
    filled = 0
    for k in range(counts[LEFT]):
        groups[k, ARM] = groups[k, ARM_SCRATCH]
    for b in range(batches):
        groups[b, START], groups[b, LENGTH] = filled, groups[b, LENGTH_SCRATCH]
        filled += groups[b, LENGTH]


@kernel
def copy_batch(groups: Ints, b: int, filled: int) -> int:
    """The arms of batch b into the scratch column; returns how far it is filled."""
    for k in range(groups[b, LENGTH]):
        groups[filled + k, ARM_SCRATCH] = groups[groups[b, START] + k, ARM]
    return filled + groups[b, LENGTH]


@kernel
def join_next(state: State, b: int) -> int:
    """An arm alone in its batch joins the next batch; returns the number of that batch."""
    groups = state.groups
    counts = state.counts
    if groups[b, LENGTH] > 1 or counts[BATCHES] == 1:
        return b
    arm = groups[groups[b, START], ARM]
    target = (b + 1) % counts[BATCHES]
    filled = 0

    for other in range(counts[BATCHES]):
        begin = filled
        if other != b:
            filled = copy_batch(groups, other, filled)
        if other == target:
            groups[filled, ARM_SCRATCH] = arm
            filled += 1
        groups[other, LENGTH_SCRATCH] = filled - begin

    counts[BATCHES] -= 1
    for k in range(filled):
        groups[k, ARM] = groups[k, ARM_SCRATCH]
    filled = 0
    for other in range(counts[BATCHES]):
        groups[other, START] = filled
        groups[other, LENGTH] = groups[other if other < b else other + 1, LENGTH_SCRATCH]
        filled += groups[other, LENGTH]

    return target if target < b else target - 1


@kernel
def weakest(state: State, b: int, level: float) -> int:
    """The place in batch b of an arm that another one of it beats with high confidence, level = alpha
    log(t + C); or -1.
    """
    groups = state.groups
    wins = state.wins
    start = groups[b, START]
    length = groups[b, LENGTH]

    for k in range(length):
        for other in range(length):
            if deficit(wins, groups[start + k, ARM], groups[start + other, ARM]) > level:
                return k

    return -1


@kernel
def remove(state: State, b: int, place: int) -> None:
    """An arm leaves; the last of its batch takes its place."""
    groups = state.groups
    counts = state.counts
    at = groups[b, START] + place
    last = groups[b, START] + groups[b, LENGTH] - 1
    state.active[groups[at, ARM]] = False
    groups[at, ARM] = groups[last, ARM]
    groups[b, LENGTH] -= 1
    counts[LEFT] -= 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The record of the pair."""
    if actions[0, 0] != actions[0, 1]:
        record(state.wins, actions[0, 0], actions[0, 1], rewards[0])


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """The last arm duels itself for ever."""
    return FOREVER if state.counts[LEFT] == 1 else 0


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The arm with the largest share of duels won, among those left; in both places."""
    wins = state.wins
    best = 0
    largest = -1.0

    for i in range(len(state.active)):
        if state.active[i]:
            won = 0.5
            duels = 1.0
            for j in range(len(state.active)):
                won += wins[i, j]
                duels += wins[i, j] + wins[j, i]
            if won / duels > largest:
                best = i
                largest = won / duels

    action[0] = best
    action[1] = best


@kernel
def active_sets(params: Params, state: State) -> tuple[Bools, int]:
    """Who is left, and how many are not."""
    return state.active, len(state.active) - state.counts[LEFT]


def warm_start(params: Params, state: State, wins: Floats) -> None:
    """Past duels count like duels played, for arms that share a batch at some time."""
    state.wins[:] += wins


def confidence(params: Params, state: State, t: int) -> float:
    """What the bounds promise, once one arm is left."""
    return 1.0 - params.failure if state.counts[LEFT] == 1 else 0.0
