"""What Rank1Elim and Rank1ElimKL share: sweeps over rows and columns, and elimination by confidence
bounds.

A sweep plays every active row in one random column and every active column in one random row; row
and column are drawn from all, an eliminated one standing for whoever eliminated it, so that the
average over company stays the same for all. Every level that is active has been in every sweep, so
one count serves all.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import FOREVER

SWEEPS, TARGET, PHASE, CHANGES = 0, 1, 2, 3  # places in State.counts
LOWER, UPPER = 0, 1  # rows of State.bounds


class State(NamedTuple):
    """Rows and columns are the levels of the first and of the second factor."""

    start: Ints  # (3,) first level of each factor
    total: Floats  # (levels,) sum of the rewards of a level in its own half of the sweeps
    home: Ints  # (levels,) who plays for this level: itself while it is active
    active: Bools  # (levels,)
    # (4,) sweeps learned; their number at the end of the phase; number of the phase; changes of
    # `active`
    counts: Ints
    bounds: Floats  # (2, levels) scratch: lower and upper confidence bounds
    log_horizon: Floats  # (1,)


def begin(name: str, sizes: Ints, horizon: int, constant: float) -> State:
    """Nothing known; refuses what is not a matrix."""
    if len(sizes) != 2:
        raise InvalidInputError(
            f"{name} is made for matrices of rank one: it takes problems with two factors, this "
            f"one has {len(sizes)}; "
            "'tea' takes any number"
        )

    if horizon == 0:
        raise InvalidInputError(f"{name} needs the horizon: the length of its phases depends on it")
    start = offsets_of(sizes)
    levels = int(start[-1])
    log_horizon = math.log(horizon)
    state = State(
        start=start,
        total=np.zeros(levels),
        home=np.concatenate([np.arange(size) for size in sizes]),
        active=np.ones(levels, dtype=np.bool_),
        counts=np.zeros(4, dtype=np.int64),
        bounds=np.zeros((2, levels)),
        log_horizon=np.array([log_horizon]),
    )
    state.counts[TARGET] = phase_end(0, constant, log_horizon)
    return state


@kernel
def phase_end(phase: int, constant: float, log_horizon: float) -> int:
    """Sweeps at the end of a phase: constant * 4^phase * log T."""
    return max(1, math.ceil(constant * 4.0**phase * log_horizon))


@kernel
def settled(state: State) -> bool:
    """One row and one column are left."""
    left = 0
    for i in range(len(state.active)):
        left += 1 if state.active[i] else 0
    return left == 2


@kernel
def plan(params: Any, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """A sweep: every active row with a random column, every active column with a random row; one
    play once settled.
    """
    rows = state.start[1]
    levels = state.start[2]

    if settled(state):
        recommend(params, state, actions[0])
        return 1

    column = state.home[rows + randint(rng, levels - rows)]
    length = 0

    for i in range(rows):
        if state.active[i]:
            actions[length, 0] = i
            actions[length, 1] = column
            length += 1

    row = state.home[randint(rng, rows)]
    for j in range(levels - rows):
        if state.active[rows + j]:
            actions[length, 0] = row
            actions[length, 1] = j
            length += 1

    return length


@kernel
def collect(state: State, actions: Ints, rewards: Floats) -> bool:
    """Add a sweep; is the phase complete?"""
    if settled(state):
        return False
    rows = state.start[1]
    by_rows = True

    for at in range(len(rewards)):
        if (
            at > 0 and actions[at, 0] <= actions[at - 1, 0]
        ):  # rows ascend; the row of the second half is one of them
            by_rows = False
        level = actions[at, 0] if by_rows else rows + actions[at, 1]
        state.total[level] += rewards[at]

    state.counts[SWEEPS] += 1
    return state.counts[SWEEPS] == state.counts[TARGET]


@kernel
def eliminate(state: State, constant: float) -> None:
    """End the phase: by state.bounds, the best of each factor takes the place of all that are
    surely no better.
    """
    changed = 0
    for l in range(2):
        first = state.start[l]
        end = state.start[l + 1]
        best = -1
        for i in range(first, end):
            if state.active[i] and (best < 0 or state.bounds[LOWER, i] > state.bounds[LOWER, best]):
                best = i
        for i in range(first, end):
            if state.bounds[UPPER, first + state.home[i]] <= state.bounds[LOWER, best]:
                state.home[i] = best - first
        for i in range(first, end):
            if state.active[i] and state.home[i] != i - first:
                state.active[i] = False
                changed = 1

    state.counts[CHANGES] += changed
    state.counts[PHASE] += 1
    state.counts[TARGET] = phase_end(state.counts[PHASE], constant, state.log_horizon[0])


@kernel
def recommend(params: Any, state: State, action: Ints) -> None:
    """Per factor the active level with the largest sum; all active ones have been played equally
    often.
    """
    for l in range(2):
        best = -1
        for i in range(state.start[l], state.start[l + 1]):
            if state.active[i] and (best < 0 or state.total[i] > state.total[best]):
                best = i
        action[l] = best - state.start[l]


@kernel
def idle(params: Any, state: State, t: int) -> int:
    """Elimination is for good: with one row and one column left, nothing changes any more."""
    return FOREVER if settled(state) else 0


@kernel
def active_sets(params: Any, state: State) -> tuple[Bools, int]:
    """The active rows and columns, and how often they have changed."""
    return state.active, state.counts[CHANGES]


def longest_block(sizes: Ints) -> int:
    """A sweep plays every row and every column once."""
    return int(sum(sizes))
