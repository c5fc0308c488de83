"""The policies and the environment of the guides keep what the guides say of them."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest
from pages import ROOT

import factored_bandits as fb


def load_example(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_the_policy_of_the_guide_keeps_the_contract(monkeypatch):
    """Compiled and interpreted agree, the parameter arrives, and an agent can be saved."""
    policy = load_example("epsilon_greedy")
    problem = fb.environments.spiked(levels=3, best=0.81, gap=0.5)
    compiled = fb.simulate(policy, problem, horizon=500, repetitions=3, seed=2, progress=False)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    interpreted = fb.simulate(policy, problem, horizon=500, repetitions=3, seed=2, progress=False)
    assert np.array_equal(compiled.regret, interpreted.regret)
    assert all(np.array_equal(a, b) for a, b in zip(compiled.plays, interpreted.plays, strict=True))

    always_random = fb.policies.make(policy, epsilon=1.0)
    assert always_random.label == "epsilon_greedy(epsilon=1.0)"
    plays = fb.simulate(
        always_random, problem, horizon=3000, repetitions=1, seed=2, progress=False
    ).plays[0][0]
    assert np.abs(plays - 1000).max() < 4 * np.sqrt(3000 * 2 / 9)

    agent = fb.Agent(policy, factors={"colour": ["red", "blue"]}, seed=4)
    for _ in range(30):
        decision = agent.ask()
        agent.tell(decision.id, float(decision.levels["colour"] == "blue"))
    assert agent.best() == {"colour": "blue"}
    assert fb.Agent.load(agent.dump(), policy).ask() == agent.ask()


def test_the_checks_of_the_guides_pass():
    """What docs/how-to/own-policy.md and own-environment.md tell the reader to run."""
    from factored_bandits.testing import check_environment, check_policy

    for name in ("epsilon_greedy", "hundred_tries"):
        check_policy(load_example(name), quick=True)
    check_environment(load_example("day_and_night").make([[0.9, 0.5, 0.5], [0.95, 0.5]]))


def test_the_environment_of_the_guide_changes_with_the_hour(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # not worth compiling
    problem = load_example("day_and_night").make([[0.9, 0.5], [0.8, 0.4]], day=100.0)
    module, noon, midnight = problem.module, 100, 50
    best, worst = np.array(problem.best), np.array([1, 1])
    assert module.mean(problem.data, noon, best) == pytest.approx(0.72)
    assert module.mean(problem.data, midnight, best) == pytest.approx(0.072)
    assert module.regret(problem.data, noon, worst) == pytest.approx(0.72 - 0.2)
    assert module.regret(problem.data, midnight, worst) == pytest.approx(0.1 * (0.72 - 0.2))
    rng = np.random.default_rng(3)
    rewards = [module.sample(problem.data, noon, worst, rng) for _ in range(2000)]
    assert abs(np.mean(rewards) - 0.2) < 4 * np.sqrt(0.2 * 0.8 / 2000)
    played = fb.simulate("uniform", problem, horizon=100, repetitions=200, seed=1, progress=False)
    expected = 100 * 0.55 * (0.72 - 0.7 * 0.6)  # the light averages 0.55 over a day
    assert abs(played.regret[:, -1].mean() - expected) < 4 * played.summary().standard_error
