"""`benchmarks/calls_in_flight.py` is `fb.arena`, compiled: the same duels, the same choice."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits import policies

FOLDER = Path(__file__).parents[2] / "benchmarks"
ARMS = list(range(5))
CALLS = 60
# where a duel of an arm with itself is decided by a draw, the two draw from other generators
LABELS = [name for name in policies.names("duel") if policies.make(name).info.self_duel == "tie"]


@pytest.fixture(scope="module")
def in_flight():
    sys.path.insert(0, str(FOLDER))
    try:
        import calls_in_flight
    finally:
        sys.path.remove(str(FOLDER))
    return calls_in_flight


@pytest.mark.parametrize("label", LABELS)
def test_one_call_at_a_time_is_an_arena(label, in_flight):
    """A judge without a draw: the larger number wins. Both have the generator of an agent."""

    async def judge(a, b):
        return float(a > b)

    options = {"budget": CALLS, "policy": label, "seed": 5, "stop_at": None, "progress": False}
    result = asyncio.run(fb.arena(ARMS, judge, concurrency=1, **options))
    asked = [{entry.call["first"], entry.call["second"]} for entry in result.entries]

    certain = 700.0 * np.arange(len(ARMS)) / len(ARMS)
    problem = fb.environments.make("duel_utility", utilities=certain, link="logistic")
    agent = fb.Agent(label, arms=ARMS, seed=5, horizon=CALLS)
    generators = (agent._learner.generator, np.random.default_rng(1))
    run = in_flight.one_run(
        label, problem, generators, np.array(ARMS), CALLS, (CALLS,), 1, compiled=False
    )
    plays = run.plays[: run.at[in_flight.ASKED]].tolist()
    assert [{first, second} for first, second in plays if first != second] == asked
    assert run.choices[0] == result.best
