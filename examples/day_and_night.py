"""An environment of your own: many clicks by day, few at night, whatever is shown.

The mean of a combination is the product of its qualities, times the light of the hour. At night all
means are low, but the better of two levels is better at every hour. TEA compares levels within one
short phase at a time, so the hour cancels.
"""

import math
import sys
from typing import NamedTuple

import numpy as np

import factored_bandits as fb
from factored_bandits.core.kernel import kernel


class Environment(NamedTuple):
    """Everything that the kernels read: arrays and numbers."""

    offsets: np.ndarray  # (L + 1,) index of the first level of each factor
    qualities: np.ndarray  # (levels,)
    highest: float  # product of the best qualities
    day: float  # rounds from one noon to the next


@kernel
def light(env, t):
    return 0.55 + 0.45 * math.cos(2.0 * math.pi * t / env.day)


@kernel
def mean(env, t, action):
    product = light(env, t)
    for l in range(len(action)):
        product *= env.qualities[env.offsets[l] + action[l]]
    return product


@kernel
def sample(env, t, action, rng):
    return 1.0 if rng.random() < mean(env, t, action) else 0.0


@kernel
def regret(env, t, action):
    return light(env, t) * env.highest - mean(env, t, action)


def make(factors, day=1000.0):
    qualities = [np.array(factor, dtype=np.float64) for factor in factors]
    sizes = tuple(len(factor) for factor in qualities)
    return fb.environments.Environment(
        name="day_and_night",
        kind="factored",
        module=sys.modules[__name__],  # where `mean`, `sample` and `regret` are
        data=Environment(
            offsets=np.concatenate([[0], np.cumsum(sizes)]),
            qualities=np.concatenate(qualities),
            highest=math.prod(float(factor.max()) for factor in qualities),
            day=float(day),
        ),
        sizes=sizes,
        reward_range=(0.0, 1.0),
        unit="reward",
        best=tuple(int(factor.argmax()) for factor in qualities),
        params={"factors": qualities, "day": day},
        stationary=False,  # means change with time: the simulator must not jump over rounds
    )


if __name__ == "__main__":
    # this file under its own name, so that compiled code can be kept for the next run
    import day_and_night

    problem = day_and_night.make([[0.9, 0.5, 0.5], [0.95, 0.5]])
    print(fb.simulate("tea", problem, horizon=50_000, repetitions=10, seed=1).summary())
