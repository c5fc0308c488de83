"""A phase: scheduleNext and feedback, lines 19-35 of Algorithm 3."""

from __future__ import annotations

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint, shuffle_column

from .bounds import NEVER, pairs_plays
from .paired_plays import sort_rewards, update_paired_plays
from .phase_means import update_cohort, update_pairs
from .state import ALARM, OUTSIDE_B, QUIET, STALE, State


@kernel
def schedule(state: State, l: int, length: int, rng: np.random.Generator, actions: Ints) -> None:
    """Lines 19-26, scheduleNext: fill column l of the first `length` rows.

    Filling in order and then shuffling is the same as taking random unassigned indices.
    """
    base = state.offsets[l]
    count = state.active_count[l]

    # lines 20-22: every active arm once
    for row in range(count):
        actions[row, l] = state.active_list[base + row]

    # lines 23-26: the rest in turns over B
    if count < length:
        in_B = 0
        for position in range(count):
            arm = state.active_list[base + position]
            if state.membership[base + arm] != OUTSIDE_B:
                state.phase_arms[base + in_B] = arm
                in_B += 1

        in_full_turns = (length - count) // in_B * in_B
        for row in range(in_full_turns):
            actions[count + row, l] = state.phase_arms[base + row % in_B]

        # the last turn goes to a random part of B
        for row in range(length - count - in_full_turns):
            pick = row + randint(rng, in_B - row)
            arm = state.phase_arms[base + pick]
            state.phase_arms[base + pick] = state.phase_arms[base + row]
            state.phase_arms[base + row] = arm
            actions[count + in_full_turns + row, l] = arm

    if count > 1:
        shuffle_column(rng, actions, l, length)


@kernel
def feedback(state: State, l: int, actions: Ints, rewards: Floats) -> None:
    """Lines 28-35, feedback: D and N of factor l, from one phase.

    As long as phases hold exactly the active arms, each renews every term that can matter, and the
    next getActiveSet needs tau only where a term exceeds the last log(1 / delta). A phase planned
    for another active set (rewards came late) makes the state stale: the next getActiveSet computes
    every tau anew.
    """
    count = 0
    # one play is no pair, there is nothing to learn
    if len(rewards) > 1:
        count = accumulate(state, l, l, 1.0, 0, actions, rewards)
        if pairs_plays(state.bound[0]):
            sort_rewards(state, l, count, actions, rewards)
    compare(state, l, count)


@kernel
def feedback_both(state: State, actions: Ints, rewards: Floats) -> None:
    """Duels: the arm in the first position gets the reward, the other one its negative.

    Every arm of the phase plays once in each position, so all play twice: D grows by a sum of two,
    N by two.
    """
    count = 0
    if len(rewards) > 1:
        count = accumulate(state, 0, 0, 1.0, 0, actions, rewards)
        count = accumulate(state, 0, 1, -1.0, count, actions, rewards)
    compare(state, 0, count)


@kernel
def accumulate(
    state: State, l: int, column: int, sign: float, count: int, actions: Ints, rewards: Floats
) -> int:
    """Lines 29-32: N_s and R_s of each arm in a column; returns how many arms play.

    `count` arms are known from before.
    """
    base = state.offsets[l]
    for row in range(len(rewards)):
        arm = actions[row, column]
        if state.phase_plays[base + arm] == 0:
            state.phase_arms[base + count] = arm
            state.phase_sums[base + arm] = 0.0
            count += 1
        state.phase_sums[base + arm] += sign * rewards[row]
        state.phase_plays[base + arm] += 1

    return count


@kernel
def compare(state: State, l: int, count: int) -> None:
    """Lines 33-35 for the `count` arms that play, and what the next getActiveSet has to do."""
    base = state.offsets[l]
    dirty = state.dirty[l]
    state.dirty[l] = max(dirty, QUIET)

    if count > 1:
        fresh = dirty != STALE and count == state.active_count[l]
        for position in range(count):
            fresh = fresh and state.active[base + state.phase_arms[base + position]]

        # an empty set brought all arms back: their tau begin anew with this phase
        if dirty == ALARM:
            for position in range(count):
                state.tau[base + state.phase_arms[base + position]] = NEVER

        if pairs_plays(state.bound[0]):
            alarm = update_paired_plays(state, l, count)
        else:
            outside_cohort = update_cohort(state, l, count)
            alarm = update_pairs(state, l, outside_cohort, count)

        if not fresh:
            state.dirty[l] = STALE
        elif alarm:
            state.dirty[l] = ALARM
        else:
            state.dirty[l] = QUIET

    for position in range(count):
        state.phase_plays[base + state.phase_arms[base + position]] = 0
