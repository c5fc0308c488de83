"""Evaluations: coverage counted exactly, estimates against formulas, complaints word for word."""

from __future__ import annotations

import numpy as np
import pytest
from adaptive_logs import FACTORS, LEAST, adaptive_logs, means_at
from scipy.stats import binom

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError, UnknownNameError

ALPHA = 0.2
RUNS = 40
ROWS = 300
MOST = int(binom.ppf(1 - 1e-6, RUNS, ALPHA))


@pytest.fixture(scope="module")
def logs():
    return adaptive_logs(RUNS, ROWS, 3)


def truth(rows, probabilities):
    return np.mean([(means_at(row) * probabilities).sum() for row in range(rows)])


@pytest.mark.parametrize("least", [None, LEAST])
@pytest.mark.parametrize(
    ("target", "probabilities"),
    [
        ({"a": "y", "b": 1}, [[0, 0, 0], [1, 0, 0]]),
        (
            {"a": {"x": 0.5, "y": 0.5}, "b": {1: 0.2, 3: 0.8}},
            [[0.1, 0, 0.4], [0.1, 0, 0.4]],
        ),
    ],
)
def test_intervals_hold_the_mean_over_the_rows(logs, target, probabilities, least):
    wrong = 0
    for log in logs:
        for rows in (60, ROWS):
            found = fb.evaluate(target, log.head(rows), alpha=ALPHA, least=least)
            if not found.lower <= truth(rows, np.array(probabilities)) <= found.upper:
                wrong += 1
                break
    assert wrong <= MOST


@pytest.mark.full
@pytest.mark.parametrize("least", [None, LEAST])
def test_intervals_hold_the_mean_over_the_rows_in_many_runs(least):
    runs = 400
    alpha = 0.1
    probabilities = np.array([[0, 0, 1], [0, 0, 0]])
    wrong = 0
    for log in adaptive_logs(runs, 1000, 77):
        wrong += any(
            not found.lower <= truth(rows, probabilities) <= found.upper
            for rows in (30, 100, 300, 1000)
            for found in [fb.evaluate({"a": "x", "b": 3}, log.head(rows), alpha=alpha, least=least)]
        )
    assert wrong <= int(binom.ppf(1 - 1e-6, runs, alpha))


def test_a_known_limit_of_weights_narrows_intervals():
    log = adaptive_logs(1, 12_000, 4)[0]
    target = {"a": "x", "b": 3}
    plain = fb.evaluate(target, log)
    sharp = fb.evaluate(target, log, least=LEAST)
    assert plain.estimate == sharp.estimate
    assert sharp.upper - sharp.lower < 0.95 * (plain.upper - plain.lower)


def test_the_estimate_is_the_ratio_of_sums():
    log = adaptive_logs(1, 300, 5)[0]
    found = fb.evaluate({"a": "x", "b": 2}, log)
    played = (log.actions == [0, 1]).all(axis=1)
    weights = played / log.joint
    assert found.estimate == pytest.approx((weights * log.rewards).sum() / weights.sum())
    assert found.effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert found.used == played.sum()
    assert found.to_dict()["method"] == "weighting"


def test_rewards_in_other_units_are_the_same_rewards():
    log = adaptive_logs(1, 500, 6)[0]
    euros = fb.logs.Log(
        log.factors, log.actions, 50 * log.rewards - 20, (-20, 30), log.propensities, log.joint
    )
    for target in ({"a": "x", "b": 2}, {"b": 1}, "tsallis_inf"):
        one = fb.evaluate(target, log)
        other = fb.evaluate(target, euros)
        for share, money in zip(
            (one.estimate, one.lower, one.upper),
            (other.estimate, other.lower, other.upper),
            strict=True,
        ):
            assert money == pytest.approx(50 * share - 20)


def uniform_log(rows, seed):
    rng = np.random.default_rng(seed)
    actions = np.column_stack([rng.integers(size, size=rows) for size in (2, 3)])
    means = means_at(0)
    rewards = (rng.random(rows) < means[tuple(actions.T)]).astype(float)
    shares = np.tile([1 / 2, 1 / 3], (rows, 1))
    return fb.logs.Log(FACTORS, actions, rewards, (0.0, 1.0), shares, shares.prod(axis=1))


