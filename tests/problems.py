"""Small problems that a policy can take, for tests that run over every policy."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

import factored_bandits as fb
from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.environments import Environment
from factored_bandits.policies import Policy
from factored_bandits.simulation.record import RE_ENTERED, RunRecord
from factored_bandits.simulation.result import Result
from factored_bandits.simulation.trial import played
from factored_bandits.testing.agents import agent_for as agent
from factored_bandits.testing.agents import answer
from factored_bandits.testing.problems import (
    HORIZON,
    additive,
    first_slice,
    fitting,
    never,
)
from factored_bandits.testing.problems import runner as job

__all__ = [
    "HORIZON",
    "additive",
    "agent",
    "answer",
    "busy_agent",
    "first_slice",
    "fitting",
    "job",
    "never",
    "played",
    "result_of",
    "same_plays",
    "shaped",
    "variant",
]


def same_plays(one: RunRecord, other: RunRecord) -> bool:
    """Whether every level of every factor was played equally often."""
    return all(np.array_equal(a, b) for a, b in zip(one.plays, other.plays, strict=True))


def busy_agent(policy: str, told: int, seed: int = 6) -> fb.Agent:
    """An agent with much learned, several open blocks, shuffled answers, an expired decision."""
    busy = agent(policy, fitting(policy), seed)
    rng = np.random.default_rng(seed)
    for _ in range(told):
        busy.tell(busy.ask().id, answer(busy, float(rng.integers(2))))
    for _ in range(20):
        busy.ask()
    for identifier in rng.permutation(busy.waiting)[:12]:
        busy.tell(identifier, answer(busy, float(rng.integers(2))))
    busy.expire(busy.waiting[-1])
    return busy


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


def variant(policy: str, called: str = "mine", **changes: Any) -> types.ModuleType:
    """A user's own policy: the module of `policy` under another name, its INFO changed."""
    original = fb.policies.make(policy).module
    module = types.ModuleType(called)
    vars(module).update({k: v for k, v in vars(original).items() if not k.startswith("__")})
    module.INFO = dataclasses.replace(original.INFO, **changes)
    return module
