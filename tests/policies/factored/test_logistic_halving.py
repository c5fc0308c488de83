"""`logistic_halving` against its literal form, and what it does at the edges."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.core.select import ravel
from factored_bandits.policies.factored.linear import _best_of_fit, _shrunk, logistic_halving
from oracles.literal_halving import Halving


def started(sizes, horizon, **params):
    policy = fb.policies.make("logistic_halving", **params)
    params = policy.encoded()
    return params, logistic_halving.init(params, np.array(sizes), horizon)


def means_of(sizes, rng, spread, noise):
    """Rates with main effects, and interactions if there is noise."""
    odds = np.zeros(sizes)
    for l, size in enumerate(sizes):
        shape = [1] * len(sizes)
        shape[l] = size
        odds = odds + rng.normal(0.0, spread, size).reshape(shape)
    odds = odds + rng.normal(0.0, noise, sizes)
    return 1.0 / (1.0 + np.exp(-odds))


@pytest.mark.parametrize(
    ("sizes", "horizon", "noise"),
    [((5, 4, 4), 401, 0.0), ((5, 4, 4), 400, 1.0), ((3, 2), 100, 0.5), ((3, 4), 31, 0.0)],
)
def test_plays_what_the_literal_form_plays(sizes, horizon, noise):
    rng = np.random.default_rng([3, horizon])
    means = means_of(sizes, rng, 0.7, noise)
    params, state = started(sizes, horizon)
    literal = Halving(sizes, horizon)
    actions = np.zeros((max(sizes), len(sizes)), dtype=np.int64)
    planned = None

    for t in range(1, horizon + 1):
        logistic_halving.plan(params, state, t, rng, actions)
        action = tuple(actions[0].tolist())
        if t == horizon // 2 + 1:
            planned = literal.second_half()
        if planned is not None:
            assert action == next(planned)

        reward = float(rng.random() < means[action])
        logistic_halving.learn(params, state, t, actions[:1], np.array([reward]))
        literal.learn(action, reward)
        if planned is not None:
            recommended = np.zeros(len(sizes), dtype=np.int64)
            logistic_halving.recommend(params, state, recommended)
            assert tuple(recommended.tolist()) == literal.recommended()

    assert _shrunk.worth_of_fit(state) == pytest.approx(literal.n0(), rel=1e-6)
    assert state.mean == pytest.approx(literal.mean, abs=1e-8)


def test_the_best_of_the_fit_are_the_best():
    rng = np.random.default_rng(1)
    for sizes in ((3, 5, 4), (2, 2), (7,), (4, 4, 4, 4)):
        offsets = np.concatenate([[1], 1 + np.cumsum(sizes)])
        weights = rng.normal(size=offsets[-1])
        values = np.zeros((2, 16))
        numbers = np.zeros((2, 16), dtype=np.int64)
        count = np.zeros((2, 1), dtype=np.int64)
        row = _best_of_fit.best_of_fit(offsets, weights, rng, values, numbers, count)

        sums = {
            ravel(np.array(sizes), np.array(levels)): weights[offsets[:-1] + levels].sum()
            for levels in itertools.product(*map(range, sizes))
        }
        best = sorted(sums, key=sums.get, reverse=True)[:16]
        assert numbers[row, : count[row, 0]].tolist() == best


def test_unknown_levels_have_the_same_prospects():
    """All weights equal: every level comes first in its factor about equally often (4 s.e.)."""
    rng = np.random.default_rng(2)
    offsets = np.array([1, 5, 9])
    firsts = np.zeros(4)
    for _ in range(800):
        numbers = np.zeros((2, 4), dtype=np.int64)
        count = np.zeros((2, 1), dtype=np.int64)
        row = _best_of_fit.best_of_fit(offsets, np.zeros(9), rng, np.zeros((2, 4)), numbers, count)
        firsts[numbers[row, 0] % 4] += 1
    assert np.abs(firsts - 200).max() < 4 * np.sqrt(800 * 0.25 * 0.75)


def test_a_million_combinations_need_no_table_of_all():
    sizes = (2,) * 20
    params, state = started(sizes, 120)
    assert sum(array.nbytes for array in state) < 50_000

    rng = np.random.default_rng(4)
    actions = np.zeros((2, 20), dtype=np.int64)
    for t in range(1, 121):
        logistic_halving.plan(params, state, t, rng, actions)
        reward = float(rng.random() < 0.1 + 0.8 * actions[0].mean())
        logistic_halving.learn(params, state, t, actions[:1], np.array([reward]))
    assert state.left[0] == 2
    assert 60 < state.known[0] <= 92  # distinct plays of the first half, and 32 candidates


def test_a_full_table_leaves_room_for_candidates(monkeypatch):
    monkeypatch.setattr("factored_bandits.policies.blocks.combinations.MOST_ROWS", 60)
    sizes = (8, 8, 8)
    params, state = started(sizes, 200)
    assert len(state.keys) == 60
    rng = np.random.default_rng(5)
    actions = np.zeros((8, 3), dtype=np.int64)
    for t in range(1, 201):
        logistic_halving.plan(params, state, t, rng, actions)
        before = state.plays.sum()
        logistic_halving.learn(params, state, t, actions[:1], np.array([rng.random() < 0.5]))
        assert state.plays.sum() == before + 1 or t <= 100
    assert state.room[0] == 28 < state.known[0] <= 60


@pytest.mark.parametrize("horizon", [1, 2, 5, 33])
def test_few_plays_and_more_than_agreed(horizon):
    """Rounds may be empty; beyond the horizon the recommendation is played."""
    params, state = started((3, 4), horizon)
    rng = np.random.default_rng(6)
    actions = np.zeros((4, 2), dtype=np.int64)
    recommended = np.zeros(2, dtype=np.int64)
    for t in range(1, horizon + 4):
        logistic_halving.plan(params, state, t, rng, actions)
        logistic_halving.learn(params, state, t, actions[:1], np.array([rng.random() < 0.5]))
    logistic_halving.recommend(params, state, recommended)
    assert state.left[0] == 1
    assert actions[0].tolist() == recommended.tolist()


def test_late_rewards_do_not_hold_up_a_cut():
    """16 decisions wait for their rewards all the time; the rounds are those of no delay."""
    factors = {"x": list("abcd"), "y": list("efgh"), "z": list("ijkl")}
    agent = fb.Agent("logistic_halving", factors=factors, horizon=300, seed=1)
    rng = np.random.default_rng(7)
    waiting = []
    kinds = []
    for _ in range(300):
        decision = agent.ask()
        waiting.append(decision)
        kinds.append(tuple(decision.action))
        if len(waiting) > 16:
            late = waiting.pop(0)
            good = sum(
                level == best for level, best in zip(late.levels.values(), "aei", strict=True)
            )
            agent.tell(late.id, float(rng.random() < 0.1 + 0.25 * good))
    for late in waiting:
        good = sum(level == best for level, best in zip(late.levels.values(), "aei", strict=True))
        agent.tell(late.id, float(rng.random() < 0.1 + 0.25 * good))

    assert len(set(kinds[150:180])) == 30  # 32 candidates in turn
    assert len(set(kinds[270:])) == 2
    assert list(agent.best().values()) == ["a", "e", "i"]


def test_refusals():
    make = fb.policies.make
    with pytest.raises(fb.errors.InvalidInputError, match=r"from 2 to 1024, not 1\.0 and 1$"):
        make("logistic_halving", candidates=1).check(np.array([2, 2]), 10)
    with pytest.raises(fb.errors.InvalidInputError, match="takes at most 2,048 of them; this"):
        make("logistic_halving").check(np.array([2000, 2000]), 10)
    with pytest.raises(fb.errors.InvalidInputError, match="horizon"):
        fb.Agent("logistic_halving", factors={"x": [1, 2], "y": [1, 2]})
