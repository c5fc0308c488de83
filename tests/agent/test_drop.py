"""Decisions that are taken back: nothing is learned from them, and nothing waits for them."""

from __future__ import annotations

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.errors import DecisionError, InvalidInputError

ARMS = ["a", "b", "c"]


def agent_with(decisions: int) -> fb.Agent[str]:
    agent = fb.Agent("duel_top_two", arms=ARMS, seed=3)
    for n in range(decisions):
        agent.tell(agent.ask().id, float(n % 2))
    return agent


def test_a_dropped_decision_teaches_nothing():
    agent = agent_with(20)
    before = {name: value.copy() for name, value in agent._state._asdict().items()}
    first, second = agent.ask(), agent.ask()
    agent.drop(first.id)
    after = agent._state._asdict()
    for name in ("mean", "factor", "wealth", "peak", "active", "changes"):
        assert np.array_equal(before[name], after[name])
    assert after["clock"][1] == 20  # learned
    assert (agent.waiting, agent.confidence()) == ((second.id,), agent_with(20).confidence())

    tie = agent_with(20)
    tie.tell(tie.ask().id, 0.5)
    assert not np.array_equal(tie._state.mean, before["mean"])


def test_what_comes_after_a_dropped_decision_is_learned_in_order():
    agent = agent_with(5)
    ids = [agent.ask().id for _ in range(3)]
    for id in (ids[2], ids[1]):
        agent.tell(id, 1.0)
    assert agent.backlog == 3  # plays that wait to be learned
    agent.drop(ids[0])
    assert (agent.backlog, agent.waiting) == (0, ())


def test_it_survives_a_dump_and_is_taken_back_once():
    agent = agent_with(5)
    ids = [agent.ask().id for _ in range(3)]
    agent.drop(ids[1])  # behind one that waits
    loaded = fb.Agent.load(agent.dump())
    assert loaded.dump() == agent.dump()
    for each in (agent, loaded):
        with pytest.raises(DecisionError, match=f"decision {ids[1]} has expired: no answer is"):
            each.tell(ids[1], 1.0)
        with pytest.raises(DecisionError, match=f"decision {ids[1]} has expired"):
            each.drop(ids[1])
        each.tell(ids[0], 1.0)
        each.tell(ids[2], 0.0)
    assert loaded.dump() == agent.dump()
    assert agent.ask() == loaded.ask()


def test_a_policy_that_needs_every_answer_says_so():
    agent = fb.Agent("dueling_tea", arms=ARMS)
    with pytest.raises(InvalidInputError, match="dueling_tea learns from every decision that"):
        agent.drop(agent.ask().id)
    assert agent.waiting == (1,)
