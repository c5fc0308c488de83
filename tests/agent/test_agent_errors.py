"""What an agent refuses, in which words, and that nothing changes when it does."""

from __future__ import annotations

import math
import types

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.errors import (
    DecisionError,
    InvalidInputError,
    RewardOutOfRangeError,
    UnknownNameError,
)
from problems import variant

FACTORS = {"ad": ["A", "B", "C"], "position": ["top", "side"]}
ARMS = ["draft A", "draft B", "draft C"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"policy": "tea"}, InvalidInputError, "either factors.*not neither"),
        ({"policy": "tea", "factors": FACTORS, "arms": ARMS}, InvalidInputError, "not both"),
        (
            {"policy": "tea", "arms": ARMS},
            InvalidInputError,
            r"tea needs factors=.*not arms=.*dueling_tea",
        ),
        (
            {"policy": "dueling_tea", "factors": FACTORS},
            InvalidInputError,
            "dueling_tea needs arms=",
        ),
        ({"policy": "tee", "factors": FACTORS}, UnknownNameError, "did you mean 'tea'"),
        (
            {"policy": "tea", "factors": FACTORS, "alpha": 2},
            UnknownNameError,
            "no parameter of tea named 'alpha'",
        ),
        ({"policy": "tea", "factors": {}}, InvalidInputError, "at least one factor"),
        ({"policy": "tea", "factors": [["A"]]}, InvalidInputError, "must be a dict"),
        ({"policy": "tea", "factors": {"ad": []}}, InvalidInputError, "factor 'ad' is empty"),
        (
            {"policy": "tea", "factors": {"ad": "AB"}},
            InvalidInputError,
            "factor 'ad' must be a list of labels, not 'AB'",
        ),
        (
            {"policy": "tea", "factors": {"ad": ["A", "B", "A"]}},
            InvalidInputError,
            "factor 'ad': the label 'A'.*twice",
        ),
        ({"policy": "tea", "factors": {"ad": [1, True]}}, InvalidInputError, "twice"),
        (
            {"policy": "tea", "factors": {"ad": [("a", 1)]}},
            InvalidInputError,
            "a label must be a string or a finite",
        ),
        (
            {"policy": "tea", "factors": {"ad": [math.nan]}},
            InvalidInputError,
            "a label must be a string or a finite",
        ),
        (
            {"policy": "tea", "factors": {3: ["A"]}},
            InvalidInputError,
            "names of factors must be strings, not 3",
        ),
        ({"policy": "dueling_tea", "arms": ["A"]}, InvalidInputError, "at least two"),
        (
            {"policy": "dueling_tea", "arms": ["A", "A"]},
            InvalidInputError,
            "arms: the label 'A' stands there twice",
        ),
        (
            {"policy": "dueling_tea", "arms": ARMS, "reward_range": (-1, 1)},
            InvalidInputError,
            "must be \\(0, 1\\)",
        ),
        (
            {"policy": "dueling_tea", "arms": ARMS, "default": 0.3},
            RewardOutOfRangeError,
            "default=0.3",
        ),
        (
            {"policy": "tea", "factors": FACTORS, "default": 1.5},
            RewardOutOfRangeError,
            "default=1.5.*outside",
        ),
        (
            {"policy": "tea", "factors": FACTORS, "reward_range": (1, 0)},
            InvalidInputError,
            "low < high",
        ),
        (
            {"policy": "tea", "factors": FACTORS, "seed": -1},
            InvalidInputError,
            "seed must be a whole number from 0",
        ),
        (
            {"policy": "tea", "factors": FACTORS, "horizon": 0},
            InvalidInputError,
            "horizon must be a whole number from 1",
        ),
        (
            {"policy": "tea", "factors": FACTORS, "horizon": 2.5},
            InvalidInputError,
            "horizon must be a whole number",
        ),
        (
            {"policy": variant("tea", needs_horizon=True), "factors": FACTORS},
            InvalidInputError,
            "mine needs.*horizon=",
        ),
        (
            {"policy": types.ModuleType("empty"), "factors": FACTORS},
            InvalidInputError,
            "is not a policy",
        ),
        (
            {
                "policy": fb.policies.make("tea", reward_range=(0, 10)),
                "factors": FACTORS,
                "reward_range": (0, 1),
            },
            InvalidInputError,
            "was made with reward_range=\\(0.0, 10.0\\)",
        ),
    ],
)
def test_what_an_agent_cannot_be_made_of(arguments, error, message):
    with pytest.raises(error, match=message):
        fb.Agent(**arguments)


