"""An agent without a policy: it plays the default, which certifies, and a dump says which it is."""

from __future__ import annotations

import json

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError

FACTORS = {"ad": ["A", "B", "C"], "position": ["top", "side"]}
ARMS = ["draft A", "draft B", "draft C"]
CASES = [("factored", {"factors": FACTORS}), ("duel", {"arms": ARMS})]


def play(agent, rounds, seed=3):
    """Level or arm 0 is the best, by far."""
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        decision = agent.ask()
        first, second = decision.action
        if "ad" in decision.levels:
            probability = 0.95 - 0.45 * (first > 0) - 0.45 * (second > 0)
        else:
            probability = 0.5 + 0.45 * ((second > 0) - (first > 0))
        agent.tell(decision.id, float(rng.random() < probability))


@pytest.mark.parametrize(("kind", "given"), CASES)
def test_it_is_the_default_by_its_name(kind, given):
    unnamed = fb.Agent(**given, seed=5)
    named = fb.Agent(fb.policies.default(kind), **given, seed=5)
    play(unnamed, 100)
    play(named, 100)
    assert unnamed.dump() == named.dump()


@pytest.mark.parametrize(("kind", "given"), CASES)
def test_a_newcomer_gets_a_statement_and_no_horizon_is_asked_for(kind, given):
    made = fb.policies.make(fb.policies.default(kind))
    assert made.certifies
    assert made.info.kind == kind
    assert not made.info.needs_horizon

    agent = fb.Agent(**given, seed=1)
    assert agent.confidence() == 0.0
    play(agent, 1000)
    assert agent.confidence() > 0.9
    assert agent.best() in ({"ad": "A", "position": "top"}, "draft A")


@pytest.mark.parametrize(("kind", "given"), CASES)
def test_a_dump_says_what_was_played(kind, given):
    agent = fb.Agent(**given)
    play(agent, 20)
    made = fb.policies.make(fb.policies.default(kind))
    saved = json.loads(agent.dump())["agent"]["policy"]
    assert saved["name"] == made.name
    assert saved["params"] == made.params._asdict()


@pytest.mark.parametrize(("kind", "given"), CASES)
def test_an_agent_that_is_loaded_keeps_its_policy_when_the_default_changes(
    kind, given, monkeypatch
):
    agent = fb.Agent(**given)
    play(agent, 20)
    other = {"factored": "uniform", "duel": "dueling_uniform"}
    monkeypatch.setattr("factored_bandits.policies.defaults.DEFAULTS", other)
    assert json.loads(fb.Agent(**given).dump())["agent"]["policy"]["name"] == other[kind]

    loaded = fb.Agent.load(agent.dump())
    play(loaded, 50)
    play(agent, 50)
    assert loaded.dump() == agent.dump()


def test_parameters_need_a_name():
    """Those of another default would mean something else; and a misspelt argument is told."""
    with pytest.raises(InvalidInputError, match="reward_rnage: no argument of Agent; a parameter"):
        fb.Agent(factors=FACTORS, reward_rnage=(0, 1))
    with pytest.raises(InvalidInputError, match="alpha, beta: no argument of Agent"):
        fb.Agent(arms=ARMS, alpha=2, beta=3)


def test_unbounded_rewards_have_a_default_of_their_own():
    """Bets need a range; the bound of the paper does not."""
    agent = fb.Agent(factors=FACTORS, reward_range=None)
    assert json.loads(agent.dump())["agent"]["policy"]["name"] == "tea"
    rng = np.random.default_rng(1)
    for _ in range(1000):
        decision = agent.ask()
        agent.tell(decision.id, 3.0 * (decision.action[0] == 1) + rng.normal())
    assert agent.best()["ad"] == "B"
    assert agent.confidence() is not None


def test_a_simulation_needs_a_policy():
    with pytest.raises(TypeError, match="policy"):
        fb.simulate(environment=fb.environments.spiked(2), horizon=10)


def test_kinds():
    with pytest.raises(InvalidInputError, match="kind must be 'factored' or 'duel', not 'duels'"):
        fb.policies.default("duels")


@pytest.mark.parametrize(("kind", "given"), CASES)
def test_late_rewards_work_with_it(kind, given):
    agent = fb.Agent(**given, expire_after=50)
    for _ in range(120):
        agent.ask()
    assert len(agent.waiting) < 60


def test_who_wants_diagnostics_gets_a_policy_that_sees_something():
    """Which ad is best depends on the position. leader_tea has the test, and would not see it."""
    agent = fb.Agent(factors={"ad": ["A", "B"], "position": ["top", "side"]}, diagnostics=True)
    rng = np.random.default_rng(1)
    rates = np.array([[0.8, 0.2], [0.2, 0.7]])
    for _ in range(1000):
        decision = agent.ask()
        agent.tell(decision.id, float(rng.random() < rates[decision.action]))
    assert agent.diagnose().alarms == ["ad", "position"]

    policy = fb.policies.make(fb.policies.default("factored", diagnostics=True))
    assert json.loads(agent.dump())["agent"]["policy"]["name"] == policy.name
    assert policy.certifies


def test_past_duels_begin_it():
    history = [("draft A", "draft B")] * 9 + [("draft C", "draft B")] * 4
    agent = fb.Agent(arms=ARMS, history=history, self_duels="skip")
    assert agent.ask().id == 1
