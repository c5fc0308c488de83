"""Dueling TEA that learns in both places: the paper's module, fed twice per phase."""

from __future__ import annotations

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.core.kernel import kernel
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.dueling import dueling_tea
from oracles import literal

BOTH = fb.policies.make("dueling_tea", positions="both")


@kernel
def learn(params, state, t, actions, rewards):
    """feedback with two plays of every arm: its reward in the first place, and minus the reward in
    the second.
    """
    size = state.sizes[0]
    for i in range(size):
        state.plays[i], state.sums[i] = 0, 0.0
    for row in range(len(rewards)):
        for column in range(2):
            state.plays[actions[row, column]] += 1
            state.sums[actions[row, column]] += rewards[row] if column == 0 else -rewards[row]
    for i in range(size):
        for j in range(size):
            if state.plays[i] > 0 and state.plays[j] > 0:
                least = min(state.plays[i], state.plays[j])
                state.D[0, i, j] += least * (
                    state.sums[i] / state.plays[i] - state.sums[j] / state.plays[j]
                )
                state.N[0, i, j] += least


def test_both_positions_equal_the_module_fed_twice():
    """Same chance, same plays, with arms that leave and come back."""
    problem = fb.environments.arithmetic(6, step=0.09)
    fast, slow = (
        fb.simulate(policy, problem, 60_000, repetitions=3, seed=2, skip_idle=False, progress=False)
        for policy in (BOTH, literal.duel("literal_both", learn))
    )
    assert {event.event for event in fast.eliminations} == {"re-entered", "eliminated"}
    assert all(np.array_equal(a, b) for a, b in zip(fast.plays, slow.plays, strict=True))


def test_a_phase_counts_every_arm_twice():
    state = dueling_tea.init(BOTH.encoded(), np.array([3, 3]), 0)
    actions, rewards = np.array([[0, 1], [1, 2], [2, 0]]), np.array([1.0, 1.0, -1.0])
    dueling_tea.learn(BOTH.encoded(), state, 1, actions, rewards)
    assert state.total.tolist() == [
        2.0,
        0.0,
        -2.0,
    ]  # 0 won in both places, 1 won and lost, 2 lost both
    assert state.counts[0, 1] == 2  # N of all pairs
    dueling_tea.learn(dueling_tea.Params(positions=0), state, 4, actions, rewards)
    assert state.total.tolist() == [3.0, 1.0, -3.0]
    assert state.counts[0, 1] == 3


def test_both_positions_keep_the_contract(monkeypatch):
    """Interpreted as compiled; an agent with late answers; a name that says which form it is."""
    problem, runs = fb.environments.identical_gap(5, 0.9), []
    for disabled in ("0", "1"):
        monkeypatch.setenv("NUMBA_DISABLE_JIT", disabled)
        runs.append(problems.job(BOTH, problem, 3_000).repetition(1, problems.never))
    assert np.array_equal(runs[0].regret, runs[1].regret)
    assert problems.same_plays(*runs)
    assert BOTH.label == "dueling_tea(positions=both)"
    with pytest.raises(InvalidInputError, match="positions must be 'first' or 'both'"):
        fb.policies.make("dueling_tea", positions="second")
    agent = fb.Agent(BOTH, arms=["a", "b"])
    decisions = [agent.ask() for _ in range(6)]
    for decision in reversed(decisions):
        agent.tell(decision.id, 1.0 if decision.action[0] == 0 else 0.0)
    assert agent.best() == "a"