def test_what_an_agent_can_be_made_of():
    made = fb.policies.make("tea", reward_range=(0, 10))
    for given in (
        {},
        {"reward_range": (0, 10), "default": 10},
    ):  # the range may be the policy's alone
        agent = fb.Agent(made, factors=FACTORS, **given)
        agent.tell(agent.ask().id, 9)
    fb.Agent(variant("tea", needs_horizon=True), factors=FACTORS, horizon=100).ask()
    numbers = fb.Agent("tea", factors={"temperature": np.linspace(0, 1, 3), "none": [None, 2]})
    assert numbers.best() == {"temperature": 0.0, "none": None}
    assert type(numbers.best()["temperature"]) is float


@pytest.mark.parametrize("name", ["tea", "dueling_tea"])
@pytest.mark.parametrize("reward", [math.nan, math.inf, -0.1, 1.5, "1", None, [1.0], 10**400])
def test_a_reward_that_cannot_be_changes_nothing(name, reward):
    agent = problems.agent(name, problems.fitting(name))
    decision = agent.ask()
    before = agent.dump()
    with pytest.raises(RewardOutOfRangeError):
        agent.tell(decision.id, reward)
    assert agent.dump() == before
    agent.tell(decision.id, 1)


def test_unbounded_rewards_are_finite_and_have_no_default():
    agent = fb.Agent("tea", factors=FACTORS, reward_range=None)
    decision = agent.ask()
    before = agent.dump()
    with pytest.raises(RewardOutOfRangeError, match="finite"):
        agent.tell(decision.id, math.inf)
    with pytest.raises(InvalidInputError, match=r"unbounded rewards have no low end.*default="):
        agent.expire(decision.id)
    assert agent.dump() == before
    agent.tell(decision.id, -17.5)
    agent = fb.Agent("tea", factors=FACTORS, reward_range=None, default=-0.5)
    agent.expire(agent.ask().id)
    assert agent._ledger.rewards[1] == -0.5


def test_duels_know_three_outcomes_or_two():
    agent = fb.Agent("dueling_uniform", arms=ARMS)
    decision = agent.ask()
    with pytest.raises(
        RewardOutOfRangeError,
        match=r"1 if the first won, 0 if the second did \(0.5 for a tie\), not 0.7",
    ):
        agent.tell(decision.id, 0.7)
    agent.tell(decision.id, 0.5)
    module = variant("dueling_uniform", ties=False)
    agent = fb.Agent(module, arms=ARMS)
    decision = agent.ask()
    before = agent.dump()
    with pytest.raises(RewardOutOfRangeError, match="does not learn from ties"):
        agent.tell(decision.id, 0.5)
    with pytest.raises(InvalidInputError, match=r"does not learn from ties.*default="):
        agent.expire(decision.id)
    assert agent.dump() == before
    agent = fb.Agent(module, arms=ARMS, default=0)
    agent.expire(agent.ask().id)
    assert agent.waiting == ()


@pytest.mark.parametrize(
    "name", ["tea", "uniform"]
)  # blocks of several plays, still open; and of one, learned at once
def test_a_decision_is_settled_once(name):
    agent = fb.Agent(name, factors=FACTORS)
    for _ in range(2):
        agent.ask()
    agent.tell(1, 1.0)
    agent.expire(2)
    before = agent.dump()
    for settle in (lambda i: agent.tell(i, 0.0), agent.expire):
        with pytest.raises(DecisionError, match="decision 1 is answered already"):
            settle(1)
        with pytest.raises(DecisionError, match="decision 2 has expired"):
            settle(2)
        for never in (0, 3, -1, "1", 1.0, None, [1]):
            with pytest.raises(DecisionError, match=r"never given out.*so far from 1 to 2"):
                settle(never)
    assert agent.dump() == before


def test_expiry_is_remembered_for_long_not_for_ever():
    agent = fb.Agent("uniform", factors=FACTORS)
    for _ in range(1002):
        agent.expire(agent.ask().id)
    with pytest.raises(DecisionError, match="answered, or expired long ago"):
        agent.tell(1, 0.0)
    with pytest.raises(DecisionError, match="decision 1002 has expired"):
        agent.tell(1002, 0.0)
    assert len(agent._ledger.expired) == 1000
