"""Late, shuffled and missing answers: what the agent learns depends on the rewards, never on when
they arrive.
"""

from __future__ import annotations

import heapq
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import factored_bandits as fb
import problems
from effort import examples

NAMES = fb.policies.names()
fixed = settings(max_examples=examples(10, 25), deadline=None, derandomize=True, database=None)


def knowledge(agent):
    """All that a dump holds, except which of the settled decisions had expired (kept for messages
    only).
    """
    content = json.loads(agent.dump())["agent"]
    del content["rounds"]["expired"]
    return content


# One batch: how many decisions are asked, then which of those waiting are settled, in which order,
# None = expired.
outcomes = st.sampled_from([0.0, 1.0, None])
batches = st.lists(
    st.tuples(st.integers(0, 9), st.lists(st.tuples(st.integers(0, 40), outcomes), max_size=12))
)


@pytest.mark.parametrize("name", NAMES)
@fixed
@given(batches=batches, last=st.randoms(use_true_random=False))
def test_the_order_in_which_answers_arrive_makes_no_difference(name, batches, last):
    """Between two asks any order, delay and expiry leaves what the same rewards in order would have
    left, once all that is complete is learned.
    """
    problem = problems.fitting(name)
    shuffled, ordered = problems.agent(name, problem, seed=5), problems.agent(name, problem, seed=5)
    default = shuffled._rewards.default
    missing = [default] * shuffled._outcomes or default
    for asks, settled in batches:
        assert [shuffled.ask() for _ in range(asks)] == [ordered.ask() for _ in range(asks)]
        answers = {}
        for place, outcome in settled:
            if shuffled.waiting:
                chosen = shuffled.waiting[place % len(shuffled.waiting)]
                answer = problems.answer(shuffled, outcome or 0.0)
                answers[chosen] = missing if outcome is None else answer
                shuffled.expire(chosen) if outcome is None else shuffled.tell(chosen, answer)
        for identifier in sorted(answers):
            ordered.tell(identifier, answers[identifier])
        shuffled.learn()
        ordered.learn()
        assert knowledge(shuffled) == knowledge(ordered)
    left = list(shuffled.waiting)
    for identifier in left:
        ordered.tell(identifier, problems.answer(ordered, float(identifier % 2)))
    last.shuffle(left)
    for identifier in left:
        shuffled.tell(identifier, problems.answer(shuffled, float(identifier % 2)))
    shuffled.learn()
    ordered.learn()
    assert knowledge(shuffled) == knowledge(ordered)
    assert [shuffled.ask() for _ in range(8)] == [ordered.ask() for _ in range(8)]


def observed(name):
    """The policy `name` as a module of one's own that notes every call of plan and learn."""
    original, module = fb.policies.make(name).module, problems.variant(name)
    module.calls = []

    def plan(params, state, t, rng, actions):
        length = original.plan(params, state, t, rng, actions)
        module.calls.append(("plan", t, actions[:length].tolist()))
        return length

    def learn(params, state, t, actions, rewards):
        module.calls.append(("learn", t, actions.tolist(), rewards.tolist()))
        original.learn(params, state, t, actions, rewards)

    module.plan, module.learn = plan, learn
    return module


def test_blocks_are_learned_whole_and_in_the_order_of_their_plans():
    """And each with its own plays and rewards, mapped from (0, 1) onto (-1, 1)."""
    module, order = observed("tea"), np.random.default_rng(8)
    agent = fb.Agent(module, factors={"a": [0, 1, 2], "b": [0, 1]}, seed=4)
    decisions = {(d := agent.ask()).id: d for _ in range(60)}
    told = {}
    for identifier in order.permutation(60) + 1:
        told[identifier] = float(order.integers(2))
        agent.tell(identifier, told[identifier])
    plans = [call for call in module.calls if call[0] == "plan"]
    learned = [call for call in module.calls if call[0] == "learn"]
    assert [call[1] for call in plans] == [call[1] for call in learned] == list(range(1, 60, 3))
    for (_, t, planned), (_, _, actions, rewards) in zip(plans, learned, strict=True):
        assert planned == actions == [list(decisions[t + row].action) for row in range(3)]
        assert rewards == [2.0 * told[t + row] - 1.0 for row in range(3)]


def test_asking_never_waits_and_one_missing_answer_holds_back_all_later_blocks():
    agent = fb.Agent("tea", factors={"a": [0, 1], "b": [0, 1]}, seed=4)
    for _ in range(100):
        agent.ask()
    for identifier in range(100, 1, -1):
        agent.tell(identifier, 1.0)
    assert agent.status().learned == 0
    assert agent.waiting == (1,)
    agent.expire(1)
    assert agent.status().learned == 100
    assert agent.waiting == ()


def error_level(levels, rounds):
    """How likely TEA throws out one of two equal levels at all, at most.

    After N phases of two plays the round is 2 N + 1; the deficit exceeds the paper's bound with
    probability at most 2 exp(-log(2 K f(N) f(t))), as the constant 12 is chosen for; and no deficit
    exceeds 2 N, rewards being in [-1, 1].
    """

    def f(t):
        return (t + 1) * math.log(t + 1) ** 2

    total = 0.0
    for n in range(1, rounds // levels):
        log_term = math.log(2 * levels * f(n) * f(levels * n + 1))
        if (2 * n) ** 2 > 12 * n * log_term:
            total += 2 * math.exp(-log_term)
    return total


def most_by_luck(runs, probability, p_value=1e-6):
    """The smallest number that a binomial count exceeds with a probability below `p_value`."""
    tail, count = 1.0, -1
    while tail > p_value:
        count += 1
        tail -= math.comb(runs, count) * probability**count * (1 - probability) ** (runs - count)
    return count


def eliminates_one(seed, rounds, delay):
    """Two equal levels, Bernoulli(1/2) rewards; failures of one arrive `delay` rounds late."""
    agent, bernoulli, late = (
        fb.Agent("tea", factors={"page": ["A", "B"]}, seed=seed),
        np.random.default_rng(seed),
        [],
    )
    for t in range(rounds):
        decision, reward = agent.ask(), float(bernoulli.random() < 0.5)
        slow = decision.levels["page"] == "A" and reward == 0.0
        heapq.heappush(late, (t + delay if slow else t, decision.id, reward))
        while late and late[0][0] <= t:
            _, identifier, answer = heapq.heappop(late)
            agent.tell(identifier, answer)
    changes = agent.policy.module.active_sets(agent._params, agent._state)[1]
    return changes > 0, agent.status().learned


@pytest.mark.full  # test_certificate.py has a short form of it
def test_late_failures_do_not_decide_between_equal_levels():
    """An A/A test. The failures of one level are slow, as refusals are; that must not look like
    success.
    """
    runs, rounds, delay = 100, 2400, 1300
    results = [eliminates_one(seed, rounds, delay) for seed in range(runs)]
    assert min(learned for _, learned in results) > rounds - delay - 50
    thrown_out = sum(wrong for wrong, _ in results)
    assert thrown_out <= most_by_luck(runs, error_level(2, rounds))
