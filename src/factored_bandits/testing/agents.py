"""What every policy must keep inside an `Agent`: before the first round, late, and when saved."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from factored_bandits.agent import Agent
from factored_bandits.core.arrays import Ints
from factored_bandits.environments import Environment
from factored_bandits.errors import DumpError, InvalidInputError
from factored_bandits.policies import Policy, make
from factored_bandits.policies import __name__ as library
from factored_bandits.policies.limits import Limited, check_state
from factored_bandits.simulation.runner import Runner

from . import problems
from .problems import HORIZON, require

SHORT_HORIZON = 3
ROUNDS = 60
LATE = 7  # answers that are open at a time


def agent_for(
    policy: Any, problem: Environment, seed: int = 0, horizon: int = HORIZON
) -> Agent[Any]:
    """An agent for the problem, with the numbers of the levels as labels.

    >>> agent_for("tea", problems.additive(2, 2)).best()
    {'factor 0': 0, 'factor 1': 0}
    """
    made = make(policy)
    common: dict[str, Any] = {
        "reward_range": problem.reward_range,
        "seed": seed,
        "horizon": horizon,
    }
    if problem.kind == "duel":
        default = None if made.info.ties else 0.0  # a tie, for those who can learn from it
        return Agent(made, arms=list(range(problem.sizes[0])), default=default, **common)

    factors = {f"factor {l}": list(range(k)) for l, k in enumerate(problem.sizes)}
    return Agent(made, factors=factors, **common)


def answer(agent: Agent[Any], outcome: float) -> float | list[float]:
    """What `tell` takes: the outcome, or with semi-bandit feedback this for the last factor."""
    others = [1.0] * (agent._outcomes - 1)
    return [*others, outcome] if agent._outcomes else outcome


def new_agent_answers(policy: Policy) -> None:
    """Before the first round `best`, `status` and `confidence` answer, without dividing by 0."""
    agent = agent_for(policy, problems.fitting(policy))
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        agent.best()
        str(agent.status())
        confidence = agent.confidence()
    require(confidence in (None, 0.0), f"an agent that knows nothing is sure to {confidence}")


def goes_on_beyond_the_horizon(policy: Policy) -> None:
    """An agent can be asked more often than it was told, with late answers, and be saved then."""
    module = None if policy.module.__name__.startswith(f"{library}.") else policy.module
    try:
        agent = agent_for(policy, problems.fitting(policy), horizon=SHORT_HORIZON)
    except InvalidInputError:
        return  # it refuses so short a horizon

    rng = np.random.default_rng(0)
    for number in range(20 * SHORT_HORIZON):
        agent.ask()
        waiting = agent.waiting
        if len(waiting) > LATE:
            agent.tell(int(rng.choice(waiting)), answer(agent, float(rng.integers(2))))
        if number == 10 * SHORT_HORIZON:
            agent = Agent.load(agent.dump(), policy=module)
    agent.best()


def state_keeps_its_limits(policy: Policy) -> None:
    """No state that comes up in play would be refused in a dump."""
    problem = problems.fitting(policy)
    fresh = problems.runner(policy, problem, ROUNDS).new_state()
    declared = isinstance(fresh, Limited)
    require(
        declared or not policy.module.__name__.startswith(f"{library}."),
        "a state of the library must say what its arrays may hold: State.limits",
    )
    nothing = np.zeros((0, len(problem.sizes)), dtype=np.int64)

    def look(state: Any, planned: Ints) -> None:
        try:
            check_state(policy.encoded(), state, fresh, planned)
        except DumpError as error:
            raise AssertionError(f"a state would be refused when loaded: {error}") from error

    def after_plan(runner: Runner, state: Any, actions: Ints) -> None:
        look(state, actions)

    def after_learn(state: Any) -> None:
        look(state, nothing)

    for _ in problems.play_blocks(policy, ROUNDS, after_plan=after_plan, after_learn=after_learn):
        pass
