"""The Temporary Elimination Module (Algorithm 3 of the paper), exact and fast; one State holds all
factors' modules.

Three facts make it fast without changing a single decision:

- *Time-free thresholds.* Arm i is out at confidence delta iff log(1/delta) < tau_i, where
  tau_i = max over j with D_ji > 0 of D_ji^2 / (12 N_ji) - log(2 K f(N_ji)). We call log(1/delta)
  the `level`.
- *Nothing new, nothing to do.* In TEA the level only grows. An active arm had every term below the
  level at the last look, so only pairs played since then can throw it out; an arm that is away
  keeps its tau until it plays again.
- *Cohort.* Arms that were in every phase so far, equally often, share one N, and D_ij = S_i - S_j
  with a running sum S per arm: a phase costs O(active). Pairs with an arm that was away live in
  matrices (upper triangle).
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint, shuffle_column

from .bounds import NEVER, first_round_at
from .phase import accumulate, sort_rewards, update_cohort, update_paired_plays, update_pairs
from .state import (
    ACTIVE_COUNT,
    ALARM,
    ARMS,
    AWAY,
    CHANGES,
    COHORT,
    CONSTANT,
    DIRTY,
    LEVEL,
    LOWEST,
    LOYAL,
    NOTHING_LEARNED,
    QUIET,
    STALE,
    TIMES,
    State,
    full_tau,
    leave_cohort,
    pair,
)


@kernel
def active_set(state: State, l: int, level: float) -> int:
    """Algorithm 3, getActiveSet with log(1/delta) = level: updates K* and B of factor l, returns
    |K*|.
    """
    dirty = state.counts[l, DIRTY]
    if dirty == NOTHING_LEARNED:  # lines 6-7: some N_ij = 0
        return state.counts[l, ACTIVE_COUNT]
    if dirty == STALE or level < state.levels[l, LEVEL]:
        for i in range(state.start[l + 1] - state.start[l]):
            state.tau[state.start[l] + i] = full_tau(state, l, i)
        recompute_active_set(state, l, level)
        state.levels[l, LEVEL] = level
    elif dirty == ALARM or state.levels[l, LOWEST] <= level:
        recompute_active_set(state, l, level)

    if (
        state.counts[l, ACTIVE_COUNT] > 1
    ):  # with one arm the state stands still, which is what `idle` promises
        state.levels[l, LEVEL] = level

    return state.counts[l, ACTIVE_COUNT]


@kernel
def refresh_active_sets(state: State, level: float) -> int:
    """The active sets of all factors; returns the largest size (Algorithm 1, line 4, prints argmax
    but means max).
    """
    longest = 1
    for l in range(len(state.counts)):
        longest = max(longest, active_set(state, l, level))
    return longest


@kernel
def recompute_active_set(state: State, l: int, level: float) -> None:
    """Lines 9-16: who is in K* now?"""
    s = state.start[l]
    size = state.start[l + 1] - state.start[l]
    empty = True
    for i in range(size):
        empty = empty and state.tau[s + i] > level
    for i in range(size):
        if not empty and state.tau[s + i] > level and state.membership[s + i] == COHORT:
            leave_cohort(state, l, i)

    count = 0
    loyal = 0
    changed = 0
    lowest = math.inf

    for i in range(size):
        keep = empty or state.tau[s + i] <= level  # lines 12-13: an empty set means all come back
        if state.active[s + i] != keep:
            changed = 1
        if keep:
            state.active_list[s + count] = i
            count += 1
            if state.membership[s + i] != AWAY:
                loyal += 1
        else:
            if state.active[s + i]:
                state.tau[s + i] = full_tau(state, l, i)
            lowest = min(lowest, state.tau[s + i])
            state.membership[s + i] = AWAY  # line 14: B <- B n K*
        state.active[s + i] = keep

    if loyal == 0:  # lines 15-16: B <- K*
        for position in range(count):
            state.membership[s + state.active_list[s + position]] = LOYAL

    state.counts[l, ACTIVE_COUNT] = count
    state.counts[l, DIRTY] = ALARM if empty else QUIET
    state.counts[l, CHANGES] += changed
    state.levels[l, LOWEST] = lowest


@kernel
def schedule(state: State, l: int, length: int, rng: np.random.Generator, actions: Ints) -> None:
    """Algorithm 3, scheduleNext: fill column l of the first `length` rows; every active arm once,
    the rest from B.
    """
    s = state.start[l]
    count = state.counts[l, ACTIVE_COUNT]
    for row in range(count):  # lines 20-22
        actions[row, l] = state.active_list[s + row]
    if count < length:  # lines 23-26: rounds over B, the last one over a random part of it
        loyal = 0
        for row in range(count):
            if state.membership[s + state.active_list[s + row]] != AWAY:
                state.phase[ARMS, s + loyal] = state.active_list[s + row]
                loyal += 1
        whole = (length - count) // loyal * loyal
        for row in range(whole):
            actions[count + row, l] = state.phase[ARMS, s + row % loyal]
        for row in range(length - count - whole):
            pick = row + randint(rng, loyal - row)
            arm = state.phase[ARMS, s + pick]
            state.phase[ARMS, s + pick] = state.phase[ARMS, s + row]
            state.phase[ARMS, s + row] = arm
            actions[count + whole + row, l] = arm

    if count > 1:
        shuffle_column(rng, actions, l, length)


@kernel
def feedback(state: State, l: int, actions: Ints, rewards: Floats) -> None:
    """Algorithm 3, feedback: D and N of factor l, from one phase.

    As long as phases hold exactly the active arms, each renews every term that can matter, and the
    next look needs tau only where a term exceeds the last level. A phase planned for another active
    set (rewards came late) makes the state stale: the next look computes every tau anew.
    """
    count = 0
    if len(rewards) > 1:  # else one arm, no pair, nothing to learn
        count = accumulate(state, l, l, 1.0, 0, actions, rewards)
        if state.levels[l, CONSTANT] <= 0.0:
            sort_rewards(state, l, count, actions, rewards)
    compare(state, l, count)


@kernel
def feedback_both(state: State, actions: Ints, rewards: Floats) -> None:
    """Duels: the arm in the first place gets the reward, the arm in the second place what is left
    of it, its negative.

    Every arm of the phase plays once in each place, so all play twice: D grows by a sum of two, N
    by two.
    """
    count = 0
    if len(rewards) > 1:
        count = accumulate(state, 0, 0, 1.0, 0, actions, rewards)
        count = accumulate(state, 0, 1, -1.0, count, actions, rewards)
    compare(state, 0, count)


@kernel
def compare(state: State, l: int, count: int) -> None:
    """Lines 33-35 for the `count` arms gathered."""
    s = state.start[l]
    dirty = state.counts[l, DIRTY]
    state.counts[l, DIRTY] = max(dirty, QUIET)

    if count > 1:
        fresh = dirty != STALE and count == state.counts[l, ACTIVE_COUNT]
        for position in range(count):
            fresh = fresh and state.active[s + state.phase[ARMS, s + position]]
        if dirty == ALARM:
            for position in range(count):
                state.tau[s + state.phase[ARMS, s + position]] = NEVER
        if state.levels[l, CONSTANT] > 0.0:
            outside_cohort = update_cohort(state, l, count)
            alarm = update_pairs(state, l, outside_cohort, count)
        else:
            alarm = update_paired_plays(state, l, count)
        state.counts[l, DIRTY] = (ALARM if alarm else QUIET) if fresh else STALE

    for position in range(count):
        state.phase[TIMES, s + state.phase[ARMS, s + position]] = 0


@kernel
def changes(state: State) -> int:
    """How often an active set has changed."""
    number = 0
    for l in range(len(state.counts)):
        number += state.counts[l, CHANGES]
    return number


@kernel
def idle_rounds(state: State, t: int) -> int:
    """For how many rounds from t every factor keeps its single active arm; 0 where one has several."""
    lowest = math.inf
    for l in range(len(state.counts)):
        if state.counts[l, ACTIVE_COUNT] > 1 or state.counts[l, DIRTY] in (NOTHING_LEARNED, STALE):
            return 0
        lowest = min(lowest, state.levels[l, LOWEST])
    return max(0, first_round_at(lowest) - t)


@kernel
def leader(state: State, l: int) -> int:
    """The active arm whose largest estimated deficit against another active arm is smallest."""
    s = state.start[l]
    count = state.counts[l, ACTIVE_COUNT]
    outside_cohort = 0
    best = state.active_list[s]

    for position in range(count):
        arm = state.active_list[s + position]
        if state.membership[s + arm] != COHORT:
            outside_cohort += 1
        elif state.membership[s + best] != COHORT or state.total[s + arm] > state.total[s + best]:
            best = arm

    if outside_cohort == 0:
        return best
    smallest = math.inf
    for position in range(count):
        i = state.active_list[s + position]
        deficit = NEVER
        for other in range(count):
            j = state.active_list[s + other]
            if j != i:
                difference, n = pair(state, l, j, i)
                # nothing is learned yet where n is 0
                if n > 0:
                    deficit = max(deficit, difference / n)
        if deficit < smallest:
            smallest = deficit
            best = i

    return best
