"""Gymnasium's own check, and the same rewards as the library's own runs."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError

PROBLEMS = {
    "rank1": lambda: fb.environments.make("rank1", factors=[[0.9, 0.5], [0.8, 0.2, 0.1]]),
    "additive": lambda: fb.environments.make("additive", effects=[[0.1, 0.4], [0.2, 0.3]]),
    "table": lambda: fb.environments.make("table", means=[[0.2, 0.8], [0.3, 0.4]]),
    "duels": lambda: fb.environments.identical_gap(5, 0.7),
    "drifting": lambda: fb.environments.make(
        "stochastically_constrained", effects=[[0.0, 0.2], [0.0, 0.1]]
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_gymnasiums_own_check(name):
    check_env(fb.gymnasium.Env(PROBLEMS[name](), horizon=20), skip_render_check=True)


@pytest.mark.parametrize("name", PROBLEMS)
def test_rewards_are_those_of_the_problem(name):
    problem = PROBLEMS[name]()
    env = fb.gymnasium.Env(problem, horizon=400)
    env.reset(seed=7)
    rng, _ = gymnasium.utils.seeding.np_random(7)
    env.action_space.seed(1)
    for t in range(1, 401):
        action = env.action_space.sample()
        _, reward, terminated, truncated, info = env.step(action)
        assert reward == problem.module.sample(problem.data, t, action, rng)
        assert info["regret"] == problem.module.regret(problem.data, t, action)
        assert info["mean"] == problem.module.mean(problem.data, t, action)
        assert (terminated, truncated) == (False, t == 400)


def test_an_agent_finds_the_best():
    env = fb.gymnasium.Env(PROBLEMS["rank1"](), horizon=2000)
    agent = fb.Agent("tea(bound=betting)", factors={"a": [0, 1], "b": [0, 1, 2]}, seed=1)
    env.reset(seed=3)
    truncated = False
    while not truncated:
        decision = agent.ask()
        _, reward, _, truncated, _ = env.step(decision.action)
        agent.tell(decision.id, reward)
    assert tuple(agent.best().values()) == (0, 0)


def test_vectors_of_environments():
    makers = [lambda: fb.gymnasium.Env(PROBLEMS["rank1"](), horizon=3) for _ in range(4)]
    vector = gymnasium.vector.SyncVectorEnv(makers)
    vector.reset(seed=1)
    for _ in range(7):
        _, rewards, _, _, info = vector.step(vector.action_space.sample())
    assert rewards.shape == (4,)
    # after three rounds an episode is over, and the next step begins another
    assert info["round"].tolist() == [3.0] * 4


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (
            lambda: fb.gymnasium.Env("rank1"),
            "environment must be what fb.environments.make returned, not 'rank1'",
        ),
        (
            lambda: fb.gymnasium.Env(PROBLEMS["table"](), horizon=0),
            "horizon must be a whole number from 1, not 0",
        ),
        (
            lambda: fb.gymnasium.Env(PROBLEMS["table"]()).step([0, 0]),
            "the episode has not begun: call reset() first",
        ),
        (lambda: over(), "the episode is over after 1 rounds: call reset()"),
        (
            lambda: started().step([0, 2]),
            "factor 1 of table (2 x 2 levels) has the levels 0 to 1; [0, 2] asks for 2",
        ),
    ],
)
def test_wrong_use(use, message):
    with pytest.raises(InvalidInputError) as raised:
        use()
    assert str(raised.value) == message


def started(horizon=5):
    env = fb.gymnasium.Env(PROBLEMS["table"](), horizon=horizon)
    env.reset(seed=1)
    return env


def over():
    env = started(1)
    env.step(np.array([0, 0]))
    env.step(np.array([0, 0]))
