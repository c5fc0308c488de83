"""The leader's neighbours (one level changed), and the evidence against them.

*Neighbours.* Their rows are kept until the leader changes: a step does not hash.

*Evidence.* plays * kl(mean, q) of a neighbour is convex in q, and q (the leader's mean, or its
index) moves little from step to step: the tangent where the evidence was last computed is a lower
bound that nearly always tells that the neighbour is out of the question.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import kl
from factored_bandits.core.select import ravel, unravel
from factored_bandits.policies.blocks.combinations import enter, find

from ._leader import CENTRE, PLAYED, mean, plays_of

LEADER = -1  # instead of the index of a neighbour: the centre itself
ROUNDING = 1e-9  # of evidence, relative; far more than there is

# rows of State.tangents
VALUE = 0  # the evidence where it was last computed
SLOPE = 1
AT = 2  # the q where it was computed
COUNT = 3  # the plays that it rests on, -1: there is no tangent


@kernel
def lead(state: Any, rng: np.random.Generator) -> int:
    """The leader's row, -1 before the first play; look up its neighbours, count its leadership."""
    state.next_tie_break[0] = rng.random()
    if state.counters[PLAYED] == 0:
        return -1

    row = state.heap[0]
    if row != state.counters[CENTRE]:
        move_centre(state, row)
    state.leads[row] += 1
    return int(row)


@kernel
def move_centre(state: Any, row: int) -> None:
    """Look up the neighbours of a row."""
    key = state.keys[row]
    levels = state.centre_levels
    state.counters[CENTRE] = row
    unravel(state.sizes, key, levels)

    # a level more of factor l adds `stride` to the number of a combination
    stride = 1
    for l in range(len(levels) - 1, -1, -1):
        for i in range(state.sizes[l]):
            neighbour = state.offsets[l] + i
            state.neighbours[neighbour] = find(state, key + (i - levels[l]) * stride)
            state.tangents[COUNT, neighbour] = -1.0
        stride *= state.sizes[l]


@kernel
def play_neighbour(state: Any, neighbour: int, action: Ints) -> None:
    """The centre with this level changed, entered if it is new; the centre itself for LEADER."""
    offsets = state.offsets
    for l in range(len(action)):
        action[l] = state.centre_levels[l]
        if offsets[l] <= neighbour < offsets[l + 1]:
            action[l] = neighbour - offsets[l]

    if neighbour != LEADER and state.neighbours[neighbour] < 0:
        state.neighbours[neighbour] = enter(state, ravel(state.sizes, action))


@kernel
def evidence(state: Any, neighbour: int, q: float, more: float) -> float:
    """plays * kl(mean, q) + more of a neighbour that has been played; its tangent is noted."""
    row = state.neighbours[neighbour]
    n = plays_of(state, row)
    p = mean(state, row)
    value = n * kl(p, q) + more

    if 0.0 < q < 1.0:
        state.tangents[VALUE, neighbour] = value
        state.tangents[SLOPE, neighbour] = n * (q - p) / (q * (1.0 - q))
        state.tangents[AT, neighbour] = q
        state.tangents[COUNT, neighbour] = n

    return value


@kernel
def evidence_at_least(state: Any, neighbour: int, q: float) -> float:
    """A lower bound of `evidence` by its tangent; -inf if the neighbour was played since."""
    tangents = state.tangents
    if tangents[COUNT, neighbour] != plays_of(state, state.neighbours[neighbour]):
        return -math.inf
    value = tangents[VALUE, neighbour]
    bound = value + tangents[SLOPE, neighbour] * (q - tangents[AT, neighbour])
    return float(bound - ROUNDING * (1.0 + abs(value)))
