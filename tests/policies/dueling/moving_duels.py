"""Duels that move while arm 0 stays unbeaten: attacks on every statement about arms.

An environment of its own, so that long runs are compiled. In round t arm 0 beats every other with
probability 1/2 + lead (1 + sin) / 2, which comes down to 1/2 again and again; the others beat one
another with 1/2 +- swing, the sign changing with the sine. The last `weak` arms lose to all others
with probability 0.9. Whoever is in the first position wins more often by `bias`.
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

from scipy.stats import binom

import factored_bandits as fb
from factored_bandits.core.kernel import kernel

ERROR = 1e-4  # of the test itself


class Moving(NamedTuple):
    """What the kernels read."""

    arms: int
    lead: float
    swing: float
    weak: int
    tie: float
    bias: float
    period: float  # rounds


@kernel
def edge(env, t, i, j):
    """By how much arm i beats arm j in round t, beyond 1/2."""
    wave = math.sin(2.0 * math.pi * t / env.period)
    first_weak = env.arms - env.weak
    if i == j or (i >= first_weak and j >= first_weak):
        return 0.0
    if i >= first_weak or j >= first_weak:
        return -0.4 if i >= first_weak else 0.4
    if i == 0 or j == 0:
        lead = env.lead * (0.5 + 0.5 * wave)
        return lead if i == 0 else -lead
    above = env.swing if wave > 0.0 else -env.swing
    return above if i < j else -above


@kernel
def mean(env, t, action):
    return 0.5 + edge(env, t, action[0], action[1]) + env.bias


@kernel
def sample(env, t, action, rng):
    u = rng.random()
    if u < env.tie:
        return 0.5
    return 1.0 if u < env.tie + (1.0 - env.tie) * mean(env, t, action) else 0.0


@kernel
def regret(env, t, action):
    return 0.5 * (edge(env, t, 0, action[0]) + edge(env, t, 0, action[1]))


def problem(arms, lead=0.0, swing=0.0, weak=0, tie=0.0, bias=0.0, period=97.0):
    """Arm 0 is at least as good as every other one, in every round."""
    return fb.environments.Environment(
        name="moving_duels",
        module=sys.modules[__name__],
        data=Moving(arms, lead, swing, weak, tie, bias, period),
        sizes=(arms, arms),
        best=(0, 0),
        kind="duel",
        reward_range=(0.0, 1.0),
        unit="average",
        stationary=False,
    )


def most_of(runs, probability):
    """The count that a binomial variable exceeds with probability at most ERROR."""
    return int(binom.isf(ERROR, runs, probability))
