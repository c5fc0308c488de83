"""Small problems that a policy can take, for tests that run over every policy."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

import factored_bandits as fb
from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.loop import SHIFT, SLOPE, Run
from factored_bandits.core.rng import generators
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy
from factored_bandits.simulation.result import RE_ENTERED, Result, RunRecord
from factored_bandits.simulation.runner import Runner, check_playable

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
) -> Runner:
    """A runner with a checkpoint at the middle and the end; what cannot be played is refused."""
    made = fb.policies.make(policy)
    check_playable(made, problem, horizon)
    points = np.array([max(1, horizon // 2), horizon])
    return Runner(made, problem, points, seed, permute=permute, skip_idle=skip_idle)


def played(job: Runner, run: Run, t: int, length: int, rng: np.random.Generator) -> Floats:
    """Play the block planned in run.actions: what `learn` gets of it."""
    module = job.environment.module
    data = job.environment.data
    outcomes = job.policy.info.feedback == "semi-bandit"

    for row in range(length):
        action = run.actions[row]
        if outcomes:
            reward = module.sample_outcomes(data, t + row, action, rng, run.outcomes[row])
        else:
            reward = module.sample(data, t + row, action, rng)
        run.rewards[row] = run.limits[SHIFT] + run.limits[SLOPE] * reward

    return run.outcomes[:length] if outcomes else run.rewards[:length]


def answer(agent: fb.Agent, outcome: float) -> float | list[float]:
    """What `tell` of this agent takes: the outcome, or for one that learns from parts, this for the
    last factor.
    """
    return [*(1.0 for _ in range(agent._outcomes - 1)), outcome] if agent._outcomes else outcome


def never(index: int, t: int) -> bool:
    """For `Runner.repetition`: nobody asks to stop."""
    return False


def first_slice(job: Runner) -> Run:
    """The arrays of repetition 1 after one call of the loop."""
    policy_rng, rng = generators(job.seed, 1)
    state = job.new_state()
    run = job.prepare(rng, state)
    job.loop(job.params, state, job.environment.data, run, policy_rng, rng, 10**9)
    return run


def same_plays(one: RunRecord, other: RunRecord) -> bool:
    """Whether every level of every factor was played equally often."""
    return all(np.array_equal(a, b) for a, b in zip(one.plays, other.plays, strict=True))


def shaped(sizes: Sequence[int], best: Sequence[int] | None = None) -> Environment:
    """A problem of these sizes, with these best levels (by default the first ones)."""
    problem = fb.environments.make("additive", effects=[[0.0] * size for size in sizes], base=0.5)
    return dataclasses.replace(problem, best=tuple(best or [0] * len(sizes)))


def result_of(
    environment: Environment,
    regret: Floats,
    checkpoints: Ints,
    events: Sequence[tuple[int, int, int, int, str]] = (),
    *,
    policy: str | Policy = "tea",
    numbers: Sequence[int] | None = None,
    **more: Any,
) -> Result:
    """A result by hand: `regret` has a row per repetition, `numbers` says which repetitions."""
    records = []
    for number, row in zip(numbers or range(len(regret)), regret, strict=True):
        own = [(t, l, level, e == RE_ENTERED) for r, t, l, level, e in events if r == number]
        records.append(
            RunRecord(
                repetition=number,
                regret=row,
                correct=np.ones(len(row), dtype=bool),
                plays=tuple(np.zeros(size, dtype=np.int64) for size in environment.sizes),
                events=np.array(own, dtype=np.int64).reshape(-1, 4),
            )
        )

    made = fb.policies.make(policy)
    return Result(made, environment, tuple(records), checkpoints, more.pop("seed", 0), **more)


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
    """A user's own policy: the module of `policy` under another name, `changes` made to its INFO."""
    original = fb.policies.make(policy).module
    module = types.ModuleType(called)
    vars(module).update({k: v for k, v in vars(original).items() if not k.startswith("__")})
    module.INFO = dataclasses.replace(original.INFO, **changes)
    return module
