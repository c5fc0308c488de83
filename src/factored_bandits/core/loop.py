"""The loop in which a policy meets an environment: plan, play, learn.

`kernel.bind` puts the kernels of a policy and of an environment in and compiles the whole.

Everything that the loop changes lies in arrays that the caller owns. So it can be called in slices,
with progress and Ctrl-C in between.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import Bools, Floats, Ints
from .kernel import kernel
from .rng import held, release
from .run import (
    CHECKPOINT,
    EVENTS,
    HIGH,
    LENGTH,
    LOW,
    PLANNED,
    RECOMMENDED,
    REWARD,
    ROUND,
    SHIFT,
    SLOPE,
    VERSION,
    Run,
    inside,
    is_length,
    note_active_sets,
    note_fault,
    renumber,
)

NO_FLAGS = np.zeros(0, dtype=np.bool_)


@kernel
def always_busy(params: Any, state: Any, t: int) -> int:
    """The `idle` of a policy that has none, and of every policy where rewards change with time."""
    return 0


@kernel
def no_active_sets(params: Any, state: Any) -> tuple[Bools, int]:
    """The `active_sets` of a policy that eliminates nothing."""
    return NO_FLAGS, 0


@kernel
def trusted(level: int, size: int) -> int:
    """The `inside` of a policy whose levels need no look."""
    return -1


@kernel
def itself(rng: np.random.Generator) -> np.random.Generator:
    """The `held` of kernels that may draw by any method of a generator."""
    return rng


@kernel
def any_columns(action: Ints) -> int:
    """The `columns_of` of a loop for actions of any length."""
    return len(action)


@kernel
def two_columns(action: Ints) -> int:
    """The `columns_of` of a loop for pairs only: loops over columns need no counter then."""
    return 2


# The kernels from here to `regret` are placeholders that `bind` replaces.


@kernel
def plan(params: Any, state: Any, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Fill `actions` with a block from round t; its length."""
    return 0


@kernel
def learn(params: Any, state: Any, t: int, actions: Ints, rewards: Floats) -> None:
    """Learn the block that began at round t."""
    return


@kernel
def recommend(params: Any, state: Any, action: Ints) -> None:
    """The best action as far as is known, into `action`."""
    return


@kernel
def sample(env: Any, t: int, action: Ints, rng: np.random.Generator) -> float:
    """A reward of the action."""
    return 0.0


@kernel
def sample_outcomes(
    env: Any, t: int, action: Ints, rng: np.random.Generator, outcomes: Floats
) -> float:
    """A reward of the action, and the outcome of each factor into `outcomes`."""
    return 0.0


@kernel
def regret(env: Any, t: int, action: Ints) -> float:
    """What a round with this action loses."""
    return 0.0


@kernel
def sample_with_regret(
    env: Any, t: int, action: Ints, rng: np.random.Generator
) -> tuple[float, float]:
    """A reward of the action, and its regret, of an environment that does not do both at once."""
    return sample(env, t, action, rng), regret(env, t, action)


@kernel
def draw(
    env: Any, t: int, action: Ints, rng: np.random.Generator, outcomes: Floats, row: int
) -> tuple[float, float]:
    """The reward of an action, and its regret."""
    return sample_with_regret(env, t, action, rng)


@kernel
def draw_outcomes(
    env: Any, t: int, action: Ints, rng: np.random.Generator, outcomes: Floats, row: int
) -> tuple[float, float]:
    """The same, and the outcome of each factor into a row of `outcomes`."""
    return sample_outcomes(env, t, action, rng, outcomes[row]), regret(env, t, action)


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


columns_of = any_columns
idle = always_busy
active_sets = no_active_sets


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
    """Play blocks until the horizon is reached, `budget` plays are spent, or events fill up.

    A jump over idle rounds counts as one play. A block is never cut by the budget.
    """
    # Both generators are in registers from here on, if this is compiled for the library's kernels.
    own = held(policy_rng)
    noise = held(rng)
    play_blocks(params, state, env, run, own, noise, budget)
    release(own)
    release(noise)


