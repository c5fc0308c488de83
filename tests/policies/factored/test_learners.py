"""Policies that draw levels at random: tsallis_inf, lb_inf, exp3, comband; and the posteriors of
Thompson sampling.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.core.rng import generators
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.blocks import propensities
from factored_bandits.policies.blocks.lb_inf import (
    ESTIMATE,
    PREDICTION,
    PROBABILITY,
    lb_inf_weights,
)
from factored_bandits.policies.blocks.tsallis import tsallis_weights
from factored_bandits.policies.factored.flat import flat_thompson
from factored_bandits.policies.factored.per_factor import marginal_thompson

LEARNERS = ["comband", "exp3", "lb_inf", "tsallis_inf"]


def started(policy, sizes=(3, 4), horizon=1000):
    """Module, encoded parameters and state of a policy that knows nothing."""
    made = fb.policies.make(policy)
    return made.module, made.encoded(), made.module.init(made.encoded(), np.array(sizes), horizon)


def taught(policy, rounds, sizes=(3, 4), seed=0):
    """The same after some rounds on an additive problem, planned once more."""
    module, params, state = started(policy, sizes, rounds + 1)
    problem = problems.additive(*sizes)
    policy_rng, rng = generators(seed)
    actions = np.zeros((1, 2), dtype=np.int64)
    for t in range(1, rounds + 1):
        module.plan(params, state, t, policy_rng, actions)
        reward = problem.module.sample(problem.data, t, actions[0], rng)
        module.learn(params, state, t, actions, np.array([reward]))
    module.plan(params, state, rounds + 1, policy_rng, actions)
    return module, params, state


@pytest.mark.parametrize("name", LEARNERS)
def test_levels_are_drawn_with_the_probabilities_stated(name):
    """4 standard deviations of a binomial, in a state reached after 200 rounds."""
    module, params, state = taught(name, 200)
    rng = np.random.default_rng(1)
    actions = np.zeros((1, 2), dtype=np.int64)
    counts = [np.zeros(3), np.zeros(4)]
    for _ in range(5000):
        module.plan(params, state, 201, rng, actions)
        for l in range(2):
            counts[l][actions[0, l]] += 1
    for count, probability in zip(counts, module.propensities(params, state, 1), strict=True):
        assert probability.sum() == pytest.approx(1.0, abs=1e-12)
        assert (
            np.abs(count - 5000 * probability)
            < 4 * np.sqrt(5000 * probability * (1 - probability)) + 1
        ).all()


def estimates(state):
    return (state.table[ESTIMATE] if hasattr(state, "table") else state.losses).copy()


@pytest.mark.parametrize("name", LEARNERS)
def test_estimated_losses_are_unbiased(name):
    """Over the draw of a level, with its loss known: the mean of what is added is the loss. Nothing
    is simulated.
    """
    module, params, state = taught(name, 100)
    probability = module.propensities(params, state, 1)[0]
    losses = np.array([0.2, 0.9, 0.5])
    expected = np.zeros(3)
    for level in range(3):
        copy = type(state)(*(array.copy() for array in state))
        propensities.remember(copy.remembered, 101, 0, probability[level])
        before = estimates(copy)
        module.learn(params, copy, 101, np.array([[level, 0]]), np.array([1.0 - losses[level]]))
        expected += probability[level] * (estimates(copy) - before)[:3]
    assert expected == pytest.approx(losses, abs=1e-9)


@pytest.mark.parametrize("name", LEARNERS)
def test_late_rewards_are_divided_by_the_probability_of_their_own_round(name):
    """Three decisions open at once; later plans change the probabilities, the estimates use those
    stated when asked.
    """
    agent = fb.Agent(name, factors={"a": [0, 1, 2], "b": [0, 1]}, seed=2, horizon=1000)
    for _ in range(50):
        agent.tell(agent.ask().id, float(agent._ledger.asked % 3 == 0))
    open_ones = [agent.ask() for _ in range(3)]
    for decision in open_ones:
        before = estimates(agent._state)
        at = decision.action[0]
        prediction = agent._state.table[PREDICTION, at] if name == "lb_inf" else 0.0
        agent.tell(decision.id, 0.0)
        gained = estimates(agent._state)[at] - before[at]
        probability = decision.propensity["a"]
        baselines = (0.0, 0.5) if name == "tsallis_inf" else (prediction,)
        assert any(gained == pytest.approx(base + (1.0 - base) / probability) for base in baselines)
        agent.ask()


def test_propensities_are_remembered_for_a_while():
    ring = propensities.no_propensities(1)
    for t in range(1, 3000):
        propensities.remember(ring, t, 0, 1.0 / t)
    kept = [t for t in range(1, 3000) if propensities.recall(ring, t, 0, -1.0) == 1.0 / t]
    assert kept == list(range(3000 - propensities.OPEN, 3000))


def test_tsallis_inf_has_the_rates_of_the_paper():
    """4 / sqrt(t) with reduced variance, 2 / sqrt(t) with importance weighting."""
    for name, factor in (("reduced_variance", 4.0), ("importance", 2.0)):
        _, _, state = taught(fb.policies.make("tsallis_inf", estimator=name), 300)
        expected = np.zeros(7)
        for start, size in ((0, 3), (3, 4)):
            tsallis_weights(state.losses, expected, start, size, factor / math.sqrt(301), 0.0)
        assert state.weights == pytest.approx(expected, rel=1e-8)


def test_lb_inf_solves_for_the_gamma_of_its_round():
    """gamma = log(1 + t), with the predictions and the learning rates of today."""
    _, _, state = taught("lb_inf", 300)
    table = state.table.copy()
    table[PROBABILITY] = 0.25
    for start, size in ((0, 3), (3, 4)):
        lb_inf_weights(table, start, size, math.log(302), 0.0)
    assert state.table[PROBABILITY] == pytest.approx(table[PROBABILITY], rel=1e-6)


def test_exp3_has_the_weights_of_the_textbook():
    _, _, state = taught("exp3", 300)
    for part, size in ((slice(0, 3), 3), (slice(3, 7), 4)):
        weights = np.exp(-math.sqrt(math.log(size) / (size * 301)) * state.losses[part])
        assert state.probabilities[part] == pytest.approx(weights / weights.sum(), rel=1e-9)


def test_comband_explores_and_learns_as_in_theorem_1():
    """Rate and exploration by the formula, with B^2 = 2 and 1 / lambda_min = 4; weights mixed with
    uniform play.
    """
    _, _, state = taught("comband", 300)
    rate = math.sqrt(math.log(12) / ((7 + 2 * 8) * 301))
    assert state.rate[0] == pytest.approx(rate)
    assert state.uniform[0] == pytest.approx(8 * rate)
    weights = np.exp(-rate * state.losses[:3])
    assert state.probabilities[:3] == pytest.approx(
        (1 - 8 * rate) * weights / weights.sum() + 8 * rate / 3, rel=1e-9
    )
    with pytest.raises(InvalidInputError, match="needs the horizon"):
        fb.policies.make("comband").check(np.array([3, 4]), 0)


def test_the_pseudo_inverse_of_comband_is_importance_weighting_per_factor():
    """On a product: <u, P+ s> = sum of 1{same level} / probability - (L - 1) for all pairs of
    combinations.
    """
    rng = np.random.default_rng(3)
    probabilities = [rng.dirichlet(np.ones(size)) for size in (2, 3, 2)]
    combinations = list(
        itertools.product(*(range(len(probability)) for probability in probabilities))
    )
    vectors = np.array(
        [
            np.concatenate([np.eye(len(p))[i] for p, i in zip(probabilities, c, strict=True)])
            for c in combinations
        ]
    )
    joint = np.array(
        [math.prod(p[i] for p, i in zip(probabilities, c, strict=True)) for c in combinations]
    )
    moments = vectors.T @ (joint[:, None] * vectors)
    estimate = vectors @ np.linalg.pinv(moments, rcond=1e-10) @ vectors.T
    for (a, u), (b, s) in itertools.product(enumerate(combinations), repeat=2):
        direct = sum((i == j) / p[j] for p, i, j in zip(probabilities, u, s, strict=True)) - 2
        assert estimate[a, b] == pytest.approx(direct, abs=1e-8)


def test_thompson_posteriors_are_conjugate():
    """Beta(1 + successes, 1 + failures), parts of a success counted as such, per combination and
    per level.
    """
    rng, sizes = np.random.default_rng(0), (2, 3)
    plays = np.stack([rng.integers(size, size=200) for size in sizes], axis=1)
    rewards = rng.random(200).round(1)
    flat, params, joint = started("flat_thompson", sizes)
    factored, _, marginal = started("marginal_thompson", sizes)
    for t, (action, reward) in enumerate(zip(plays, rewards, strict=True), start=1):
        flat.learn(params, joint, t, action[None], np.array([reward]))
        factored.learn(params, marginal, t, action[None], np.array([reward]))
    for arm, (i, j) in enumerate(itertools.product(range(2), range(3))):
        mine = rewards[(plays == (i, j)).all(axis=1)]
        assert joint.alpha[arm] == pytest.approx(1 + mine.sum())
        assert joint.beta[arm] == pytest.approx(1 + (1 - mine).sum())
    for at, (l, i) in enumerate([(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]):
        mine = rewards[plays[:, l] == i]
        assert marginal.alpha[at] == pytest.approx(1 + mine.sum())
        assert marginal.beta[at] == pytest.approx(1 + (1 - mine).sum())


@pytest.mark.parametrize("module", [flat_thompson, marginal_thompson])
def test_unbounded_rewards_leave_posteriors_that_exist(module):
    _, params, state = started(module.__name__.rpartition(".")[2], (2, 3))
    for reward in (-3.0, 0.5, 7.0):
        module.learn(params, state, 1, np.array([[1, 2]]), np.array([reward]))
    parameters = np.array([state.alpha, state.beta])
    assert (parameters >= 1.0).all()
    counted = 3 * (1 if module is flat_thompson else 2)
    assert parameters.sum() == pytest.approx(parameters.size + counted)


def test_thompson_races_are_distributed_as_plain_draws():
    """The same number of plays of each combination, 4 standard errors, as with a draw from every
    posterior.
    """

    def plain(params, state, t, rng, actions):
        draws = rng.beta(state.alpha, state.beta)
        actions[0] = np.unravel_index(draws.argmax(), tuple(state.sizes))
        return 1

    problem, results = problems.additive(3, 4), []
    for planner in (None, plain):
        plays = []
        for seed in range(40):
            module, params, state = started("flat_thompson")
            policy_rng, rng = generators(seed)
            actions = np.zeros((1, 2), dtype=np.int64)
            for t in range(1, 301):
                (planner or module.plan)(params, state, t, policy_rng, actions)
                reward = problem.module.sample(problem.data, t, actions[0], rng)
                module.learn(params, state, t, actions, np.array([reward]))
            plays.append(state.plays.copy())
        results.append(np.array(plays))
    one, other = results
    error = np.hypot(one.std(axis=0, ddof=1), other.std(axis=0, ddof=1)) / math.sqrt(40)
    assert (np.abs(one.mean(axis=0) - other.mean(axis=0)) < 4 * error).all()


@pytest.mark.parametrize("size", [1, 2, 40])
@pytest.mark.parametrize("name", ["lb_inf", "tsallis_inf"])
def test_weights_stay_probabilities_after_a_billion_rounds(name, size):
    """Estimates as after 10^9 rounds with a gap of 0.3: probabilities add up to one, stay positive,
    and are near 0 and 1.
    """
    module, params, state = started(name, (size, 2))
    rng, actions = np.random.default_rng(0), np.zeros((1, 2), dtype=np.int64)
    (state.table[ESTIMATE] if name == "lb_inf" else state.losses)[:] = 5e8
    (state.table[ESTIMATE] if name == "lb_inf" else state.losses)[[0, size]] -= 3e8
    for t in range(10**9, 10**9 + 200):
        module.plan(params, state, t, rng, actions)
        probabilities = module.propensities(params, state, 1)
        assert all(
            abs(probability.sum() - 1) < 1e-12 and (probability > 0).all()
            for probability in probabilities
        )
        assert all(probability[0] > 1 - 1e-6 for probability in probabilities)
        module.learn(params, state, t, actions, np.array([float(t % 3 == 0)]))


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "slope"), [("lb_inf", 0.5), ("tsallis_inf", 0.5), ("exp3", 0.75), ("comband", 0.75)]
)
def test_regret_in_the_last_decade(name, slope):
    """Slope on log-log paper, additive losses: a logarithm stays below the 1/2 of a root, a root
    half way below 1.
    """
    problem = fb.environments.make("additive", effects=[[0.3, 0, 0, 0], [0.2, 0, 0]], base=0.3)
    rounds = 200_000
    if name == "comband":  # tuned to its horizon: one run each
        ends = [
            fb.simulate(name, problem, n, 10, seed=1, progress=False).summary().mean
            for n in (rounds // 10, rounds)
        ]
    else:
        points = [rounds // 10, rounds]
        ends = fb.simulate(
            name, problem, rounds, 10, seed=1, checkpoints=points, progress=False
        ).regret.mean(axis=0)
    assert math.log10(ends[1] / ends[0]) < slope
