"""`duel_top_two` and `duel_halving` against their specification, duel by duel."""

from __future__ import annotations

import math

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.policies import make
from factored_bandits.policies.dueling.fixed_budget._state import ASKED, SURE
from oracles.fixed_budget import Halving, TopTwo

SHAPES = {"two arms": (2,), "arms": (7,), "factors": (3, 4, 2), "one of one level": (3, 1, 2)}


def played(policy, sizes, rounds, seed, oracle, late=0, ties=0.3):
    """Ask both the same; verdicts of utilities that rise with the level come `late` asks later."""
    module = make(policy).module
    params = make(policy).encoded()
    both = np.array([*sizes, *sizes])
    state = module.init(params, both, rounds)
    mine, theirs, people = (np.random.default_rng(seed) for _ in range(3))
    actions = np.zeros((max(sizes), len(both)), dtype=np.int64)
    waiting = []

    for t in range(1, rounds + 1):
        assert module.plan(params, state, t, mine, actions) == 1
        asked = oracle(theirs)
        assert actions[0].tolist() == asked, t
        waiting.append((t, actions[:1].copy()))

        if len(waiting) > late:
            asked_at, duel = waiting.pop(0)
            half = len(sizes)
            ahead = 0.4 * (duel[0, :half] - duel[0, half:]).sum()
            reward = float(people.random() < 1.0 / (1.0 + math.exp(-ahead)))
            if people.random() < ties:
                reward = 0.5
            module.learn(params, state, asked_at, duel, np.array([reward]))
            yield state, duel[0].tolist(), reward


@pytest.mark.parametrize("late", [0, 8])
@pytest.mark.parametrize("shape", SHAPES)
def test_top_two_is_what_it_is_specified_to_be(shape, late):
    """Same duels, same utilities, same covariance, same bets; until the leader is certified."""
    sizes = SHAPES[shape]
    oracle = TopTwo(sizes)

    def ask(rng):
        x, y = oracle.ask(rng)
        return [*x, *y]

    for state, duel, reward in played("duel_top_two", sizes, 500, 3, ask, late):
        oracle.tell(duel[: len(sizes)], duel[len(sizes) :], reward)
        np.testing.assert_allclose(state.mean, oracle.m, rtol=0, atol=1e-10)
        np.testing.assert_allclose(state.wealth, oracle.w, rtol=0, atol=1e-9)
        assert bool(state.clock[SURE]) == oracle.sure

    np.testing.assert_allclose(state.factor.T @ state.factor, oracle.S @ oracle.S.T, atol=1e-10)
    np.testing.assert_allclose(state.peak, oracle.peak, atol=1e-9)
    assert state.clock[ASKED] == 500
    if shape != "one of one level":
        assert oracle.peak.max() > math.log(len(sizes) / 0.05)  # some level was ruled out
    ruled_out = oracle.peak >= math.log(len(sizes) / 0.05)
    assert (~state.active).tolist() == ruled_out.tolist()


def test_the_posterior_is_that_of_laplace():
    """The covariance is the inverse of the prior's plus the curvature of every verdict."""
    sizes = (3, 2)
    oracle = TopTwo(sizes)
    precision = np.eye(5) * len(sizes)

    def ask(rng):
        x, y = oracle.ask(rng)
        return [*x, *y]

    for state, duel, reward in played("duel_top_two", sizes, 60, 4, ask):
        x = np.zeros(5)
        for l, start in enumerate((0, 3)):
            x[start + duel[l]] += 1.0
            x[start + duel[2 + l]] -= 1.0
        p = 1.0 / (1.0 + math.exp(-(oracle.m @ x)))
        precision += p * (1.0 - p) * np.outer(x, x)
        oracle.tell(duel[:2], duel[2:], reward)
        covariance = state.factor.T @ state.factor
        np.testing.assert_allclose(covariance, np.linalg.inv(precision), atol=1e-10)


@pytest.mark.parametrize("late", [0, 8])
@pytest.mark.parametrize("arms", [2, 3, 8, 13])
def test_halving_is_what_it_is_specified_to_be(arms, late):
    oracle = Halving(arms, 150)
    for state, duel, reward in played(
        "duel_halving", (arms,), 150, arms, lambda rng: list(oracle.ask(rng)), late
    ):
        oracle.tell(*duel, reward)
        assert state.wins.tolist() == oracle.wins

    action = np.zeros(2, dtype=np.int64)
    make("duel_halving").module.recommend(None, state, action)
    assert oracle.score(action[0]) == oracle.score(oracle.best())
    assert sorted(np.flatnonzero(state.active)) == sorted(oracle.left)
    assert len(oracle.left) == 2


def test_a_round_sent_at_once_is_a_round():
    """All of 1,000 verdicts may be outstanding: nobody is dropped before one has come."""
    agent = fb.Agent("duel_halving", arms=range(8), horizon=1_000, seed=1)
    decisions = [agent.ask() for _ in range(1_000)]
    assert all(row.active for row in agent.status().rows)
    counts = np.bincount([arm for decision in decisions for arm in decision.action])
    assert counts.max() - counts.min() <= 1

    for decision in decisions:
        agent.tell(decision.id, float(decision.action[0] > decision.action[1]))
    assert agent.best() == 7


@pytest.mark.parametrize("policy", ["duel_top_two", "duel_halving"])
def test_nobody_meets_himself_and_sides_are_fair(policy):
    """Also where the leader is certified, and a single pair is all there is to ask."""
    agent = fb.Agent(policy, arms=range(3), horizon=800, seed=2)
    first = 0
    for _ in range(800):
        decision = agent.ask()
        left, right = decision.action
        assert left != right
        first += left > right
        agent.tell(decision.id, float(left > right))
    # four standard errors of 800 fair draws
    assert abs(first - 400) < 4 * math.sqrt(800 / 4)
    assert agent.best() == 2
    assert fb.certificate(agent).best() == {"arm": 2}


def test_nobody_else_to_meet():
    """One level only, or one arm: the same on both sides, and nothing breaks."""
    for policy in ("duel_top_two", "duel_halving"):
        module = make(policy).module
        state = module.init(make(policy).encoded(), np.array([1, 1]), 20)
        actions = np.zeros((1, 2), dtype=np.int64)
        rng = np.random.default_rng(1)
        for t in range(1, 21):
            module.plan(make(policy).encoded(), state, t, rng, actions)
            module.learn(make(policy).encoded(), state, t, actions, np.array([0.5]))
            assert actions[0].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"delta": 0.0}, "duel_top_two: delta must lie between 0 and 1, not 0.0"),
        ({"delta": 1.5}, "duel_top_two: delta must lie between 0 and 1, not 1.5"),
        ({"variance": -1.0}, "duel_top_two: variance must be positive, not -1.0"),
    ],
)
def test_parameters_out_of_range(changes, said):
    with pytest.raises(fb.errors.InvalidInputError, match=said):
        fb.Agent("duel_top_two", arms=["a", "b"], **changes)


def test_halving_needs_its_budget():
    with pytest.raises(fb.errors.InvalidInputError, match="say how many there are"):
        make("duel_halving").check(np.array([4, 4]), 0)
