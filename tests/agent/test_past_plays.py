"""A log as the history of an agent with factors: as if the agent had played it itself."""

from __future__ import annotations

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError, RewardOutOfRangeError

FACTORS = {"a": ["x", "y"], "b": [1, 2, 3]}
MEANS = np.array([[0.2, 0.5, 0.3], [0.4, 0.8, 0.1]])
ABLE = ["flat_ucb1", "lin_thompson", "lin_ucb", "logistic_thompson"]


def play(agent, rounds, rng):
    rows = []
    for _ in range(rounds):
        decision = agent.ask()
        reward = float(rng.random() < MEANS[decision.action])
        agent.tell(decision.id, reward)
        rows.append((decision, reward))
    return rows


def agent_of(name, **arguments):
    return fb.Agent(name, factors=FACTORS, seed=3, compiled=False, **arguments)


def test_who_can_begin_with_a_log():
    factored = fb.policies.names("factored")
    assert [name for name in factored if fb.policies.make(name).takes_history] == ABLE


def test_a_log_knows_its_factors():
    rows = [{"a": "x", "b": 1, "reward": 1.0}, {"a": "y", "b": 2, "reward": 0.0}]
    log = fb.load_log(rows, factors=["a", "b"], reward="reward")
    told = fb.Agent("flat_ucb1", factors=log.factors, history=log, seed=3)
    alone = fb.Agent("flat_ucb1", history=log, seed=3)
    assert alone.dump() == told.dump()
    with pytest.raises(InvalidInputError, match=r"either factors.*not neither"):
        fb.Agent("flat_ucb1", history=rows)


def test_none_of_them_gives_certificates():
    """A proof rests on a policy's own random draws; a log must not enter it."""
    assert not any(fb.policies.make(name).certifies for name in ABLE)


@pytest.mark.parametrize("name", ABLE)
def test_a_log_of_its_own_is_as_if_it_had_played_it(name):
    rng = np.random.default_rng(1)
    played = agent_of(name)
    rows = play(played, 150, rng)
    told = agent_of(name, history=fb.load_log(rows))
    assert told.best() == played.best()

    # the same state, so with the same random numbers it goes on in the same way
    told._generator.bit_generator.state = played._generator.bit_generator.state
    for _ in range(40):
        one, other = played.ask(), told.ask()
        assert one.action == other.action
        reward = float(rng.random() < MEANS[one.action])
        played.tell(one.id, reward)
        told.tell(other.id, reward)


@pytest.mark.parametrize("name", ABLE)
def test_it_survives_a_dump(name):
    rows = play(agent_of("uniform"), 60, np.random.default_rng(2))
    agent = agent_of(name, history=fb.load_log(rows))
    loaded = fb.Agent.load(agent.dump())
    for _ in range(10):
        one, other = agent.ask(), loaded.ask()
        assert one == other
        agent.tell(one.id, 1.0)
        loaded.tell(other.id, 1.0)
    assert agent.status().asked == 10
    assert agent.dump() == loaded.dump()


@pytest.mark.parametrize("name", ABLE)
def test_a_log_of_others_spares_the_search(name):
    """A log in which somebody else preferred bad combinations: the best is known at once."""
    rng = np.random.default_rng(4)
    means = np.array([[0.2, 0.4, 0.1], [0.5, 0.8, 0.3]])  # which the linear models fit well enough
    actions = np.column_stack([rng.integers(2, size=3000), rng.integers(3, size=3000)])
    actions[::2] = (0, 0)
    rewards = (rng.random(3000) < means[tuple(actions.T)]).astype(float)
    log = fb.logs.Log({"a": ("x", "y"), "b": (1, 2, 3)}, actions, rewards)
    assert agent_of(name, history=log).best() == {"a": "y", "b": 2}


def test_sources_of_a_history(tmp_path):
    columns = {"b": [2, 2, 1], "a": ["y", "x", "y"], "reward": [1, 0, 0]}
    path = tmp_path / "log.csv"
    path.write_text("b,a,reward\n2,y,1\n2,x,0\n1,y,0\n")
    by_log = fb.load_log(columns, factors=["b", "a"])  # in another order, with fewer levels
    dumps = {agent_of("flat_ucb1", history=one).dump() for one in (by_log, columns, path)}
    assert len(dumps) == 1
    assert agent_of("flat_ucb1", history=by_log).best() == {"a": "y", "b": 2}


def test_other_ranges_of_rewards():
    log = fb.load_log({"a": ["x"], "b": [1], "reward": [7]}, ["a", "b"], reward_range=(0, 10))
    agent = agent_of("flat_ucb1", history=log, reward_range=(0, 10))
    assert agent.best() == {"a": "x", "b": 1}
    with pytest.raises(RewardOutOfRangeError) as raised:
        agent_of("flat_ucb1", history=log)
    assert str(raised.value) == (
        "history, row 1: the reward 7 lies outside the declared range (0, 1)"
    )
    unbounded = agent_of("lin_ucb", history=log, reward_range=None)
    assert unbounded.best()["a"] == "x"


@pytest.mark.parametrize(
    "name", ["tea", "leader_tea", "marginal_thompson", "exp3", "imed_ub", "flat_thompson"]
)
def test_others_say_why_not_and_who_can(name):
    with pytest.raises(InvalidInputError) as raised:
        agent_of(name, history=fb.load_log({"a": ["x"], "b": [1], "reward": [1]}, ["a", "b"]))
    assert str(raised.value) == (
        f"{name} cannot use a history: what it learns depends on how it chose its own plays. "
        f"Those that can: {', '.join(ABLE)}"
    )


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"a": ["x"], "reward": [1]},
            "history: the factors of the log are a; those of the agent are a, b",
        ),
        (
            {"a": ["x", "z"], "b": [1, 1], "reward": [1, 1]},
            "history, row 2: there is no level 'z' of 'a' here; its levels are 'x', 'y'",
        ),
        (
            {"a": ["x"], "b": [True], "reward": [1]},
            "history, row 1: there is no level True of 'b' here; its levels are 1, 2, 3",
        ),
    ],
)
def test_a_log_that_does_not_fit(columns, message):
    log = fb.load_log(columns, factors=[name for name in columns if name != "reward"])
    with pytest.raises(InvalidInputError) as raised:
        agent_of("flat_ucb1", history=log)
    assert str(raised.value) == message


def test_what_is_no_log():
    with pytest.raises(InvalidInputError, match="history: a log must be a data frame"):
        agent_of("flat_ucb1", history=17)
