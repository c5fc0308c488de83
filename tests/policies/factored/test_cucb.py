"""CUCB and the outcomes of the factors: what an environment shows, and what the loop passes on."""

from __future__ import annotations

import math

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.core.rng import generators
from factored_bandits.policies.factored import cucb

QUALITIES = [[0.9, 0.5, 0.3], [0.8, 0.4]]


def test_outcomes_multiply_to_the_reward_and_have_the_qualities_as_means():
    problem, rng = fb.environments.make("rank1", factors=QUALITIES), np.random.default_rng(1)
    assert problem.semi_bandit
    for action in ((0, 0), (2, 1)):
        outcomes, seen, rewards = np.zeros(2), [], []
        for _ in range(4000):
            rewards.append(
                problem.module.sample_outcomes(problem.data, 1, np.array(action), rng, outcomes)
            )
            seen.append(outcomes.copy())
        assert np.array_equal(rewards, np.prod(seen, axis=1))
        expected = np.array([QUALITIES[l][i] for l, i in enumerate(action)])
        error = np.sqrt(expected * (1 - expected) / 4000)
        assert (np.abs(np.mean(seen, axis=0) - expected) < 5 * error).all()
        mean = problem.mean(action)
        assert abs(np.mean(rewards) - mean) < 5 * math.sqrt(mean * (1 - mean) / 4000)


def test_who_shows_outcomes():
    assert not fb.environments.make("rank1", factors=QUALITIES, noise="gaussian").semi_bandit
    assert not problems.additive(3, 2).semi_bandit
    assert not fb.environments.identical_gap(4, 0.8).semi_bandit


def test_the_loop_teaches_outcomes():
    """Counts and sums of the levels are those of the outcomes: means near the qualities, not near
    the products.
    """
    problem = fb.environments.make("rank1", factors=QUALITIES)
    job = problems.job("cucb", problem, 20_000, permute=False)
    policy_rng, rng = generators(0)
    state = job.new_state()
    run = job.prepare(rng, state)
    job.loop(job.params, state, problem.data, run, policy_rng, rng, 10**6)
    assert state.plays.sum() == 2 * 19_999  # the last round is not learned
    means, qualities = state.total / state.plays, np.concatenate(QUALITIES)
    assert (
        np.abs(means - qualities) < 5 * np.sqrt(qualities * (1 - qualities) / state.plays)
    ).all()
    assert run.plays[0] > 19_000


def test_index_by_hand():
    """Round 100, 40 of 50 and 1 of 2: 0.8 + sqrt(1.5 log 100 / 50) = 1.172 < 0.5 + sqrt(1.5 log 100
    / 2) = 2.358.
    """
    params = fb.policies.make("cucb").encoded()
    state = cucb.init(params, np.array([2]), 0)
    actions = np.zeros((2, 1), dtype=np.int64)
    state.plays[:] = [50, 2]
    state.total[:] = [40.0, 1.0]
    cucb.plan(params, state, 100, np.random.default_rng(0), actions)
    assert actions[0, 0] == 1

    # 0.3 + sqrt(1.5 log 100 / 10) = 1.131 < 0.8 + 0.372 = 1.172
    state.plays[1] = 10
    state.total[1] = 3.0
    cucb.plan(params, state, 100, np.random.default_rng(0), actions)
    assert actions[0, 0] == 0
    assert cucb.propensities(params, state, 1)[0].tolist() == [1.0, 0.0]


def test_outcomes_make_it_easy_and_regret_grows_like_a_logarithm():
    problem = fb.environments.spiked(16, 0.75, 0.2)
    result = fb.simulate(
        "cucb", problem, 1e5, repetitions=10, seed=1, checkpoints=[10**4], progress=False
    )
    early, late = result.regret.mean(axis=0)
    assert late - early < 0.5 * (math.sqrt(10) - 1) * early
    blind = fb.simulate("per_factor_ucb", problem, 1e5, repetitions=10, seed=1, progress=False)
    assert late < blind.summary().mean


def test_refusals():
    with pytest.raises(
        fb.errors.InvalidInputError,
        match="learns from the outcome of each factor, and additive only gives",
    ):
        fb.simulate("cucb", problems.additive(3, 2), 100)
    agent = fb.Agent("cucb", factors={"a": ["x", "y"], "b": [1, 2]})
    identifier, before = agent.ask().id, agent.dump()
    for wrong in (1.0, [1.0], {"a": 1.0}, {"a": 1.0, "c": 0.0}, "10", None):
        with pytest.raises(
            fb.errors.RewardOutOfRangeError, match=r"each factor: give \{'a': \.\.\., 'b'"
        ):
            agent.tell(identifier, wrong)
    with pytest.raises(fb.errors.RewardOutOfRangeError, match="outside the declared range"):
        agent.tell(identifier, {"a": 1.0, "b": 2.0})
    with pytest.raises(fb.errors.RewardOutOfRangeError, match="finite"):
        agent.tell(identifier, {"a": 1.0, "b": None})
    assert agent.dump() == before
    with pytest.raises(fb.errors.InvalidInputError, match="alpha must be at least 0"):
        fb.policies.make("cucb", alpha=-1).check(np.array([3, 3]), 100)


def test_an_agent_takes_outcomes_by_name_or_in_order_of_the_factors():
    named, listed = (fb.Agent("cucb", factors={"a": ["x", "y"], "b": [1, 2]}) for _ in range(2))
    for _ in range(200):
        decision = named.ask()
        assert decision == listed.ask()
        outcome = {
            "b": float(decision.levels["b"] == 2),
            "a": 0.0 if decision.levels["a"] == "x" else 0.5,
        }
        named.tell(decision.id, outcome)
        listed.tell(decision.id, [outcome["a"], outcome["b"]])
    assert named.dump() == listed.dump()
    assert named.best() == {"a": "y", "b": 2}


def test_it_says_what_it_learns_from():
    assert "learns from the outcome of each factor" in str(fb.policies.describe("cucb"))
    assert "learns from" not in str(fb.policies.describe("tea"))