@kernel
def play_blocks(
    params: Any,
    state: Any,
    env: Any,
    run: Run,
    policy_rng: np.random.Generator,
    rng: np.random.Generator,
    budget: int,
) -> None:
    """The rounds of `play`."""
    # Local names: compiled code would otherwise load each field from the tuple in every round.
    action = run.action
    actions = run.actions
    rewards = run.rewards
    offsets = run.offsets
    permutation = run.permutation
    plays = run.plays
    checkpoints = run.checkpoints
    limits = run.limits
    clock = run.clock
    noted = run.regret
    shortfall = run.shortfall
    events = run.events
    outcomes = run.outcomes

    columns = columns_of(action)
    if len(action) != columns or actions.shape[1] != columns:
        # Never so; but the compiler learns what it may replace by a constant, here and in kernels.
        return

    horizon = checkpoints[-1]
    low = limits[LOW]
    high = limits[HIGH]
    shift = limits[SHIFT]
    slope = limits[SLOPE]

    t = clock[ROUND]
    checkpoint = clock[CHECKPOINT]
    noted_version = clock[VERSION]
    total = noted[-1]
    full = False
    length = 1

    while t <= horizon and budget > 0:
        # Asked before `plan`, of the state that the last block left.
        pause = idle(params, state, t)
        length = plan(params, state, t, policy_rng, actions)

        if not is_length(length, len(actions)):
            break  # noted below: written here, it takes registers from every round

        flags, version = active_sets(params, state)
        if version != noted_version:
            noted_version = version
            note_active_sets(run, t, flags)
            # The next block can add as many events as there are flags.
            full = clock[EVENTS] + len(run.shown) > len(events)

        if pause > 0:
            # The same play again and again, and nothing to learn from it: jump.
            pause = min(pause, horizon - t + 1)
            wrong = renumber(permutation, offsets, actions[0], action)
            if wrong >= 0:
                note_fault(clock, t, PLANNED, wrong, actions[0, wrong])
                return
            price = regret(env, t, action)
            for l in range(columns):
                plays[offsets[l] + action[l]] += pause

            while checkpoint < len(checkpoints) and checkpoints[checkpoint] < t + pause:
                noted[checkpoint] = total + price * (checkpoints[checkpoint] - t + 1)
                recommend(params, state, actions[0])
                wrong = renumber(permutation, offsets, actions[0], action)
                if wrong >= 0:
                    note_fault(clock, t, RECOMMENDED, wrong, actions[0, wrong])
                    return
                shortfall[checkpoint] = regret(env, t, action)
                checkpoint += 1

            total += price * pause
            t += pause
            budget -= 1
            continue

        for row in range(min(length, horizon - t + 1)):
            # `renumber`, written out: all levels are looked at before the first is used, without a
            # branch for each, which was a third of the time of uniform play.
            signs = -1
            for l in range(columns):
                signs &= inside(actions[row, l], offsets[l + 1] - offsets[l])
            if signs >= 0:
                wrong = renumber(permutation, offsets, actions[row], action)
                note_fault(clock, t, PLANNED, wrong, actions[row, wrong])
                return
            for l in range(columns):
                first = offsets[l]
                action[l] = permutation[first + actions[row, l]]
                plays[first + action[l]] += 1

            reward, price = draw(env, t, action, rng, outcomes, row)
            # Written so that nan is a fault, too.
            if not (low <= reward <= high):
                note_fault(clock, t, REWARD, 0, 0)
                rewards[0] = reward
                return
            rewards[row] = shift + slope * reward
            total += price

            if t == checkpoints[checkpoint]:
                noted[checkpoint] = total
                # The scratch row `action` is free again: it takes the recommendation.
                recommend(params, state, action)
                wrong = renumber(permutation, offsets, action, action)
                if wrong >= 0:
                    note_fault(clock, t, RECOMMENDED, wrong, action[wrong])
                    return
                shortfall[checkpoint] = regret(env, t, action)
                checkpoint += 1
            t += 1

        budget -= length
        # A block that the horizon cuts short is not learned: no round is left to use it in.
        if t <= horizon:
            teach(params, state, t - length, actions[:length], rewards[:length], outcomes)

        if full:
            break

    if not is_length(length, len(actions)):
        note_fault(clock, t, LENGTH, 0, length)

    clock[ROUND] = t
    clock[VERSION] = noted_version
    clock[CHECKPOINT] = checkpoint
    noted[-1] = total
