"""An attack on bets that are not valid by means alone.

All levels have the same mean, but level 0 of the first factor pays it in every round, and the
others pay 1 with that probability and else 0.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import factored_bandits as fb
from factored_bandits.core.kernel import kernel


class Constant(NamedTuple):
    """What the kernels read."""

    mean: float


@kernel
def mean(env, t, action):
    return env.mean


@kernel
def sample(env, t, action, rng):
    if action[0] == 0:
        return env.mean
    return 1.0 if rng.random() < env.mean else 0.0


@kernel
def regret(env, t, action):
    return 0.0


def problem(sizes, mean):
    """One level without noise among noisy ones of the same mean."""
    return fb.environments.Environment(
        name="constant_level",
        module=sys.modules[__name__],
        data=Constant(float(mean)),
        sizes=tuple(sizes),
        best=(0,) * len(sizes),
        kind="factored",
        reward_range=(0.0, 1.0),
        unit="reward",
    )
