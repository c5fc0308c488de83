"""The first rounds of a policy, played by hand in plain Python, with every answer looked at.

A slip in compiled code can end the interpreter without a word: an index outside an array reaches
memory of others. So a policy or an environment from outside the library plays some rounds here
before it is compiled, and what is wrong is said with the file and the line.
"""

from __future__ import annotations

import math
import operator
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.rng import generators
from factored_bandits.core.run import HIGH, LOW, SHIFT, SLOPE, Run
from factored_bandits.errors import ContractError
from factored_bandits.policies.contract import state_fault

from .faults import located, wrong_length, wrong_level, wrong_reward
from .runner import Runner

ROUNDS = 200
SECONDS = 0.5


class PlayedBlock(NamedTuple):
    """A block that was planned and played, before it is learned."""

    t: int  # its first round
    runner: Runner
    state: Any
    actions: Ints
    rewards: Floats  # what `learn` gets


def try_out(runner: Runner) -> None:
    """Play some rounds of a policy or an environment of one's own.

    Parameters
    ----------
    runner
        The policy on the problem.

    Raises
    ------
    ContractError
        If something breaks the contract; the message names the file and the line.
    RewardOutOfRangeError
        If a reward lies outside the range that was declared to the policy.
    """
    began = time.monotonic()
    rounds = min(ROUNDS, runner.horizon)

    # Compiled, a division by zero or an overflow is no warning either.
    with located(runner), np.errstate(all="ignore"):
        for block in play_blocks(runner, rounds, runner.seed):
            check_recommendation(block)
            if time.monotonic() - began > SECONDS:
                break


def play_blocks(
    runner: Runner,
    rounds: int,
    seed: int = 0,
    after_plan: Callable[[Runner, Any, Ints], None] | None = None,
    after_learn: Callable[[Any], None] | None = None,
) -> Iterator[PlayedBlock]:
    """Play a policy by hand; each block is learned after it was looked at."""
    module = runner.policy.module
    state = runner.new_state()
    wrong = state_fault(module, state)
    if wrong:
        raise ContractError(f"{runner.policy.label}: {wrong}")

    policy_rng, rng = generators(seed)
    run = runner.prepare(rng, state)
    t = 1

    while t <= rounds:
        if runner.policy.skips:
            module.idle(runner.params, state, t)
        length = module.plan(runner.params, state, t, policy_rng, run.actions)
        check_block(runner, t, length, run.actions)
        if after_plan is not None:
            after_plan(runner, state, run.actions[:length])
        if runner.policy.eliminates:
            _check_flags(runner, module.active_sets(runner.params, state)[0], run)

        rewards = played(runner, run, t, length, rng)
        yield PlayedBlock(t, runner, state, run.actions[:length], rewards)
        module.learn(runner.params, state, t, run.actions[:length], rewards)
        if after_learn is not None:
            after_learn(state)
        t += length


def check_block(runner: Runner, t: int, length: Any, actions: Ints) -> None:
    """Refuse a block of a length that cannot be, or with a level that does not exist."""
    try:
        number = operator.index(length)
    except TypeError:
        raise wrong_length(runner, t, length) from None
    if not 1 <= number <= len(actions):
        raise wrong_length(runner, t, length)

    for action in actions[:number]:
        _check_levels(runner, t, "plan", action)


def check_recommendation(block: PlayedBlock) -> None:
    """Refuse a recommendation of a level that does not exist."""
    runner = block.runner
    action = np.full(len(runner.sizes), -1)
    runner.policy.module.recommend(runner.params, block.state, action)
    _check_levels(runner, block.t, "recommend", action)


def _check_levels(runner: Runner, t: int, function: str, action: Ints) -> None:
    for column, level in enumerate(action):
        if not 0 <= level < runner.sizes[column]:
            raise wrong_level(runner, t, function, column, int(level))


def _check_flags(runner: Runner, flags: Any, run: Run) -> None:
    if len(flags) != len(run.shown):
        raise ContractError(
            f"{runner.policy.label}: active_sets gave {len(flags)} flags, and {len(run.shown)} "
            "before the first round"
        )


def played(runner: Runner, run: Run, t: int, length: int, rng: np.random.Generator) -> Floats:
    """Play the block planned in run.actions: what `learn` gets of it."""
    module: Any = runner.environment.module
    data = runner.environment.data
    semi_bandit = runner.policy.info.feedback == "semi-bandit"

    for row in range(length):
        action = run.actions[row]
        if semi_bandit:
            reward = module.sample_outcomes(data, t + row, action, rng, run.outcomes[row])
        else:
            reward = module.sample(data, t + row, action, rng)
        if not run.limits[LOW] <= reward <= run.limits[HIGH]:
            raise wrong_reward(runner, t + row, action, reward)
        _check_regret(runner, module.regret(data, t + row, action), action)
        run.rewards[row] = run.limits[SHIFT] + run.limits[SLOPE] * reward

    return run.outcomes[:length] if semi_bandit else run.rewards[:length]


def _check_regret(runner: Runner, regret: float, action: Ints) -> None:
    if not math.isfinite(regret):
        raise ContractError(
            f"{runner.environment.name}: the regret of action {tuple(action.tolist())} is {regret}"
        )