def test_a_replayed_policy_plays_as_it_would_online():
    """What it meets is what its own environment would give: the same mean, counted over seeds."""
    rows = 3000
    ours = []
    for seed in range(12):
        found = fb.evaluate("flat_ucb1", uniform_log(rows, seed), seed=seed, alpha=0.5)
        assert 350 < found.used < 650  # one in six
        ours.append((found.used, found.estimate))

    environment = fb.environments.make("table", means=means_at(0).tolist())
    horizon = int(np.mean([used for used, _ in ours]))
    result = fb.simulate(
        "flat_ucb1", environment, horizon=horizon, repetitions=12, seed=1, progress=False
    )
    online = means_at(0).max() - result.regret[:, -1] / horizon
    estimates = np.array([estimate for _, estimate in ours])
    error = np.sqrt(estimates.var(ddof=1) / 12 + online.var(ddof=1) / 12 + 0.25 / (12 * horizon))
    assert abs(estimates.mean() - online.mean()) < 4 * error


def test_rows_are_taken_with_one_probability_whatever_was_played():
    """Rejection undoes the preferences of the policy that wrote the log."""
    means = np.array([[0.1, 0.2, 0.3], [0.7, 0.8, 0.9]])
    log = adaptive_logs(1, 6000, 8, lambda row: means)[0]
    found = fb.evaluate("uniform", log, seed=1)
    least = log.joint.min()
    expected = 6000 * least
    assert abs(found.used - expected) < 4 * np.sqrt(expected)
    assert abs(found.estimate - 0.5) < 4 * 0.5 / np.sqrt(found.used)
    assert log.rewards.mean() > 0.6  # the policy that wrote the log had learned


def test_intervals_of_replays_hold():
    wrong = 0
    for seed in range(RUNS):
        log = uniform_log(300, seed + 100)
        found = fb.evaluate("uniform", log, alpha=ALPHA, seed=seed)
        wrong += not found.lower <= means_at(0).mean() <= found.upper
    # `uniform` chooses anew each time, so that the mean of what it chose is not exactly the mean
    assert wrong <= MOST


def test_without_propensities_every_match_is_taken():
    log = uniform_log(600, 1)
    bare = fb.logs.Log(log.factors, log.actions, log.rewards)
    found = fb.evaluate("flat_ucb1", bare)
    assert found.used == pytest.approx(100, abs=40)
    with pytest.raises(InvalidInputError) as raised:
        fb.evaluate({"a": "x", "b": 1}, bare)
    assert str(raised.value) == (
        "an evaluation by weighting needs to know with which probability each row was chosen: "
        "fb.load_log(..., propensity=...)"
    )


def test_a_log_without_the_right_rows_says_nothing():
    log = fb.load_log({"a": [1, 1], "r": [0, 1], "p": [0.5, 0.6]}, {"a": [1, 2]}, "r", "p")
    found = fb.evaluate({"a": 2}, log)
    assert np.isnan(found.estimate)
    assert (found.lower, found.upper, found.used, found.effective) == (0.0, 1.0, 0, 0.0)
    replayed = fb.evaluate(
        "flat_ucb1", fb.load_log({"a": [1], "r": [0]}, {"a": [1, 2]}, "r"), seed=1
    )
    assert (replayed.lower, replayed.upper) == (0.0, 1.0)


def test_propensities_that_do_not_fit_are_noticed():
    """A level that was eliminated has weight 0 in rows where it could not be played."""
    log = uniform_log(2000, 1)
    gone = (log.actions[:, 0] == 0) & (np.arange(2000) > 1000)
    log.actions[gone, 0] = 1  # from row 1000 on only y, but the propensities say 1/2
    with pytest.raises(InvalidInputError) as raised:
        fb.evaluate({"a": "x"}, log)
    assert str(raised.value).startswith(
        "the propensities of the log do not fit what was played: the weights of a=x average to 0.5"
    )
    assert fb.evaluate({"a": "x"}, log.head(1000)).used == 509


