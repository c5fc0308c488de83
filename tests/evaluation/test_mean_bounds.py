"""The bound holds at all times, counted exactly; the usual interval fails the same count."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from factored_bandits.inference.mean_bounds import (
    COSTS,
    STAKES,
    WEIGHTS,
    Process,
    log_wealth,
    lower_mean,
    running_means,
)

RUNS = 400
ROWS = 1000
ALPHA = 0.1
# more errors than these have a probability of at most 1e-6 if a run errs with probability ALPHA
MOST = int(binom.ppf(1 - 1e-6, RUNS, ALPHA))


@pytest.fixture(scope="module")
def runs():
    """Weighted rewards: propensities follow past rewards, means move."""
    rng = np.random.default_rng(11)
    weights = np.empty((RUNS, ROWS))
    rewards = np.empty((RUNS, ROWS))
    means = 0.4 + 0.3 * np.sin(np.arange(ROWS) / 50.0)
    luck = np.zeros(RUNS)
    for row in range(ROWS):
        propensity = 0.05 + 0.9 / (1.0 + np.exp(-luck))
        rewards[:, row] = rng.random(RUNS) < means[row]
        played = rng.random(RUNS) < propensity
        weights[:, row] = played / propensity
        luck += played * (0.5 - rewards[:, row])  # rare after luck
    return [(w, x, means) for w, x in zip(weights, rewards, strict=True)]


def ever_wrong(values, forecasts, means, scale):
    total = np.cumsum(values - means) / scale
    variation = np.cumsum(((values - forecasts) / scale) ** 2)
    return bool((log_wealth(total, variation) > math.log(1.0 / ALPHA)).any())


def test_weighted_rewards_without_a_limit(runs):
    wrong = sum(ever_wrong(w * x, running_means(w * x), m, 1.0) for w, x, m in runs)
    assert wrong <= MOST
    flipped = sum(
        ever_wrong(w * (1 - x), running_means(w * (1 - x)), 1 - m, 1.0) for w, x, m in runs
    )
    assert flipped <= MOST


def test_a_baseline_with_a_cap(runs):
    wrong = 0
    for w, x, m in runs:
        c = running_means(x)
        wrong += ever_wrong(w * (x - c) + c, c, m, 1.0 / 0.05)
    assert wrong <= MOST


def test_the_usual_interval_looked_at_again_and_again_fails(runs):
    """So the counts above can fail."""
    wrong = 0
    for w, x, m in runs:
        n = np.arange(1, ROWS + 1)
        values = w * x
        mean = np.cumsum(values) / n
        error = np.sqrt(np.maximum(np.cumsum(values**2) / n - mean**2, 1e-9) / n)
        truth = np.cumsum(m) / n
        wrong += bool((mean[50:] - 1.2816 * error[50:] > truth[50:]).any())  # one side, 10 %
    assert wrong > MOST


def test_the_increment_has_mean_at_most_one():
    """The heart of the proof, by enumeration: two points, any forecast within the scale."""
    for stake, cost in zip(STAKES, COSTS, strict=True):
        for share in (0.001, 0.1, 0.5, 0.9):
            for top in (0.2, 1.0, 5.0, 100.0):
                mean = share * top
                for forecast in (0.0, 0.3, 1.0):
                    mixed = sum(
                        p * math.exp(stake * (y - mean) - cost * (y - forecast) ** 2)
                        for p, y in ((share, top), (1.0 - share, 0.0))
                    )
                    assert mixed <= 1.0 + 1e-12
    assert WEIGHTS.sum() <= 1.0 + 1e-12


def test_the_bound_is_where_the_wealth_meets_its_limit():
    values = np.random.default_rng(2).random(300) ** 2
    forecasts = running_means(values)
    process = Process(values, forecasts, 1.0)
    bound = lower_mean([process], 0.01)
    total = np.array([(values - bound).sum()])
    variation = np.array([((values - forecasts) ** 2).sum()])
    assert log_wealth(total, variation)[0] == pytest.approx(math.log(100), rel=1e-9)
    assert lower_mean([process, process], 0.01) == pytest.approx(bound)
    assert lower_mean([Process(values[:0], forecasts[:0], 1.0)], 0.01) == -math.inf


def test_forecasts_know_only_the_past():
    values = np.random.default_rng(2).random(20)
    changed = values.copy()
    changed[10:] = 0.0
    assert running_means(values)[:11].tolist() == running_means(changed)[:11].tolist()
