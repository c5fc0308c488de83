"""What a block tells about pairs of levels, and who leads."""

from __future__ import annotations

import math

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import kl

from .state import NOBODY, State, pair_index

# blocks that a record of bets keeps when another factor's leader changes
REMEMBERED = 20.0


@kernel
def accumulate(state: State, l: int, actions: Ints, rewards: Floats) -> int:
    """Plays and sums of the levels in column l; returns how many levels stand in the block.

    Unbounded rewards are clipped onto [0, 1].
    """
    base = state.offsets[l]
    count = 0

    for row in range(len(rewards)):
        level = actions[row, l]
        if state.block_plays[base + level] == 0:
            state.block_levels[base + count] = level
            state.block_sums[base + level] = 0.0
            count += 1
        state.block_plays[base + level] += 1
        state.block_sums[base + level] += min(1.0, max(0.0, rewards[row]))

    return count


@kernel
def forget_block(state: State, l: int, count: int) -> None:
    """Leave the scratch as it was found."""
    base = state.offsets[l]
    for position in range(count):
        state.block_plays[base + state.block_levels[base + position]] = 0


@kernel
def record_pairs(state: State, l: int, count: int) -> None:
    """Add the block to the records of every pair of levels in it."""
    base = state.offsets[l]
    for position in range(count):
        i = state.block_levels[base + position]
        inverse = 1.0 / state.block_plays[base + i]
        mean = state.block_sums[base + i] * inverse
        row = pair_index(state, l, i, 0)

        for other in range(count):
            at = row + state.block_levels[base + other]
            state.blocks[at] += 1.0
            state.means[at] += mean
            state.inverse_plays[at] += inverse
            state.recent_blocks[at] += 1.0
            state.recent_means[at] += mean


@kernel
def shorten_records(state: State, l: int) -> None:
    """The context has changed: the records of bets in factor l count for less."""
    for at in range(state.pair_offsets[l], state.pair_offsets[l + 1]):
        if state.recent_blocks[at] > REMEMBERED:
            state.recent_means[at] *= REMEMBERED / state.recent_blocks[at]
            state.recent_blocks[at] = REMEMBERED


@kernel
def likelihood_ratio(
    blocks: float, means: float, inverse_plays: float, other_means: float, other_inverse: float
) -> float:
    """The log-likelihood ratio against "not behind the other"; 0 for one that is not behind.

    A level with a mean reward of p in effectively a plays, behind one with q in b plays: together
    they have the mean m, and the ratio is a kl(p, m) + b kl(q, m).

    >>> likelihood_ratio(10.0, 5.0, 10.0, 5.0, 10.0)
    0.0
    >>> round(likelihood_ratio(10.0, 2.0, 10.0, 8.0, 10.0), 6)
    3.854895
    """
    if blocks == 0.0 or means >= other_means:
        return 0.0

    p = means / blocks
    q = min(1.0, other_means / blocks)
    a = blocks * blocks / inverse_plays
    b = blocks * blocks / other_inverse
    # between p and q also after rounding
    m = min(q, max(p, (a * p + b * q) / (a + b)))
    return a * kl(p, m) + b * kl(q, m)


@kernel
def evidence_behind(state: State, l: int, i: int, j: int) -> float:
    """By which likelihood ratio level i of factor l is behind level j."""
    own = pair_index(state, l, i, j)
    other = pair_index(state, l, j, i)
    return likelihood_ratio(
        state.blocks[own],
        state.means[own],
        state.inverse_plays[own],
        state.means[other],
        state.inverse_plays[other],
    )


@kernel
def worst_evidence(state: State, l: int, i: int, first: int, enough: float) -> float:
    """The largest evidence against level i; of one that reaches `enough` it does not matter which.

    `first` is asked first, because the leader mostly decides.
    """
    worst = evidence_behind(state, l, i, first)
    for j in range(state.offsets[l + 1] - state.offsets[l]):
        if worst >= enough:
            break
        worst = max(worst, evidence_behind(state, l, i, j))
    return worst


@kernel
def choose_leader(state: State, l: int) -> int:
    """The level of factor l with the least evidence against it; the leader stays among equals."""
    best = state.leader[l]
    if best == NOBODY:
        best = 0
    least = worst_evidence(state, l, best, best, math.inf)

    for i in range(state.offsets[l + 1] - state.offsets[l]):
        if least == 0.0:
            break
        worst = worst_evidence(state, l, i, best, least)
        if worst < least:
            best = i
            least = worst

    return best
