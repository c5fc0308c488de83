"""getActiveSet, lines 5-17 of Algorithm 3, and what follows from the active sets."""

from __future__ import annotations

import math

from factored_bandits.core.kernel import kernel

from .bounds import NEVER, first_round_at
from .state import (
    ALARM,
    IN_B,
    IN_COHORT,
    NOTHING_LEARNED,
    OUTSIDE_B,
    QUIET,
    STALE,
    State,
    full_tau,
    leave_cohort,
    pair,
)


@kernel
def active_set(state: State, l: int, log_inv_delta: float) -> int:
    """Lines 5-17, getActiveSet(delta): K* and B of factor l; returns |K*|."""
    dirty = state.dirty[l]

    # lines 6-7: some N_ij is 0, and K* is K
    if dirty == NOTHING_LEARNED:
        return state.active_count[l]

    if dirty == STALE or log_inv_delta < state.log_inv_delta[l]:
        for i in range(state.offsets[l + 1] - state.offsets[l]):
            state.tau[state.offsets[l] + i] = full_tau(state, l, i)
        recompute_active_set(state, l, log_inv_delta)
        state.log_inv_delta[l] = log_inv_delta
    elif dirty == ALARM or state.lowest_tau[l] <= log_inv_delta:
        recompute_active_set(state, l, log_inv_delta)

    # with one active arm the state must not change: `idle` relies on it
    if state.active_count[l] > 1:
        state.log_inv_delta[l] = log_inv_delta

    return state.active_count[l]


@kernel
def refresh_active_sets(state: State, log_inv_delta: float) -> int:
    """The active sets of all factors; returns the largest size.

    Algorithm 1, line 4, prints argmax and means max.
    """
    longest = 1
    for l in range(len(state.active_count)):
        longest = max(longest, active_set(state, l, log_inv_delta))
    return longest


@kernel
def recompute_active_set(state: State, l: int, log_inv_delta: float) -> None:
    """Lines 11-16: find the arms that are active now."""
    base = state.offsets[l]
    size = state.offsets[l + 1] - base

    empty = True
    for i in range(size):
        empty = empty and state.tau[base + i] > log_inv_delta

    for i in range(size):
        eliminated = not empty and state.tau[base + i] > log_inv_delta
        if eliminated and state.membership[base + i] == IN_COHORT:
            leave_cohort(state, l, i)

    count = 0
    in_B = 0
    changed = 0
    lowest = math.inf
    for i in range(size):
        # line 11; lines 12-13: if nobody is left, all are active
        keep = empty or state.tau[base + i] <= log_inv_delta
        if state.active[base + i] != keep:
            changed = 1

        if keep:
            state.active_list[base + count] = i
            count += 1
            if state.membership[base + i] != OUTSIDE_B:
                in_B += 1
        else:
            if state.active[base + i]:
                state.tau[base + i] = full_tau(state, l, i)
            lowest = min(lowest, state.tau[base + i])
            # line 14: B <- B n K*
            state.membership[base + i] = OUTSIDE_B

        state.active[base + i] = keep

    # lines 15-16: B <- K*
    if in_B == 0:
        for position in range(count):
            state.membership[base + state.active_list[base + position]] = IN_B

    state.active_count[l] = count
    state.lowest_tau[l] = lowest
    state.dirty[l] = ALARM if empty else QUIET
    state.changes[l] += changed


@kernel
def number_of_changes(state: State) -> int:
    """How often an active set has changed."""
    number = 0
    for l in range(len(state.changes)):
        number += state.changes[l]
    return number


@kernel
def idle_rounds(state: State, t: int) -> int:
    """For how many rounds from t every factor keeps its single active arm; 0 if one has several."""
    lowest = math.inf
    for l in range(len(state.active_count)):
        if state.active_count[l] > 1 or state.dirty[l] in (NOTHING_LEARNED, STALE):
            return 0
        lowest = min(lowest, state.lowest_tau[l])
    return max(0, first_round_at(lowest) - t)


@kernel
def leader(state: State, l: int) -> int:
    """The active arm whose largest estimated deficit against another active arm is smallest."""
    base = state.offsets[l]
    count = state.active_count[l]
    outside_cohort = 0
    best = state.active_list[base]

    # inside the cohort that is the arm with the largest sum of rewards
    for position in range(count):
        arm = state.active_list[base + position]
        if state.membership[base + arm] != IN_COHORT:
            outside_cohort += 1
        elif (
            state.membership[base + best] != IN_COHORT or state.S[base + arm] > state.S[base + best]
        ):
            best = arm

    if outside_cohort == 0:
        return best

    smallest = math.inf
    for position in range(count):
        i = state.active_list[base + position]
        deficit = NEVER
        for other in range(count):
            j = state.active_list[base + other]
            if j != i:
                difference, n = pair(state, l, j, i)
                # nothing is learned yet where n is 0
                if n > 0:
                    deficit = max(deficit, difference / n)
        if deficit < smallest:
            smallest = deficit
            best = i

    return best
