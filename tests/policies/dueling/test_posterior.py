"""P(one arm is better than another), kept in O(1), against scipy's binomial."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from factored_bandits.core.kernel import bind, kernel
from factored_bandits.policies.blocks.posterior import (
    draw_above_half,
    fair_mass,
    fair_tail,
    update_posterior,
)


@kernel
def duels(wins, probability, mass, outcomes):
    for outcome in outcomes:
        update_posterior(wins, probability, mass, 0, 1, outcome)


def fresh():
    half = np.full((2, 2), 0.5)
    return np.zeros((2, 2)), half, half.copy()


def exact(wins):
    return stats.binom.cdf(wins[0, 1], wins.sum() + 1, 0.5)


@pytest.mark.parametrize("p", [0.5, 0.502, 0.6, 0.95, 1.0, 0.0])
def test_probability_equals_the_binomial_over_long_runs(p):
    """A million duels, 500 looks: to 1e-10 (measured 1e-13)."""
    run = bind(duels, "posterior")
    wins, probability, mass = fresh()
    noise = np.random.default_rng(3)

    for _ in range(500):
        number = int(noise.integers(1, 4_000))
        run(wins, probability, mass, (noise.random(number) < p).astype(float))
        assert probability[0, 1] == pytest.approx(exact(wins), abs=1e-10)
        assert probability[0, 1] + probability[1, 0] == pytest.approx(1.0, abs=1e-15)
        assert mass[0, 1] == pytest.approx(
            stats.binom.pmf(wins[0, 1], wins.sum() + 1, 0.5), rel=1e-9, abs=1e-300
        )


@pytest.mark.parametrize("swing", [300, 1_030, 1_500, 5_000, 70_000, 200_000])
def test_a_probability_that_underflowed_is_right_again(swing):
    """All lost, then all won: through 2^-swing, below the smallest number, to even and beyond."""
    run = bind(duels, "posterior")
    wins, probability, mass = fresh()
    run(wins, probability, mass, np.zeros(swing))
    assert probability[0, 1] == pytest.approx(exact(wins), abs=1e-10)
    for _ in range(80):
        run(wins, probability, mass, np.ones(swing // 40))
        assert probability[0, 1] == pytest.approx(exact(wins), abs=1e-10)
    assert probability[0, 1] > 0.99


def test_either_arm_may_stand_first():
    one = fresh()
    other = fresh()
    for outcome in np.random.default_rng(0).integers(0, 2, 1_000).astype(float):
        update_posterior(*one, 0, 1, outcome)
        update_posterior(*other, 1, 0, 1.0 - outcome)
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("n", [1, 2, 15, 16, 33, 400, 10_001, 3_000_000])
def test_fair_binomial(n):
    """pmf and distribution function for all k where there are few, else for some."""
    spread = (
        np.arange(n + 1)
        if n < 500
        else np.unique(np.int64(n / 2 + np.sqrt(n) * np.linspace(-9, 9, 41)))
    )
    for k in [*spread.tolist(), 0, 1, n - 1, n]:
        assert fair_mass(float(n), float(k)) == pytest.approx(
            stats.binom.pmf(k, n, 0.5), rel=1e-9, abs=1e-305
        )
        assert fair_tail(float(n), float(k)) == pytest.approx(
            stats.binom.cdf(k, n, 0.5), rel=1e-9, abs=1e-300
        )


def test_draws_above_half_have_the_conditional_distribution():
    wins = np.array([[0.0, 3.0], [6.0, 0.0]])
    rng = np.random.default_rng(5)
    drawn = [draw_above_half(wins, 0, 1, rng) for _ in range(3_000)]
    below_half = stats.beta.cdf(0.5, 4, 7)

    def conditional(x):
        return (stats.beta.cdf(x, 4, 7) - below_half) / (1 - below_half)

    assert stats.kstest(drawn, conditional).pvalue > 1e-6
