"""What Rank1Elim and Rank1ElimKL share: sweeps over rows and columns, and elimination.

A sweep plays every active row in one random column and every active column in one random row. Row
and column are drawn from all, and an eliminated one is played by whichever eliminated it, so that
the average over contexts stays the same for all. Every active level has been in every sweep, so one
count serves all.

The comments name the steps of Algorithm 1 of Katariya et al. (AISTATS 2017), which the IJCAI paper
shares.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.core.limits import MOST_ROUNDS
from factored_bandits.core.rng import randint
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import FOREVER
from factored_bandits.policies.limits import COUNT, SUM, Within, fixed, level_index, slots

# positions in State.counts
SWEEPS = 0  # learned so far
TARGET = 1  # their number at the end of the phase: n_l
PHASE = 2  # its number: l
CHANGES = 3  # of `active`
COUNTS = 4


class State(NamedTuple):
    """Rows and columns are the levels of the first and of the second factor."""

    offsets: Ints  # (3,) first level of each factor
    total: Floats  # (levels,) C, sum of the rewards of a level in its own half of the sweeps
    substitute: Ints  # (levels,) h, who plays for this level: itself while active
    active: Bools  # (levels,)
    counts: Ints  # (COUNTS,) sweeps, target, phase, changes
    lower: Floats  # (levels,) scratch: lower confidence bounds
    upper: Floats  # (levels,) scratch: upper confidence bounds
    log_horizon: Floats  # (1,)

    def limits(self, params: Any) -> dict[str, Within]:
        """What the arrays may hold."""
        counts = [COUNT] * COUNTS
        counts[TARGET] = Within(1, 4 * MOST_ROUNDS)
        counts[PHASE] = Within(0, 53)  # the sweeps grow fourfold with each
        return {
            "offsets": fixed(self.offsets),
            "total": SUM,
            "substitute": level_index(self.offsets),
            "counts": slots(*counts),
            "log_horizon": fixed(self.log_horizon),
        }

    def contradiction(self, params: Any, planned: Ints) -> str | None:
        """Every factor has an active level."""
        rows = self.offsets[1]
        if not (self.active[:rows].any() and self.active[rows:].any()):
            return "a factor has no active level"
        return None


def check_matrix(name: str, sizes: Ints, horizon: int) -> None:
    """Refuse what is not a matrix, and an unknown horizon."""
    if len(sizes) != 2:
        raise InvalidInputError(
            f"{name} is made for matrices of rank one: it takes problems with two factors, this "
            f"one has {len(sizes)}; 'tea' takes any number"
        )

    if horizon == 0:
        raise InvalidInputError(f"{name} needs the horizon: the length of its phases depends on it")


def new_state(sizes: Ints, horizon: int, constant: float) -> State:
    """Nothing known."""
    levels = int(sum(sizes))
    log_horizon = math.log(horizon)
    counts = np.zeros(COUNTS, dtype=np.int64)
    counts[TARGET] = phase_end(0, constant, log_horizon)

    return State(
        offsets=offsets_of(sizes),
        total=np.zeros(levels),
        substitute=np.concatenate([np.arange(size) for size in sizes]),
        active=np.ones(levels, dtype=np.bool_),
        counts=counts,
        lower=np.zeros(levels),
        upper=np.zeros(levels),
        log_horizon=np.array([log_horizon]),
    )


@kernel
def phase_end(phase: int, constant: float, log_horizon: float) -> int:
    """Sweeps at the end of a phase: n_l = constant * 4^l * log T, as the precision halves."""
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
    """A sweep: active rows with a random column, active columns with a random row.

    One play once settled.
    """
    rows = state.offsets[1]
    levels = state.offsets[2]

    if settled(state):
        recommend(params, state, actions[0])
        return 1

    # row exploration: j uniform on all columns, then j <- h^V(j); all active rows
    column = state.substitute[rows + randint(rng, levels - rows)]
    length = 0
    for i in range(rows):
        if state.active[i]:
            actions[length, 0] = i
            actions[length, 1] = column
            length += 1

    # column exploration: i uniform on all rows, then i <- h^U(i); all active columns
    row = state.substitute[randint(rng, rows)]
    for j in range(levels - rows):
        if state.active[rows + j]:
            actions[length, 0] = row
            actions[length, 1] = j
            length += 1

    return length


@kernel
def collect(state: State, actions: Ints, rewards: Floats) -> bool:
    """Add a sweep to the sums C^U and C^V; return whether the phase is complete."""
    if settled(state):
        return False

    rows = state.offsets[1]
    by_rows = True
    for at in range(len(rewards)):
        # Rows ascend; the row of the second half is one of them.
        if at > 0 and actions[at, 0] <= actions[at - 1, 0]:
            by_rows = False
        level = actions[at, 0] if by_rows else rows + actions[at, 1]
        state.total[level] += rewards[at]

    state.counts[SWEEPS] += 1
    return state.counts[SWEEPS] == state.counts[TARGET]


@kernel
def eliminate(state: State, constant: float) -> None:
    """End the phase: row and column elimination by the confidence bounds."""
    changed = 0
    for l in range(2):
        first = state.offsets[l]
        end = state.offsets[l + 1]

        # i_l <- argmax of the lower bounds of the active
        best = -1
        for i in range(first, end):
            if state.active[i] and (best < 0 or state.lower[i] > state.lower[best]):
                best = i

        # for all i: if U(h(i)) <= L(i_l) then h(i) <- i_l
        for i in range(first, end):
            if state.upper[first + state.substitute[i]] <= state.lower[best]:
                state.substitute[i] = best - first

        for i in range(first, end):
            if state.active[i] and state.substitute[i] != i - first:
                state.active[i] = False
                changed = 1

    state.counts[CHANGES] += changed
    state.counts[PHASE] += 1
    state.counts[TARGET] = phase_end(state.counts[PHASE], constant, state.log_horizon[0])


@kernel
def recommend(params: Any, state: State, action: Ints) -> None:
    """Per factor the active level with the largest sum; active ones have equally many plays."""
    for l in range(2):
        best = -1
        for i in range(state.offsets[l], state.offsets[l + 1]):
            if state.active[i] and (best < 0 or state.total[i] > state.total[best]):
                best = i
        action[l] = best - state.offsets[l]


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
