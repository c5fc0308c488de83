"""Logistic Thompson sampling and GLM-UCB against direct computations."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from test_linear import SIZES, check_draws, history, vector

import factored_bandits as fb
import problems
from factored_bandits.core.numerics import sigmoid
from factored_bandits.policies.factored.linear import _pairs, glm_ucb
from factored_bandits.policies.factored.linear._linear import feature_offsets


def sigma(x):
    return 1.0 / (1.0 + np.exp(-x))


def pairs_vector(action):
    """Constant, levels, and pairs of levels by hand."""
    levels = [np.eye(size)[level] for size, level in zip(SIZES, action, strict=True)]
    return np.concatenate(
        [
            [1.0],
            *levels,
            *(np.outer(a, b).reshape(-1) for a, b in itertools.combinations(levels, 2)),
        ]
    )


def test_sigmoid_does_not_overflow():
    for x in (-800.0, -30.0, 0.0, 3.0, 800.0):
        assert sigmoid(x) == pytest.approx(
            1.0 / (1.0 + math.exp(-x)) if x > -700 else 0.0, rel=1e-12
        )


@pytest.mark.parametrize("interactions", ["none", "pairwise"])
def test_online_laplace(interactions):
    """The formulas of the specification, with dense vectors and matrices."""
    _, _, state, x, y = history("logistic_thompson", 250, interactions=interactions, variance=2.0)
    if interactions == "pairwise":
        levels = [np.flatnonzero(row[1:]) - [0, 3, 7] for row in x]
        x = np.array([pairs_vector(row) for row in levels])
    d = x.shape[1]
    m, p_matrix = np.zeros(d), 2.0 * np.eye(d)
    for row, reward in zip(x, y, strict=True):
        p = sigma(row @ m)
        w = p * (1 - p)
        form = row @ p_matrix @ row
        m = m + p_matrix @ row * (reward - p) / (1 + w * form)
        p_matrix = p_matrix - w * np.outer(p_matrix @ row, row @ p_matrix) / (1 + w * form)
    assert state.mean == pytest.approx(m, abs=1e-9)
    assert state.factor.T @ state.factor == pytest.approx(p_matrix, abs=1e-9)


def test_draws_have_the_covariance():
    _, _, state, _, _ = history("logistic_thompson", 60)
    check_draws(state.mean, state.factor, 1.0)


def test_the_posterior_finds_the_weights():
    """Log-odds of all combinations after 10,000 uniform plays, against the truth (5 posterior
    deviations).
    """
    rng, effects = (
        np.random.default_rng(3),
        [np.array([0.0, 1.0, -1.0]), np.array([0.5, 0.0, -0.5, 0.2]), np.zeros(2)],
    )
    made = fb.policies.make("logistic_thompson")
    params, state = made.encoded(), made.module.init(made.encoded(), SIZES, 0)
    for t in range(10_000):
        action = np.array([[rng.integers(size) for size in SIZES]])
        odds = sum(effect[level] for effect, level in zip(effects, action[0], strict=True)) - 0.3
        made.module.learn(params, state, t, action, np.array([float(rng.random() < sigma(odds))]))
    covariance = state.factor.T @ state.factor
    for action in itertools.product(*map(range, SIZES)):
        x = vector(action)
        truth = sum(effect[level] for effect, level in zip(effects, action, strict=True)) - 0.3
        deviation = math.sqrt(x @ covariance @ x)
        assert abs(x @ state.mean - truth) < 5 * deviation
        assert deviation < 0.12


def test_hill_climbing_ends_on_a_top_and_mostly_on_the_highest():
    rng, sizes = np.random.default_rng(4), SIZES
    offsets = feature_offsets(sizes)
    pairs, d = _pairs.pair_offsets(sizes)
    trial, last, action = (np.zeros(3, dtype=np.int64) for _ in range(3))
    hits = 0
    for _ in range(100):
        weights = rng.standard_normal(d)
        values = {
            a: pairs_vector(a)[1:] @ weights[1:] for a in itertools.product(*map(range, sizes))
        }
        _pairs.climb_from_anywhere(offsets, pairs, weights, 5, rng, trial, last, action)
        reached = values[tuple(action)]
        assert reached == pytest.approx(_pairs.total_value(offsets, pairs, weights, action))
        near = [a for a in values if sum(i != j for i, j in zip(a, action, strict=True)) == 1]
        assert all(values[a] <= reached + 1e-12 for a in near)
        hits += reached >= max(values.values()) - 1e-12
    assert hits >= 80


def test_pairs_find_what_main_effects_cannot():
    """Two levels that are good only together: main effects settle for less, pairs do not."""
    means = np.full((4, 4), 0.6)
    means[0, :], means[:, 0], means[0, 0] = 0.2, 0.2, 0.9
    problem = fb.environments.make("table", means=means)
    plain = fb.simulate("logistic_thompson", problem, 5_000, repetitions=10, seed=2, progress=False)
    made = fb.policies.make("logistic_thompson", interactions="pairwise")
    paired = fb.simulate(made, problem, 5_000, repetitions=10, seed=2, progress=False)
    assert plain.correct[:, -1].mean() <= 0.5
    assert paired.correct[:, -1].all()
    assert paired.summary().worst < plain.summary().median


def test_pairwise_is_the_same_interpreted(monkeypatch):
    made, runs = fb.policies.make("logistic_thompson", interactions="pairwise", restarts=2), []
    for disabled in ("0", "1"):
        monkeypatch.setenv("NUMBA_DISABLE_JIT", disabled)
        runs.append(
            problems.job(made, problems.additive(3, 4, 1), 200).repetition(1, problems.never)
        )
    assert problems.same_plays(*runs)


def newton(x, y, ridge):
    """Ridge logistic regression, play by play."""
    theta = np.zeros(x.shape[1])
    for _ in range(100):
        p = sigma(x @ theta)
        hessian = ridge * np.eye(len(theta)) + (x.T * (p * (1 - p))) @ x
        step = np.linalg.solve(hessian, ridge * theta - x.T @ (y - p))
        theta -= step * min(1.0, 1.0 / np.abs(x @ step).max())
        if np.abs(step).max() < 1e-12:
            break
    return theta


@pytest.mark.parametrize("ridge", [1.0, 1e-3])
def test_glm_ucb_fits_the_regression(ridge):
    module, params, state, x, y = history("glm_ucb", 300, l2=ridge, refit=0.0)
    module.plan(params, state, 301, np.random.default_rng(0), np.zeros((4, 3), dtype=np.int64))
    theta = state.theta
    assert theta == pytest.approx(newton(x, y, ridge), abs=1e-7)
    assert np.abs(ridge * theta - x.T @ (y - sigma(x @ theta))).max() < 1e-8
    v = ridge * np.eye(len(theta)) + x.T @ x
    assert state.covariance == pytest.approx(np.linalg.inv(v), abs=1e-7 / ridge)
    slope = sigma(math.sqrt(4.0))
    kappa = 1.0 / (slope * (1.0 - slope))  # bound 1, three factors and a constant
    spread = math.sqrt(
        2 * math.log(1 / 0.01) + np.linalg.slogdet(v)[1] - len(theta) * math.log(ridge)
    )
    assert module.radius(params, state, 3) == pytest.approx(kappa / 4 * spread + math.sqrt(ridge))


def test_glm_ucb_fits_data_without_failures():
    """Only successes: without the ridge there would be no maximum."""
    made = fb.policies.make("glm_ucb", l2=0.01)
    params, state = made.encoded(), made.module.init(made.encoded(), SIZES, 500)
    actions, x = np.zeros((4, 3), dtype=np.int64), []
    for t in range(1, 200):
        made.module.plan(params, state, t, np.random.default_rng(t), actions)
        made.module.learn(params, state, t, actions[:1], np.array([1.0]))
        x.append(vector(actions[0]))
    glm_ucb.fit(state, 0.01, state.theta, state.work)
    assert state.theta == pytest.approx(newton(np.array(x), np.ones(199), 0.01), abs=1e-7)


def test_glm_ucb_plays_the_largest_bound():
    module, params, state, x, _ = history("glm_ucb", 200, bound=0.5)
    actions = np.zeros((4, 3), dtype=np.int64)
    module.plan(params, state, 201, np.random.default_rng(0), actions)
    theta, width = state.theta, module.radius(params, state, 3)
    v = np.eye(len(theta)) + x.T @ x
    bounds = {}
    for action in itertools.product(*map(range, SIZES)):
        z = vector(action)
        bounds[action] = sigma(z @ theta) + width * math.sqrt(z @ np.linalg.solve(v, z))
    assert tuple(actions[0]) == max(bounds, key=bounds.get)


def test_glm_ucb_fits_seldom_or_always():
    for refit, least, most in ((0.0, 300, 300), (0.1, 30, 60)):
        made = fb.policies.make("glm_ucb", refit=refit)
        params, state = made.encoded(), made.module.init(made.encoded(), SIZES, 500)
        actions, fits, last = np.zeros((4, 3), dtype=np.int64), 0, 0
        for t in range(1, 302):
            made.module.plan(params, state, t, np.random.default_rng(t), actions)
            fits, last = (
                fits + (state.fitted[0] != last),
                int(state.fitted[0]),
            )
            made.module.learn(params, state, t, actions[:1], np.array([float(t % 2)]))
        assert least <= fits <= most


@pytest.mark.parametrize(("name", "effects"), [("logistic_thompson", 2.0), ("glm_ucb", 3.0)])
def test_regret_grows_slower_than_a_root(name, effects):
    problem = fb.environments.make(
        "logistic", effects=[[effects, 0.0, 0.0], [effects, 0.0]], base=-3.0
    )
    result = fb.simulate(
        name, problem, 1e5, repetitions=10, seed=1, checkpoints=[10**4], progress=False
    )
    early, late = result.regret.mean(axis=0)
    assert late - early < 0.5 * (math.sqrt(10) - 1) * early
    assert result.correct[:, -1].all()


def test_refusals():
    large = np.array([20] * 5)
    with pytest.raises(
        fb.errors.InvalidInputError,
        match=r"at most 2,048 of them; this problem has 4,101.*'pairwise'",
    ):
        fb.policies.make("logistic_thompson", interactions="pairwise").check(large, 10)
    with pytest.raises(
        fb.errors.InvalidInputError, match=r"at most 65,536 combinations if the horizon is unknown"
    ):
        fb.policies.make("glm_ucb").check(large[:4], 0)
    with pytest.raises(
        fb.errors.InvalidInputError,
        match=r"at most 524,288 combinations; this problem has 3,200,000",
    ):
        fb.policies.make("glm_ucb").check(large, 10**6)
    for name, wrong in (("glm_ucb", {"l2": 0}), ("logistic_thompson", {"variance": 0})):
        with pytest.raises(fb.errors.InvalidInputError, match=f"{name}: .*must"):
            fb.policies.make(name, **wrong).check(large, 10)
