"""Small problems that a policy can take, and its blocks played by hand on them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from factored_bandits import environments
from factored_bandits.core.arrays import Ints
from factored_bandits.core.rng import generators
from factored_bandits.core.run import Run
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy, make
from factored_bandits.simulation import trial
from factored_bandits.simulation.faults import located
from factored_bandits.simulation.runner import Runner, check_playable
from factored_bandits.simulation.trial import PlayedBlock

HORIZON = 600


def additive(*sizes: int) -> Environment:
    """Each level of each factor adds a little more than the one before.

    >>> additive(3, 2).best
    (2, 1)
    """
    effects = [0.3 * np.linspace(0, 1, size) for size in sizes]
    return environments.make("additive", effects=effects, base=0.05)


def small_problems(policy: Policy) -> list[Environment]:
    """Easy problems of the policy's kind."""
    if policy.info.kind == "duel":
        return [environments.identical_gap(5, 0.9)]

    # each factor of a product has an outcome of its own: for semi-bandit feedback
    product = environments.make("rank1", factors=[[0.9, 0.5, 0.3], [0.8, 0.4, 0.3, 0.2]])
    return [additive(3, 4, 1), additive(3, 4), additive(3, 3), product]


def fitting(policy: Any) -> Environment:
    """The first small problem that the policy does not refuse."""
    made = make(policy)
    for problem in small_problems(made):
        try:
            runner(made, problem).new_state()  # a policy of one's own may refuse only here
        except InvalidInputError:
            continue
        return problem
    raise AssertionError(f"{made.label} refuses every small problem of its kind")


def runner(
    policy: Any,
    problem: Environment,
    horizon: int = HORIZON,
    seed: int = 0,
    *,
    permute: bool = True,
    skip_idle: bool = True,
) -> Runner:
    """A runner with a checkpoint at the middle and the end; what cannot be played is refused."""
    made = make(policy)
    check_playable(made, problem, horizon)
    points = np.array([max(1, horizon // 2), horizon])
    return Runner(made, problem, points, seed, permute=permute, skip_idle=skip_idle)


def play_blocks(
    policy: Any,
    rounds: int,
    seed: int = 0,
    after_plan: Callable[[Runner, Any, Ints], None] | None = None,
    after_learn: Callable[[Any], None] | None = None,
) -> Iterator[PlayedBlock]:
    """Play a policy by hand, interpreted; each block is learned after it was looked at."""
    made = runner(policy, fitting(policy), rounds)
    with located(made):
        yield from trial.play_blocks(made, rounds, seed, after_plan, after_learn)


def first_slice(runner: Runner) -> Run:
    """The arrays of repetition 1 after one call of the loop."""
    policy_rng, rng = generators(runner.seed, 1)
    state = runner.new_state()
    run = runner.prepare(rng, state)
    runner.loop(runner.params, state, runner.environment.data, run, policy_rng, rng, 10**9)
    return run


def never(index: int, t: int) -> bool:
    """For `Runner.repetition`: nobody asks to stop."""
    return False


@contextlib.contextmanager
def compiler(disabled: bool) -> Iterator[None]:
    """Switch the compiler off, or on, for a while."""
    before = os.environ.get("NUMBA_DISABLE_JIT")
    os.environ["NUMBA_DISABLE_JIT"] = "1" if disabled else "0"
    try:
        yield
    finally:
        if before is None:
            del os.environ["NUMBA_DISABLE_JIT"]
        else:
            os.environ["NUMBA_DISABLE_JIT"] = before


def require(condition: Any, message: str) -> None:
    """Raise an `AssertionError` with the message unless the condition holds."""
    if not condition:
        raise AssertionError(message)
