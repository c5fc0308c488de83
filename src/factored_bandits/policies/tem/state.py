"""The state of the Temporary Elimination Modules of all factors, and what can be read off it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Code

from .bounds import CONSTANTS, NEVER, threshold

AWAY, LOYAL, COHORT = (
    0,
    1,
    2,
)  # the bond of an arm; B of the paper is everyone with a bond of at least LOYAL
ACTIVE_COUNT, COHORT_N, DIRTY, CHANGES = 0, 1, 2, 3  # columns of State.counts
NOTHING_LEARNED, QUIET, ALARM, STALE = 0, 1, 2, 3  # values of NEWS
LEVEL, LOWEST, CONSTANT = 0, 1, 2  # columns of State.levels
ARMS, TIMES, FIRST = 0, 1, 2  # rows of State.phase


class State(NamedTuple):
    """L modules side by side; `start[l]` is where factor l begins in the arrays over levels.

    Few arrays with named columns rather than many: each array in a tuple costs compile time in
    every kernel.
    """

    start: Ints  # (L + 1,) first level of each factor
    pair_start: (
        Ints  # (L + 1,) first pair of each factor: pair (i, j), i < j, at pair_start + i K + j
    )
    active: Bools  # (levels,) K*
    # (levels,) AWAY: has been out; LOYAL: in B; COHORT: in B, in every phase, and equally often
    membership: Ints
    active_list: Ints  # (levels,) the active arms of each factor, packed at its start
    total: Floats  # (levels,) S: sum of rewards, meaningful inside the cohort
    # (levels,) complete for arms that are away; for active ones only terms above LEVEL count
    tau: Floats
    # (pairs,) D, for pairs not inside the cohort; betting: at j K + i, i < j, the sum of squares
    difference: Floats
    comparisons: Ints  # (pairs,) N, likewise
    # (L, 4) |K*|; N of every pair inside the cohort; what is new since the last look; changes of K*
    counts: Ints
    # (pairs,) of i over j at i K + j, i < j and i > j; bernstein: V; betting: log wealth; else
    # empty
    evidence: Floats
    # (L, 3) the level of the last look; that at which the next arm comes back; the bound's constant
    levels: Floats
    # (3, levels) scratch: arms of a phase, those outside the cohort first; plays, else zero; first
    # reward
    phase: Ints
    mean: Floats  # (levels,) scratch: mean rewards in the phase
    ordered: (
        Floats  # (largest K,) bernstein and betting, scratch: the rewards of the phase, arm by arm
    )


def new_state(sizes: Ints, bound: Code = 0) -> State:
    """Modules for factors of these sizes: all arms active, nothing known; `bound` is a place in
    CONSTANTS.
    """
    constant = list(CONSTANTS.values())[bound]
    sizes = np.asarray(sizes, dtype=np.int64)
    factors = len(sizes)
    start = np.concatenate([[0], np.cumsum(sizes)])
    pair_start = np.concatenate([[0], np.cumsum(sizes**2)])
    levels = int(start[-1])
    pairs = int(pair_start[-1])
    counts = np.zeros((factors, 4), dtype=np.int64)
    counts[:, ACTIVE_COUNT] = sizes

    return State(
        start=start,
        pair_start=pair_start,
        active=np.ones(levels, dtype=np.bool_),
        membership=np.full(
            levels, COHORT if constant > 0.0 else LOYAL, dtype=np.int64
        ),  # evidence is kept pair by pair
        active_list=np.concatenate([np.arange(size) for size in sizes]),
        total=np.zeros(levels),
        tau=np.full(levels, NEVER),
        difference=np.zeros(pairs),
        comparisons=np.zeros(pairs, dtype=np.int64),
        counts=counts,
        evidence=np.zeros(0 if constant > 0.0 else pairs),
        levels=np.tile([NEVER, math.inf, constant], (factors, 1)),
        phase=np.zeros((3, levels), dtype=np.int64),
        mean=np.zeros(levels),
        ordered=np.zeros(int(sizes.max())),
    )


@kernel
def pair(state: State, l: int, i: int, j: int) -> tuple[float, int]:
    """D_ij and N_ij of factor l."""
    s = state.start[l]
    if state.membership[s + i] == COHORT and state.membership[s + j] == COHORT:
        return state.total[s + i] - state.total[s + j], state.counts[l, COHORT_N]
    at = state.pair_start[l] + min(i, j) * (state.start[l + 1] - s) + max(i, j)
    difference = state.difference[at]
    return difference if i < j else -difference, state.comparisons[at]


@kernel
def full_tau(state: State, l: int, i: int) -> float:
    """tau_i over all opponents (line 10, solved for the level)."""
    tau = NEVER
    size = state.start[l + 1] - state.start[l]
    constant = state.levels[l, CONSTANT]

    for j in range(size):
        if j != i:
            difference, n = pair(state, l, j, i)
            if difference > 0.0 or constant < 0.0:
                evidence = (
                    0.0 if constant > 0.0 else state.evidence[state.pair_start[l] + j * size + i]
                )
                tau = max(tau, threshold(difference, n, size, constant, evidence))

    return tau


@kernel
def leave_cohort(state: State, l: int, i: int) -> None:
    """Write the pairs of arm i into the matrices; from now on it is compared pair by pair."""
    s = state.start[l]
    size = state.start[l + 1] - state.start[l]
    state.membership[s + i] = LOYAL

    for j in range(size):
        if state.membership[s + j] == COHORT:
            at = state.pair_start[l] + min(i, j) * size + max(i, j)
            difference = state.total[s + i] - state.total[s + j]
            state.difference[at] = difference if i < j else -difference
            state.comparisons[at] = state.counts[l, COHORT_N]
