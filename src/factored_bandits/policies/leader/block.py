"""A block: every candidate once, the leader in all other slots, each column in random order."""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint, shuffle_column

from .state import NOBODY, State
from .thresholds import is_alone
from .turns import MOST_SLOTS, slots_in_turn

# slots of the leader: at least so many, and so many per candidate
FEWEST_SLOTS = 2.0
SLOTS_PER_CANDIDATE = 1.0
# the more the closest candidate is behind, the more slots: at most so many times as many
MOST_STRETCH = 16.0

# While the closest candidate is behind by less than SETTLED the leader may be wrong. A candidate
# that is behind by more than NEAR then stands in few blocks: finding a better leader comes first.
SETTLED = 2.0
NEAR = 0.5
RAREST = 0.05


def most_plays(size: int) -> int:
    """The most plays that a factor of this size needs in a block.

    >>> most_plays(2), most_plays(16)
    (129, 255)
    """
    candidates = size - 1
    slots = MOST_STRETCH * max(FEWEST_SLOTS, SLOTS_PER_CANDIDATE * candidates)
    return max(size, candidates + math.ceil(max(slots, MOST_SLOTS)))


@kernel
def closest(state: State, l: int, log_t: float) -> float:
    """Flag the leader and the candidates of factor l; by how little a candidate is behind."""
    base = state.offsets[l]
    least = math.inf
    count = 0

    for i in range(state.offsets[l + 1] - base):
        candidate = i != state.leader[l] and state.threshold[base + i] <= log_t
        if candidate:
            least = min(least, state.behind[base + i])

        active = candidate or i == state.leader[l]
        if active:
            count += 1
        if state.active[base + i] != active:
            state.active[base + i] = active
            state.changes[0] += 1

    state.active_count[l] = count
    return least


@kernel
def stands(behind: float, least: float, rng: np.random.Generator) -> bool:
    """Whether a candidate stands in this block: drawn before anything of the block is known."""
    if behind <= NEAR or least >= SETTLED:
        return True
    return rng.random() < max(RAREST, math.exp(NEAR - behind))


@kernel
def choose_candidates(state: State, l: int, t: int, rng: np.random.Generator) -> int:
    """The candidates of factor l that stand in this block; returns how many plays that takes."""
    log_t = math.log(float(t))
    # settled: nothing has changed since the last plan
    if state.lowest_threshold[l] > log_t and is_alone(state, l):
        return 0

    base = state.offsets[l]
    least = closest(state, l, log_t)
    all_stand = state.taking_turns[0]
    count = 0

    for i in range(state.offsets[l + 1] - base):
        candidate = i != state.leader[l] and state.active[base + i]
        if candidate and (all_stand or stands(state.behind[base + i], least, rng)):
            state.planned[base + count] = i
            count += 1

    state.planned_count[l] = count
    if count == 0 or state.leader[l] == NOBODY:
        return count

    return count + math.ceil(leader_slots(state, count, least, t))


@kernel
def leader_slots(state: State, count: int, least: float, t: int) -> float:
    """How often the leader stands beside `count` candidates, the closest behind by `least`."""
    slots = max(FEWEST_SLOTS, SLOTS_PER_CANDIDATE * count)
    stretch = math.exp(least) if least < math.log(MOST_STRETCH) else MOST_STRETCH
    if state.taking_turns[0]:
        return max(slots * stretch, slots_in_turn(state, t))
    return slots * stretch


@kernel
def fill_column(state: State, l: int, length: int, rng: np.random.Generator, actions: Ints) -> None:
    """The first `length` rows of column l: the candidates once, then the leader; shuffled."""
    base = state.offsets[l]
    count = state.planned_count[l]

    for row in range(count):
        actions[row, l] = state.planned[base + row]

    for row in range(count, length):
        if state.leader[l] == NOBODY:
            actions[row, l] = randint(rng, state.offsets[l + 1] - base)
        else:
            actions[row, l] = state.leader[l]

    if count > 0:
        shuffle_column(rng, actions, l, length)
