"""Rewards that drift while all levels are alike: attacks on every statement about levels.

An environment of its own, so that long runs are compiled. In round t the reward is a share
1 - noise of the height of the drift, and a share `noise` of a Bernoulli variable of that mean. No
level is better than another, in any round.
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

from scipy.stats import binom

import factored_bandits as fb
from factored_bandits.core.kernel import kernel

SAW = 0
SINE = 1
STEP = 2
SHAPES = {"saw": SAW, "sine": SINE, "step": STEP}

ERROR = 1e-4  # of the test itself


class Drift(NamedTuple):
    """What the kernels read."""

    shape: int
    period: float  # rounds
    noise: float  # from 0 to 1


@kernel
def height(env, t):
    """The mean of round t, from 0 to 1."""
    passed = (t - 1) / env.period
    fraction = passed - math.floor(passed)
    if env.shape == SAW:
        return fraction
    if env.shape == SINE:
        return 0.5 + 0.5 * math.sin(2.0 * math.pi * fraction)
    return 1.0 if fraction >= 0.5 else 0.0


@kernel
def mean(env, t, action):
    return height(env, t)


@kernel
def sample(env, t, action, rng):
    level = height(env, t)
    hit = 1.0 if rng.random() < level else 0.0
    return (1.0 - env.noise) * level + env.noise * hit


@kernel
def regret(env, t, action):
    return 0.0


def problem(sizes, shape, period, noise):
    """All levels alike, under a drift."""
    return fb.environments.Environment(
        name="drift",
        module=sys.modules[__name__],
        data=Drift(SHAPES[shape], float(period), float(noise)),
        sizes=tuple(sizes),
        best=(0,) * len(sizes),
        kind="factored",
        reward_range=(0.0, 1.0),
        unit="reward",
    )


def most_of(runs, probability):
    """The count that a binomial variable exceeds with probability at most ERROR."""
    return int(binom.isf(ERROR, runs, probability))
