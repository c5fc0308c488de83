"""What a policy keeps while it is played block by block, interpreted."""

from __future__ import annotations

from typing import Any

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.rng import generators
from factored_bandits.core.run import SHIFT, SLOPE
from factored_bandits.policies import Policy
from factored_bandits.simulation.runner import Runner
from factored_bandits.simulation.trial import check_recommendation

from . import problems
from .problems import require


def recommendation_is_legal_from_the_start(policy: Policy) -> None:
    """`recommend` answers with levels that exist, also before anything is known."""
    runner = problems.runner(policy, problems.fitting(policy))
    action = np.full(len(runner.sizes), -1)
    policy.module.recommend(runner.params, runner.new_state(), action)
    legal = ((action >= 0) & (action < runner.sizes)).all()
    require(legal, f"recommend gives {action.tolist()} before the first round")
    if policy.info.kind == "duel":
        require(action[0] == action[1], f"recommend gives two arms, {action.tolist()}")


def plans_are_legal(policy: Policy) -> None:
    """Blocks have at least one play, fit the buffer, and name levels that exist."""
    for block in problems.play_blocks(policy, 300):
        check_recommendation(block)  # the blocks are looked at while they are played


def learning_ignores_scratch(policy: Policy) -> None:
    """A copy of the state learns the same: nothing hides outside State."""
    copies: list[Any] = []

    def compare(state: Any) -> None:
        for field, original, copied in zip(state._fields, state, copies.pop(), strict=True):
            same = np.array_equal(original, copied, equal_nan=True)
            require(same, f"State.{field} of a copied state learns something else")

    for block in problems.play_blocks(policy, 120, after_learn=compare):
        copy = type(block.state)(*(array.copy() for array in block.state))
        arguments = (block.t, block.actions.copy(), block.rewards.copy())
        policy.module.learn(block.runner.params, copy, *arguments)
        copies.append(copy)


def propensities_are_probabilities(policy: Policy) -> None:
    """They add up to one, and what was played had a positive one."""

    def look(runner: Runner, state: Any, actions: Ints) -> None:
        known = policy.module.propensities(runner.params, state, len(actions))
        require(len(known) == len(runner.sizes), "propensities must be one array per factor")
        for column, probabilities in enumerate(known):
            total = probabilities.sum()
            require(abs(total - 1.0) <= 1e-6, f"propensities of factor {column} sum to {total}")
            require((probabilities >= 0).all(), f"a propensity of factor {column} is negative")
            chosen = probabilities[actions[:, column]]
            require((chosen > 0).all(), f"factor {column} played a level of probability 0")

    for _ in problems.play_blocks(policy, 300, after_plan=look):
        pass


def active_sets_change_with_their_version(policy: Policy) -> None:
    """Whenever a flag of the active sets changes, their version does."""
    seen: dict[int, list[bool]] = {}
    for block in problems.play_blocks(policy, 2500):
        flags, version = policy.module.active_sets(block.runner.params, block.state)
        known = seen.setdefault(int(version), flags.tolist())
        require(known == flags.tolist(), f"round {block.t}: flags changed, their version did not")


def idle_rounds_change_nothing(policy: Policy) -> None:
    """In idle rounds there is one play, as before, no random draw, and no reward matters."""
    module = policy.module
    problem = problems.fitting(policy)
    runner = problems.runner(policy, problem, 10**6)
    state = runner.new_state()
    policy_rng, rng = generators(5)
    run = runner.prepare(rng, state)
    t = 1
    before_idle = 0
    kept = 0

    while kept < 50 and t < 10**5:
        idle = module.idle(runner.params, state, t)
        require(idle >= before_idle - 1, f"round {t} was called idle, and is not")
        before = [array.copy() for array in state]
        random = policy_rng.bit_generator.state
        length = module.plan(runner.params, state, t, policy_rng, run.actions)

        for row in range(length):
            reward: float = kept % 2
            if not idle:
                reward = problem.module.sample(problem.data, t + row, run.actions[row], rng)
            run.rewards[row] = run.limits[SHIFT] + run.limits[SLOPE] * reward
        module.learn(runner.params, state, t, run.actions[:length], run.rewards[:length])

        if idle:
            require(length == 1, f"{length} plays are planned in an idle round")
            unchanged = policy_rng.bit_generator.state == random
            require(unchanged, "random numbers are drawn in an idle round")
            for field, old, new in zip(state._fields, before, state, strict=True):
                require(np.array_equal(old, new), f"State.{field} changes in an idle round")
            kept += 1

        t += length
        before_idle = idle

    require(kept == 50, "the policy never came to rest on an easy problem")
