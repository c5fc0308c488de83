"""Duels of an arm with itself: asked, or settled without asking."""

from __future__ import annotations

import math

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.agent.self_duels import MOST_SKIPPED
from factored_bandits.errors import InvalidInputError

DUELS = fb.policies.names("duel")
ARMS = ["A", "B", "C", "D"]


def agent(policy, self_duels="skip", seed=3, **more):
    return fb.Agent(policy, arms=ARMS, seed=seed, horizon=5000, self_duels=self_duels, **more)


def vote(decision, rng):
    """The later arm is better; nobody can tell an arm from itself."""
    first, second = decision.action
    return float(rng.random() < 1 / (1 + math.exp(second - first)))


def is_self_duel(decision):
    return decision.levels["first"] == decision.levels["second"]


@pytest.mark.parametrize("name", DUELS)
def test_only_real_duels_are_asked_until_nothing_else_is_left(name):
    """`ask` gives a duel of an arm with itself only after MOST_SKIPPED of them in a row."""
    skipping = agent(name)
    rng = np.random.default_rng(1)
    before = 0

    for _ in range(40):
        decision = skipping.ask()
        if is_self_duel(decision):
            assert decision.id == before + MOST_SKIPPED + 1
            assert skipping.waiting == (decision.id,)
            break
        before = decision.id
        skipping.tell(decision.id, vote(decision, rng))

    assert skipping.status().learned <= skipping.status().asked == decision.id
    assert sum(row.plays for row in skipping.status().rows) == 2 * decision.id


@pytest.mark.parametrize("name", DUELS)
def test_skipping_is_answering_as_the_policy_declares(name):
    """Without delay it is the agent that is asked, and told the declared outcome, bit by bit."""
    skipping = agent(name)
    asking = agent(name, "ask")
    outcome = skipping._self_duels.outcome
    rng = np.random.default_rng(2)

    for _ in range(150):
        decision = asking.ask()
        if is_self_duel(decision):
            asking.tell(decision.id, outcome(decision.id))
            continue

        assert skipping.ask() == decision
        reward = vote(decision, rng)
        skipping.tell(decision.id, reward)
        asking.tell(decision.id, reward)
        for one, other in zip(skipping._state, asking._state, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["sparring", "multi_sbm", "doubler"])
def test_none_is_skipped_that_must_wait_for_a_verdict(name):
    """Base bandits count them: a thousand, chosen from what was known before, would mislead."""
    one = agent(name)
    rng = np.random.default_rng(6)
    same = 0

    for _ in range(100):
        late = one.ask()
        later = one.ask()
        assert later.id == late.id + 1  # nothing was skipped between the two
        same += is_self_duel(later)
        for decision in (later, late):
            one.tell(decision.id, 0.5 if is_self_duel(decision) else vote(decision, rng))
    assert same > 0


@pytest.mark.parametrize("name", ["self_sparring", "dts", "dueling_tea", "sparring"])
def test_saved_in_the_middle_with_late_answers(name):
    one = agent(name)
    rng = np.random.default_rng(5)
    ids = [one.ask() for _ in range(8)]
    for decision in (ids[5], ids[2], ids[0]):
        if decision.id in one.waiting:
            one.tell(decision.id, vote(decision, rng))

    other = fb.Agent.load(one.dump())
    assert other.dump() == one.dump()
    for _ in range(12):
        decision = one.ask()
        assert other.ask() == decision
        identifier = one.waiting[0]
        for both in (one, other):
            both.tell(identifier, 1.0)
    assert other.dump() == one.dump()


def test_by_default_they_are_asked_and_dumps_are_as_ever():
    asking = agent("self_sparring", "ask")
    rng = np.random.default_rng(1)
    seen = 0
    for _ in range(200):
        decision = asking.ask()
        seen += is_self_duel(decision)
        asking.tell(decision.id, vote(decision, rng))
    assert seen > 50
    assert "self_duels" not in asking.dump()
    assert '"self_duels": "skip"' in agent("self_sparring").dump()


def test_what_stands_in_is_a_reward_of_the_policy():
    """A tie only where the policy takes ties; otherwise 0 and 1, equally often."""
    for name in DUELS:
        info = fb.policies.make(name).info
        assert info.ties or info.self_duel == "random"
    module = problems.variant("dueling_uniform", ties=False)
    drawn = [fb.Agent(module, arms=ARMS)._self_duels.outcome(i) for i in range(400)]
    assert set(drawn) == {0.0, 1.0}
    assert abs(sum(drawn) - 200) < 4 * math.sqrt(100)


def test_what_cannot_be():
    with pytest.raises(InvalidInputError, match="self_duels must be 'ask' or 'skip', not 'never'"):
        agent("dts", "never")
    with pytest.raises(InvalidInputError, match="an agent with factors has none"):
        fb.Agent("tea", factors={"a": [0, 1]}, self_duels="skip")
