"""Small problems that a policy can take, for tests that run over every policy."""

from __future__ import annotations

import dataclasses
import types
from typing import Any

import numpy as np

import factored_bandits as fb
from factored_bandits.core.arrays import Floats
from factored_bandits.core.loop import Run
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy
from factored_bandits.simulation.simulate import Job, check_fit

HORIZON = 600


def additive(*sizes: int) -> Environment:
    """Each level of each factor adds a little more than the one before."""
    return fb.environments.make(
        "additive", effects=[0.3 * np.linspace(0, 1, size) for size in sizes], base=0.05
    )


def fitting(policy: str | Policy) -> Environment:
    """The first small problem that the policy does not refuse."""
    made = fb.policies.make(policy)
    duels = [fb.environments.identical_gap(5, 0.9)]
    shown = fb.environments.make(
        "rank1", factors=[[0.9, 0.5, 0.3], [0.8, 0.4, 0.3, 0.2]]
    )  # each factor's outcome
    for problem in (
        duels
        if made.info.kind == "duel"
        else [additive(3, 4, 1), additive(3, 4), additive(3, 3), shown]
    ):
        try:
            check_fit(made, problem)
            job(made, problem)
        except InvalidInputError:
            continue
        return problem
    raise AssertionError(f"no small problem fits {made.label}")


def job(
    policy: str | Policy,
    problem: Environment,
    horizon: int = HORIZON,
    seed: int = 0,
    *,
    permute=True,
    skip_idle=True,
) -> Job:
    """A job with a checkpoint at the middle and the end."""
    points = np.array([max(1, horizon // 2), horizon])
    return Job(fb.policies.make(policy), problem, points, seed, permute, skip_idle)


def played(job: Job, run: Run, t: int, length: int, rng: np.random.Generator) -> Floats:
    """Play the block planned in run.actions: what `learn` gets of it."""
    module, data, outcomes = (
        job.problem.module,
        job.problem.data,
        job.policy.info.feedback == "semi-bandit",
    )
    for row in range(length):
        extra = (run.outcomes[row],) if outcomes else ()
        reward = (module.sample_outcomes if outcomes else module.sample)(
            data, t + row, run.actions[row], rng, *extra
        )
        run.rewards[row] = run.limits[2] + run.limits[3] * reward
    return run.outcomes[:length] if outcomes else run.rewards[:length]


def answer(agent: fb.Agent, outcome: float) -> float | list[float]:
    """What `tell` of this agent takes: the outcome, or for one that learns from parts, this for the
    last factor.
    """
    return [*(1.0 for _ in range(agent._outcomes - 1)), outcome] if agent._outcomes else outcome


def never(index: int, t: int) -> bool:
    """For `Job.repetition`: nobody asks to stop."""
    return False


def agent(
    policy: str | Policy, problem: Environment, seed: int = 0, horizon: int = HORIZON
) -> fb.Agent:
    """An agent for the problem, with the numbers of the levels as labels; raw or bounded like the
    problem.
    """
    common = {"reward_range": problem.reward_range, "seed": seed, "horizon": horizon}
    if problem.kind == "duel":
        default = (
            None if fb.policies.make(policy).info.ties else 0.0
        )  # a tie, for those who can learn from it
        return fb.Agent(policy, arms=list(range(problem.sizes[0])), default=default, **common)
    return fb.Agent(
        policy,
        factors={f"factor {l}": list(range(k)) for l, k in enumerate(problem.sizes)},
        **common,
    )


def variant(policy: str, called: str = "mine", **changes: Any) -> types.ModuleType:
    """A user's own policy: the module of `policy` under another name, with `changes` to its INFO."""
    original = fb.policies.make(policy).module
    module = types.ModuleType(called)
    vars(module).update({k: v for k, v in vars(original).items() if not k.startswith("__")})
    module.INFO = dataclasses.replace(original.INFO, **changes)
    return module
