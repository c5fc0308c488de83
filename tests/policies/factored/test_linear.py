"""LinUCB, linear Thompson sampling and their algebra against NumPy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.core.rng import generators
from factored_bandits.policies.blocks import gaussian
from factored_bandits.policies.factored.linear import _linear, _optimism
from factored_bandits.policies.factored.linear._optimism import (
    LINEAR,
    LOGISTIC,
    Model,
    most_optimistic,
)

SIZES = np.array([3, 4, 2])


def vector(action, sizes=SIZES):
    """The features of a combination, written out: a constant and one-hot levels."""
    return np.concatenate(
        [[1.0], *(np.eye(size)[level] for size, level in zip(sizes, action, strict=True))]
    )


def history(policy, rounds, sizes=SIZES, seed=0, **params):
    """Play by hand; the features and rewards seen, and the policy with its state."""
    made = fb.policies.make(policy, **params)
    module, encoded = made.module, made.encoded()
    state, (rng, noise) = module.init(encoded, sizes, rounds), generators(seed)
    actions, features, rewards = np.zeros((max(sizes), len(sizes)), dtype=np.int64), [], []
    for t in range(1, rounds + 1):
        module.plan(encoded, state, t, rng, actions)
        reward = float(noise.random() < 0.2 + 0.2 * (actions[0] == 0).sum())
        module.learn(encoded, state, t, actions[:1], np.array([reward]))
        features.append(vector(actions[0], sizes))
        rewards.append(reward)
    return module, encoded, state, np.array(features), np.array(rewards)


def random_covariance(d, rng, plays=30):
    x = rng.standard_normal((plays, d))
    return np.linalg.inv(np.eye(d) + x.T @ x)


@pytest.mark.parametrize("weight", [1.0, 0.07])
def test_both_rank1_updates_are_the_inverse(weight):
    rng, d = np.random.default_rng(1), 10
    covariance, factor, precision = np.eye(d) / 2.0, np.eye(d) / math.sqrt(2.0), 2.0 * np.eye(d)
    ones, work, phi = np.zeros(4, dtype=np.int64), np.zeros(d), np.zeros(d)
    for _ in range(1000):
        action = np.array([rng.integers(size) for size in SIZES])
        x = vector(action)
        _linear.main_effects(_linear.feature_offsets(SIZES), action, ones)
        before = np.linalg.solve(precision, x)
        forms = _linear.shrink(covariance, ones, weight, work), 0.0
        assert work == pytest.approx(before, abs=1e-9)
        forms = forms[0], _linear.shrink_factor(factor, ones, weight, work, phi)
        assert work == pytest.approx(before, abs=1e-9)
        assert forms == pytest.approx([x @ before] * 2, rel=1e-8)
        precision += weight * np.outer(x, x)
    assert covariance == pytest.approx(np.linalg.inv(precision), abs=1e-9)
    assert factor.T @ factor == pytest.approx(np.linalg.inv(precision), abs=1e-9)


def test_lin_ucb_is_ridge_regression_with_the_radius_of_the_theorem():
    module, params, state, x, y = history("lin_ucb", 400, regularisation=0.5, bound=2.0, delta=0.05)
    d = 1 + SIZES.sum()
    v = 0.5 * np.eye(d) + x.T @ x
    assert state.covariance == pytest.approx(np.linalg.inv(v), abs=1e-9)
    assert state.estimate == pytest.approx(np.linalg.solve(v, x.T @ y), abs=1e-9)
    ratio = math.sqrt(np.linalg.det(v)) * 0.5 ** (-d / 2) / 0.05
    assert module.beta(params, state) == pytest.approx(
        0.5 * math.sqrt(2 * math.log(ratio)) + math.sqrt(0.5) * 2.0
    )


def test_lin_ucb_plays_the_largest_bound():
    module, params, state, x, y = history("lin_ucb", 100)
    v = np.eye(1 + SIZES.sum()) + x.T @ x
    theta, beta = np.linalg.solve(v, x.T @ y), module.beta(params, state)
    actions = np.zeros((4, 3), dtype=np.int64)
    module.plan(params, state, 101, np.random.default_rng(0), actions)
    bounds = {}
    for action in itertools.product(*map(range, SIZES)):
        z = vector(action)
        bounds[action] = z @ theta + beta * math.sqrt(z @ np.linalg.solve(v, z))
    assert tuple(actions[0]) == max(bounds, key=bounds.get)


def brute_force(sizes, theta, covariance, width, link):
    def bound(action):
        x = vector(action, sizes)
        mean = x @ theta if link == LINEAR else 1.0 / (1.0 + math.exp(-x @ theta))
        return mean + width * math.sqrt(x @ covariance @ x)

    return {action: bound(action) for action in itertools.product(*map(range, sizes))}


@pytest.mark.parametrize("link", [LINEAR, LOGISTIC])
@pytest.mark.parametrize("sizes", [[5], [1, 4], [3, 4], [3, 4, 2], [2, 3, 2, 3]])
def test_enumeration_is_exact_and_ascent_is_nearly_so(sizes, link, monkeypatch):
    """Ascent ends where no single change helps, and in 80 % of 50 models at the very best."""
    rng, sizes, hits = np.random.default_rng(len(sizes)), np.array(sizes), 0
    d = 1 + int(sizes.sum())
    scratch = np.zeros((len(sizes) + 1, d)), np.zeros(len(sizes), dtype=np.int64)
    for _ in range(50):
        theta, covariance = rng.standard_normal(d), random_covariance(d, rng)
        bounds, action = (
            brute_force(sizes, theta, covariance, 2.0, link),
            np.zeros(len(sizes), dtype=np.int64),
        )
        arguments = (
            Model(_linear.feature_offsets(sizes), theta, covariance, 2.0, link),
            rng,
            *scratch,
            action,
        )
        monkeypatch.setattr(_optimism, "ENUMERATED", 5000)
        most_optimistic(*arguments)
        assert bounds[tuple(action)] == pytest.approx(max(bounds.values()), rel=1e-12)
        monkeypatch.setattr(_optimism, "ENUMERATED", 0)
        most_optimistic(*arguments)
        reached = bounds[tuple(action)]
        near = [a for a in bounds if sum(i != j for i, j in zip(a, action, strict=True)) == 1]
        assert all(bounds[a] <= reached + 1e-12 for a in near)
        hits += reached >= max(bounds.values()) - 1e-12
    assert hits >= 40


def test_ties_of_optimism_are_broken_at_random():
    """Before anything is known all 12 combinations tie: each is played (5 standard errors of 2400
    draws).
    """
    made, sizes = fb.policies.make("lin_ucb"), np.array([3, 4])
    params, rng, counts = made.encoded(), np.random.default_rng(1), np.zeros((3, 4))
    state, actions = made.module.init(params, sizes, 0), np.zeros((4, 2), dtype=np.int64)
    for _ in range(2400):
        made.module.plan(params, state, 1, rng, actions)
        counts[tuple(actions[0])] += 1
    assert np.abs(counts - 200).max() < 5 * math.sqrt(2400 / 12 * 11 / 12)


def test_lin_thompson_keeps_a_root_of_the_covariance():
    _, _, state, x, y = history("lin_thompson", 400, regularisation=0.5)
    v = 0.5 * np.eye(1 + SIZES.sum()) + x.T @ x
    assert state.factor.T @ state.factor == pytest.approx(np.linalg.inv(v), abs=1e-9)
    assert state.estimate == pytest.approx(np.linalg.solve(v, x.T @ y), abs=1e-9)


def check_draws(mean, factor, scale, draws=20_000):
    """Mean and covariance of draws, each entry within 6 standard errors."""
    rng, weights, found = (
        np.random.default_rng(2),
        np.zeros(len(mean)),
        np.zeros((draws, len(mean))),
    )
    for row in found:
        gaussian.draw(mean, factor, scale, rng, weights)
        row[:] = weights
    covariance = scale**2 * factor.T @ factor
    deviation = np.sqrt(np.diag(covariance))
    assert (np.abs(found.mean(axis=0) - mean) < 6 * deviation / math.sqrt(draws)).all()
    error = np.sqrt((np.outer(deviation**2, deviation**2) + covariance**2) / draws)
    assert (np.abs(np.cov(found.T) - covariance) < 6 * error).all()


def test_lin_thompson_draws_have_the_covariance():
    _, _, state, _, _ = history("lin_thompson", 60)
    check_draws(state.estimate, state.factor, 0.5)


def test_lin_thompson_plays_the_best_levels_of_its_draw():
    module, params, state, _, _ = history("lin_thompson", 20)
    actions = np.zeros((4, 3), dtype=np.int64)
    for t in range(200):
        module.plan(params, state, t, np.random.default_rng(t), actions)
        weights = state.weights
        scores = {a: vector(a) @ weights for a in itertools.product(*map(range, SIZES))}
        assert tuple(actions[0]) == max(scores, key=scores.get)


def test_a_long_run_does_not_drift():
    """After 200,000 compiled rounds the recursive estimate is still the closed form of what was
    played.
    """
    problem = fb.environments.make("additive", effects=[[0.3, 0.0, 0.1], [0.2, 0.0]], base=0.2)
    job = problems.job("lin_thompson", problem, 200_000, permute=False)
    policy_rng, rng = generators(0)
    state = job.new_state()
    run = job.prepare(rng, state)
    while run.clock[0] <= 200_000:
        job.loop(job.params, state, problem.data, run, policy_rng, rng, 10**6)
    precision = np.linalg.inv(state.factor.T @ state.factor) - np.eye(6)
    counted = [199_999, *run.plays]  # the last round is not learned
    assert np.abs(np.diag(precision) - counted).max() < 1.5
    assert np.abs(precision - precision.T).max() < 1e-3


@pytest.mark.parametrize("name", ["lin_ucb", "lin_thompson"])
def test_regret_grows_slower_than_a_root(name):
    problem = fb.environments.make("additive", effects=[[0.3, 0.0, 0.0], [0.3, 0.0, 0.0]], base=0.2)
    result = fb.simulate(
        name, problem, 1e5, repetitions=10, seed=1, checkpoints=[10**4], progress=False
    )
    early, late = result.regret.mean(axis=0)
    assert late - early < 0.5 * (math.sqrt(10) - 1) * early
    assert result.correct[:, -1].all()


def test_refusals():
    for name, wrong in (
        ("lin_ucb", {"delta": 1.0}),
        ("lin_ucb", {"regularisation": 0}),
        ("lin_thompson", {"v": 0}),
    ):
        with pytest.raises(fb.errors.InvalidInputError, match=f"{name}: .*must"):
            fb.policies.make(name, **wrong).check(SIZES, 10)
