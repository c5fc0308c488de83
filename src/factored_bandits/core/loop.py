"""The loop in which a policy meets an environment: plan, play, learn; `bind` puts the kernels in
and compiles it.

Everything it changes lies in arrays that the caller owns, so it can be called in slices: progress
and Ctrl-C between.
"""

# The names plan, learn, ... below are placeholders that `bind` replaces.
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .arrays import Bools, Floats, Ints
from .kernel import kernel

ROUND, CHECKPOINT, EVENTS, VERSION, FAULT = 0, 1, 2, 3, 4  # places in Run.clock
NO_FLAGS = np.zeros(0, dtype=np.bool_)


class Run(NamedTuple):
    """One repetition: what is fixed, what is counted, and scratch."""

    permutation: Ints  # (levels,) the environment's level behind each level of the policy
    start: Ints  # (columns + 1,) where each column of an action begins in the arrays over levels
    checkpoints: Ints  # (C,) rounds after which the regret is noted; the last one is the horizon
    # (4,) lowest and highest allowed reward, shift, slope of the map onto the policy's scale
    limits: Floats
    # (5,) next round, next checkpoint, events noted, version of the standing, round of a faulty
    # reward
    clock: Ints
    regret: Floats  # (C + 1,) regret at each checkpoint; last: so far
    correct: Bools  # (C,) was the recommendation at the checkpoint a best action?
    plays: Ints  # (levels,) by the environment's numbering
    shown: Bools  # (levels of the standing,) the standing as last noted
    events: Ints  # (capacity, 3) round, level by the environment's numbering, 1 in or 0 out
    actions: Ints  # (longest block, columns) scratch
    rewards: Floats  # (longest block,) scratch; after a fault, the reward in question comes first
    action: Ints  # (columns,) scratch
    # (longest block, columns) scratch: one outcome per factor, for policies that learn from those
    outcomes: Floats


@kernel
def always_busy(params: Any, state: Any, t: int) -> int:
    """The `idle` of a policy that has none, and of every policy where rewards change with time."""
    return 0


@kernel
def no_active_sets(params: Any, state: Any) -> tuple[Bools, int]:
    """The `active_sets` of a policy that eliminates nothing."""
    return NO_FLAGS, 0


@kernel
def plan(params: Any, state: Any, t: int, rng: np.random.Generator, actions: Ints) -> int:
    return 0


@kernel
def learn(params: Any, state: Any, t: int, actions: Ints, rewards: Floats) -> None:
    return


@kernel
def recommend(params: Any, state: Any, action: Ints) -> None:
    return


@kernel
def sample(env: Any, t: int, action: Ints, rng: np.random.Generator) -> float:
    return 0.0


@kernel
def sample_outcomes(
    env: Any, t: int, action: Ints, rng: np.random.Generator, outcomes: Floats
) -> float:
    return 0.0


@kernel
def regret(env: Any, t: int, action: Ints) -> float:
    return 0.0


@kernel
def draw(
    env: Any, t: int, action: Ints, rng: np.random.Generator, outcomes: Floats, row: int
) -> float:
    """The reward of an action."""
    return sample(env, t, action, rng)


@kernel
def draw_outcomes(
    env: Any, t: int, action: Ints, rng: np.random.Generator, outcomes: Floats, row: int
) -> float:
    """The reward of an action, and the outcome of each factor into a row of `outcomes`."""
    return sample_outcomes(env, t, action, rng, outcomes[row])


@kernel
def teach(
    params: Any, state: Any, t: int, actions: Ints, rewards: Floats, outcomes: Floats
) -> None:
    """Learn a block from its rewards."""
    learn(params, state, t, actions, rewards)


@kernel
def teach_outcomes(
    params: Any, state: Any, t: int, actions: Ints, rewards: Floats, outcomes: Floats
) -> None:
    """Learn a block from the outcomes of its factors."""
    learn(params, state, t, actions, outcomes[: len(rewards)])


idle = always_busy
active_sets = no_active_sets


@kernel
def note_active_sets(run: Run, t: int, flags: Bools) -> None:
    """Every level that went out or came in at round t becomes an event."""
    for level in range(len(flags)):
        if flags[level] != run.shown[level]:
            run.shown[level] = flags[level]
            at = run.clock[EVENTS]
            run.events[at, 0] = t
            column = 0
            while level >= run.start[column + 1]:
                column += 1
            run.events[at, 1] = run.start[column] + run.permutation[level]
            run.events[at, 2] = 1 if flags[level] else 0
            run.clock[EVENTS] += 1


@kernel
def translate(run: Run, row: Ints) -> None:
    """The environment's numbering of a policy's action, into run.action."""
    action = run.action
    start = run.start
    permutation = run.permutation
    for l in range(len(row)):
        action[l] = permutation[start[l] + row[l]]


@kernel
def play(
    params: Any,
    state: Any,
    env: Any,
    run: Run,
    policy_rng: np.random.Generator,
    rng: np.random.Generator,
    budget: int,
) -> None:
    """Play blocks until the horizon, `budget` plays (a jump counts as one), or no room is left for
    events.
    """
    action = run.action
    actions = run.actions
    rewards = run.rewards
    start = run.start
    plays = run.plays
    checkpoints = run.checkpoints
    limits = run.limits
    clock = run.clock
    noted = run.regret
    correct = run.correct
    events = run.events
    outcomes = run.outcomes
    columns = len(action)
    horizon = checkpoints[-1]
    low = limits[0]
    high = limits[1]
    shift = limits[2]
    slope = limits[3]
    t = clock[ROUND]
    checkpoint = clock[CHECKPOINT]
    total = noted[-1]

    while t <= horizon and budget > 0 and clock[FAULT] == 0:
        pause = idle(params, state, t)
        length = plan(params, state, t, policy_rng, actions)
        flags, version = active_sets(params, state)
        if version != clock[VERSION]:
            clock[VERSION] = version
            note_active_sets(run, t, flags)
        if pause > 0:  # the same play again and again, and nothing to learn from it
            pause = min(pause, horizon - t + 1)
            translate(run, actions[0])
            price = regret(env, t, action)
            for l in range(columns):
                plays[start[l] + action[l]] += pause
            while checkpoint < len(checkpoints) and checkpoints[checkpoint] < t + pause:
                noted[checkpoint] = total + price * (checkpoints[checkpoint] - t + 1)
                recommend(params, state, actions[0])
                translate(run, actions[0])
                correct[checkpoint] = regret(env, t, action) <= 0.0
                checkpoint += 1
            total += price * pause
            t += pause
            budget -= 1
            continue
        for row in range(min(length, horizon - t + 1)):
            translate(run, actions[row])
            for l in range(columns):
                plays[start[l] + action[l]] += 1
            reward = draw(env, t, action, rng, outcomes, row)
            if not (low <= reward <= high):
                clock[FAULT] = t
                rewards[0] = reward
                break
            rewards[row] = shift + slope * reward
            total += regret(env, t, action)
            if t == checkpoints[checkpoint]:
                noted[checkpoint] = total
                recommend(params, state, action)
                translate(run, action)
                correct[checkpoint] = regret(env, t, action) <= 0.0
                checkpoint += 1
            t += 1
        budget -= length
        if t <= horizon and clock[FAULT] == 0:
            teach(params, state, t - length, actions[:length], rewards[:length], outcomes)
        if clock[EVENTS] + len(run.shown) > len(events):
            break

    clock[ROUND] = t
    clock[CHECKPOINT] = checkpoint
    noted[-1] = total