@pytest.mark.parametrize(
    ("policy", "arguments", "message"),
    [
        ({"c": 1}, {}, "no factor named 'c' (known: a, b)"),
        ({"b": 7}, {}, "no level of 'b' named 7 (known: 1, 2, 3)"),
        ({}, {}, "the target must name a level of at least one factor, not {}"),
        (
            {"a": {"x": 0.5}},
            {},
            "the probabilities of 'a' must not be negative and add up to 1, not {'x': 0.5}",
        ),
        ({"a": "x"}, {"alpha": 0}, "alpha must lie between 0 and 1, not 0"),
        ({"a": "x"}, {"least": 2}, "least must lie between 0 and 1, not 2"),
        (
            {"a": "x"},
            {"least": 0.9},
            "least=0.9, but row 1 of the log had the probability 0.5",
        ),
        (
            "uniform",
            {"least": 0.9},
            "least=0.9, but row 1 of the log had the probability 0.166667",
        ),
        (
            "dueling_tea",
            {},
            "dueling_tea cannot be replayed: a log has one level of each factor and one reward "
            "per row",
        ),
    ],
)
def test_wrong_arguments(policy, arguments, message):
    with pytest.raises(InvalidInputError) as raised:
        fb.evaluate(policy, uniform_log(50, 1), **arguments)
    assert str(raised.value) == message


def test_what_is_no_log():
    with pytest.raises(InvalidInputError, match=r"log must be what fb\.load_log returned"):
        fb.evaluate("uniform", [1, 2])
    with pytest.raises(InvalidInputError, match=r"log must be what fb\.load_log returned"):
        fb.effects([1, 2])
    with pytest.raises(UnknownNameError):
        fb.evaluate("no_such_policy", uniform_log(10, 1))


def test_effects_hold():
    """The other factor is as it was drawn: with means that do not interact the truth is known."""
    wrong = 0
    for log in adaptive_logs(RUNS, ROWS, 9, lambda row: np.array([[0.3] * 3, [0.7] * 3])):
        found = fb.effects(log, alpha=ALPHA)
        first = {one.level: one for one in found.levels if one.factor == "a"}
        wrong += not first["x"].lower <= 0.3 <= first["x"].upper
        # b does nothing, so the truth of its effects is 0
        second = [one for one in found.levels if one.factor == "b"]
        assert sum(one.plays for one in second) == ROWS
        wrong += not second[0].effect_lower <= 0.0 <= second[0].effect_upper
    assert wrong <= int(binom.ppf(1 - 1e-6, 2 * RUNS, ALPHA))


def test_effects_of_an_agents_own_log():
    rng = np.random.default_rng(10)
    agent = fb.Agent("tsallis_inf", factors={"a": [0, 1], "b": [0, 1]}, seed=1, compiled=False)
    written = []
    for _ in range(1500):
        decision = agent.ask()
        reward = float(rng.random() < 0.4 + 0.3 * decision.levels["a"])
        agent.tell(decision.id, reward)
        written.append((decision, reward))
    found = fb.effects(fb.load_log(written))
    rows = {(one.factor, one.level): one for one in found.levels}
    assert rows["a", 1].lower <= 0.7 <= rows["a", 1].upper
    assert rows["a", 0].lower <= 0.4 <= rows["a", 0].upper
    assert rows["a", 1].lower > 0.5
    assert "valid at any time" in str(found)
    assert "<table" in found._repr_html_()
    assert found.to_dict()["levels"][0]["factor"] == "a"


def test_effects_need_a_propensity_per_factor():
    log = fb.load_log(
        {"a": [1, 2], "b": [1, 2], "r": [0, 1], "p": [0.2, 0.3]}, ["a", "b"], "r", "p"
    )
    with pytest.raises(InvalidInputError) as raised:
        fb.effects(log)
    assert str(raised.value) == (
        "a target that leaves factors out, and effects of single factors, need a propensity for "
        "each factor: fb.load_log(..., propensity={factor: column, ...})"
    )
