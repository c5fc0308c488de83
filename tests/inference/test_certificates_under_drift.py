"""Rewards that drift, all levels alike: certificates and the interaction test are wrong at most as
often as they say.
"""

from __future__ import annotations

import heapq

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.policies.tem import bounds as _bounds
from inference import drifts

BOUNDS = list(_bounds.BOUNDS)
ALPHA = 0.05


def wrongly_ruled_out(sizes, bound, shape, period, noise, runs, rounds):
    """In how many runs the first level of each factor is ruled out at the end."""
    policy = fb.policies.make("tea", bound=bound)
    problem = drifts.problem(sizes, shape, period, noise)
    result = fb.simulate(
        policy, problem, rounds, repetitions=runs, seed=1, progress=False, certify=True
    )
    return [int((p_values[:, 0] <= ALPHA).sum()) for p_values in result.p_values]


@pytest.mark.full
@pytest.mark.parametrize("sizes", [(2, 20), (2, 50), (3, 7, 20), (5, 5), (1, 4)])
@pytest.mark.parametrize("shape", drifts.SHAPES)
@pytest.mark.parametrize("bound", BOUNDS)
def test_certificates_hold_under_drift(bound, shape, sizes):
    """Periods from half a phase to many phases, without noise and with."""
    runs = 200
    most = drifts.most_of(runs, ALPHA)
    phase = max(sizes)
    for period in (phase / 2, phase, 10 * phase):
        for noise in (0.0, 0.5):
            found = wrongly_ruled_out(sizes, bound, shape, period, noise, runs, rounds=2000)
            assert max(found) <= most, (period, noise, found)


def agent_under_drift(sizes, bound, shape, period, noise, seed, rounds, delay=0):
    """An agent all of whose levels are alike, told late; and whether its test ever rang."""
    factors = {f"factor {l}": list(range(size)) for l, size in enumerate(sizes)}
    agent = fb.Agent("tea", factors=factors, bound=bound, seed=seed, diagnostics=True)
    problem = drifts.problem(sizes, shape, period, noise)
    rng = np.random.default_rng(seed)
    late = []
    smallest = np.ones(len(sizes))

    for t in range(1, rounds + 1):
        decision = agent.ask()
        action = np.array(decision.action)
        reward = problem.module.sample(problem.data, t, action, rng)
        heapq.heappush(late, (t + int(rng.integers(delay + 1)), decision.id, reward))
        while late and late[0][0] <= t:
            agent.tell(*heapq.heappop(late)[1:])
        if t % 50 == 0:
            first = [p_values.p_values[0] for p_values in agent.evidence().factors]
            smallest = np.minimum(smallest, first)

    rang = bool(agent.diagnose(ALPHA).alarms)
    return smallest, rang


@pytest.mark.full
@pytest.mark.parametrize("delay", [0, 60])
@pytest.mark.parametrize(
    ("sizes", "shape", "period", "noise"),
    [((2, 20), "saw", 20, 0.0), ((3, 8), "step", 5, 0.2), ((2, 5), "sine", 12, 0.5)],
)
@pytest.mark.parametrize("bound", ["paper", "betting"])
def test_agents_hold_under_drift(bound, sizes, shape, period, noise, delay):
    """Looked at every 50 rounds, with late rewards; and no false alarm of the interaction test."""
    runs = 40
    found = [
        agent_under_drift(sizes, bound, shape, period, noise, seed, 600, delay)
        for seed in range(runs)
    ]
    most = drifts.most_of(runs, ALPHA)
    ruled_out = (np.array([smallest for smallest, _ in found]) <= ALPHA).sum(axis=0)
    assert ruled_out.max() <= most
    assert sum(rang for _, rang in found) <= most
