"""Bets on duels: exact expectations, and who has none."""

from __future__ import annotations

import numpy as np
import pytest

from factored_bandits.policies.blocks.duel_bets import bet_on_duel
from factored_bandits.policies.blocks.wealth import GAIN, PEAK, SQUARE, WEALTH, new_wealth


def any_past(rng):
    bets = new_wealth(3)
    bets[WEALTH] = rng.uniform(0.1, 3.0, 3)
    bets[PEAK] = bets[WEALTH] + 1.0
    bets[GAIN] = rng.normal(0.0, 3.0, 3)
    bets[SQUARE] = rng.uniform(0.0, 2.0, 3)
    return bets


@pytest.mark.parametrize("tie", [0.0, 0.4])
def test_the_mean_factor_of_both_arms(tie):
    """Given the pair: 1 + stake (1/2 - probability of a win), a tie being half a win."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        bets = any_past(rng)
        first, second = rng.permutation(3)[:2]
        win = (1.0 - tie) * rng.random()  # of the first
        expected = np.zeros(3)
        for reward, probability in ((1.0, win), (0.5, tie), (0.0, 1.0 - win - tie)):
            after = bets.copy()
            bet_on_duel(after, first, second, reward)
            expected += probability * after[WEALTH] / bets[WEALTH]
            assert (after[WEALTH] >= 0.05 * bets[WEALTH] * (1 - 1e-9)).all()
        stake = np.clip(bets[GAIN] / (bets[SQUARE] + 1.0), 0.0, 1.9)
        wanted = np.ones(3)
        wanted[first] += stake[first] * (0.5 - win - 0.5 * tie)
        wanted[second] -= stake[second] * (0.5 - win - 0.5 * tie)
        assert expected == pytest.approx(wanted, abs=1e-9)


def test_an_arm_against_itself_shows_nothing():
    bets = any_past(np.random.default_rng(5))
    before = bets.copy()
    bet_on_duel(bets, 1, 1, 1.0)
    assert np.array_equal(bets, before)
