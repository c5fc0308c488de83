"""Rewards that drift within a phase: an arm that is as good as any is eliminated at most as often
as delta says.
"""

from __future__ import annotations

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.policies.tem import bounds as _bounds
from inference.drifts import most_of

RUNS = 60
DELTA = 0.2


def saw(slots):
    """From the lowest reward to the highest."""
    return np.linspace(-1.0, 1.0, slots)


def sine(slots):
    return np.sin(2.0 * np.pi * np.arange(slots) / slots)


def step(slots):
    return np.where(np.arange(slots) < slots // 2, -1.0, 1.0)


def ever_eliminated(bound, size, slots, drift, noise, seed, phases=60):
    """Whether arm 0 ever leaves the active set, all arms being alike."""
    rng = np.random.default_rng(seed)
    tem = fb.TEM(size, bound)
    for _ in range(phases):
        arms = tem.schedule(slots, rng)
        bernoulli = np.where(rng.random(slots) < (1.0 + drift(slots)) / 2.0, 1.0, -1.0)
        tem.feedback(arms, (1.0 - noise) * drift(slots) + noise * bernoulli)
        if 0 not in tem.active_set(DELTA):
            return True
    return False


def eliminated(bound, *setting, runs=RUNS):
    return sum(ever_eliminated(bound, *setting, seed) for seed in range(runs))


@pytest.mark.parametrize(("drift", "noise"), [(saw, 0.0), (step, 0.3)])
def test_an_arm_as_good_as_any_stays_under_drift(drift, noise):
    allowed = DELTA * _bounds.spent(2, _bounds.BETTING)
    assert eliminated("betting", 2, 20, drift, noise) <= most_of(RUNS, allowed)


@pytest.mark.full
@pytest.mark.parametrize("drift", [saw, sine, step])
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize(("size", "slots"), [(2, 2), (2, 7), (2, 40), (7, 20), (10, 30)])
@pytest.mark.parametrize("bound", list(_bounds.BOUNDS))
def test_an_arm_as_good_as_any_stays_under_every_drift(bound, size, slots, drift, noise):
    allowed = DELTA * _bounds.spent(size, _bounds.BOUNDS[bound])
    assert eliminated(bound, size, slots, drift, noise, runs=200) <= most_of(200, allowed)
