"""Factored rewards: product, sum or logistic sum of effects, a table of all means, a moving sum.

One data type and one pair of kernels for all of them, so that a policy is compiled once, not once
per reward model.
"""

from __future__ import annotations

import math
import sys
from typing import Any, Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, offsets_of
from factored_bandits.core.checks import finite, one_of
from factored_bandits.core.kernel import kernel
from factored_bandits.errors import InvalidInputError

from .base import Environment
from .checks import TOLERANCE
from .moving import lift, turned_sum

# FactoredData.combine: how the values of the levels make a mean
PRODUCT = 0
SUM = 1
LOGISTIC = 2
TABLE = 3
MOVING = 4  # a sum, as its `table` says

# FactoredData.noise
BERNOULLI = 0
GAUSSIAN = 1
Noise = Literal["bernoulli", "gaussian"]


class FactoredData(NamedTuple):
    """The means, and how rewards scatter about them."""

    combine: int  # PRODUCT, SUM, LOGISTIC, TABLE or MOVING
    noise: int  # BERNOULLI or GAUSSIAN
    sigma: float  # of Gaussian noise
    base: float  # added to a sum, before the logistic function if there is one
    highest: float  # the mean of the best combination
    offsets: Ints  # (L + 1,) the first level of each factor
    values: Floats  # (levels,) the effect of each; with a table, what it adds to the index there
    table: Floats  # (combinations,) all means, the last factor running fastest; or empty


@kernel
def mean(env: FactoredData, t: int, action: Ints) -> float:
    """The expected reward."""
    if env.combine == MOVING:
        return turned_sum(env, t, action) + lift(env, t)
    return resting_mean(env, action)


@kernel
def resting_mean(env: FactoredData, action: Ints) -> float:
    """The expected reward where means do not move."""
    offsets = env.offsets
    values = env.values
    total = env.base
    product = 1.0

    for l in range(len(action)):
        value = values[offsets[l] + action[l]]
        total += value
        product *= value

    if env.combine == PRODUCT:
        return product
    if env.combine == SUM:
        return total
    if env.combine == LOGISTIC:
        return 1.0 / (1.0 + math.exp(-total))
    return env.table[int(total)]


@kernel
def sample(env: FactoredData, t: int, action: Ints, rng: np.random.Generator) -> float:
    """One reward."""
    return noisy(env, mean(env, t, action), rng)


@kernel
def noisy(env: FactoredData, expected: float, rng: np.random.Generator) -> float:
    """A reward with this mean."""
    if env.noise == BERNOULLI:
        return 1.0 if rng.random() < expected else 0.0
    return expected + env.sigma * rng.standard_normal()


@kernel
def sample_outcomes(
    env: FactoredData, t: int, action: Ints, rng: np.random.Generator, outcomes: Floats
) -> float:
    """One reward, a product of 0/1 outcomes, and the outcome of each factor."""
    reward = 1.0
    for l in range(len(action)):
        outcomes[l] = 1.0 if rng.random() < env.values[env.offsets[l] + action[l]] else 0.0
        reward *= outcomes[l]
    return reward


@kernel
def regret(env: FactoredData, t: int, action: Ints) -> float:
    """The distance to the best mean of the moment; what is added to all means does not matter."""
    if env.combine == MOVING:
        return env.highest - turned_sum(env, t, action)
    return env.highest - mean(env, t, action)


@kernel
def sample_with_regret(
    env: FactoredData, t: int, action: Ints, rng: np.random.Generator
) -> tuple[float, float]:
    """`sample` and `regret`, with the mean computed once for both."""
    if env.combine == MOVING:
        shared = turned_sum(env, t, action)
        expected = shared + lift(env, t)
    else:
        expected = resting_mean(env, action)
        shared = expected

    return noisy(env, expected, rng), env.highest - shared


def build(
    name: str,
    *,
    combine: int,
    noise: Noise,
    sigma: float,
    values: list[Floats] | None = None,
    base: float = 0.0,
    table: Floats | None = None,
    params: dict[str, Any],
) -> Environment:
    """The problem, its best combination found by structure, its extreme means checked."""
    one_of("noise", noise, ("bernoulli", "gaussian"))
    if not 0.0 < finite("sigma", sigma) <= 1.0:
        raise InvalidInputError(
            f"sigma must lie in (0, 1], not {sigma!r}: the policies assume 1-sub-Gaussian noise; "
            "divide your rewards"
        )

    values = values or []
    sizes = tuple(len(v) for v in values) if table is None else table.shape
    params = {**params, "noise": noise}
    if noise == "gaussian":
        params["sigma"] = float(sigma)

    data = FactoredData(
        combine=combine,
        noise=BERNOULLI if noise == "bernoulli" else GAUSSIAN,
        sigma=float(sigma),
        base=base,
        highest=0.0,
        offsets=offsets_of(sizes),
        values=np.concatenate(values if table is None else _index_shares(sizes)),
        table=np.zeros(0) if table is None else table.flatten(),
    )

    # the extreme means tell whether all are possible
    best, worst = _extremes(values, table)
    data = data._replace(highest=float(mean(data, 1, np.array(best))))
    for action in (best, worst):
        check_mean(name, float(mean(data, 1, np.array(action))), action, noise)

    return Environment(
        name=name,
        kind="factored",
        module=sys.modules[__name__],
        data=data,
        sizes=sizes,
        reward_range=(0.0, 1.0) if noise == "bernoulli" else None,
        unit="reward",
        best=best,
        params=params,
        semi_bandit=combine == PRODUCT and noise == "bernoulli",
    )


def _index_shares(sizes: tuple[int, ...]) -> list[Floats]:
    """What each level adds to the index of a combination in a table."""
    strides = np.concatenate([np.cumprod(sizes[:0:-1])[::-1], [1]])
    return [
        np.arange(size, dtype=np.float64) * stride
        for size, stride in zip(sizes, strides, strict=True)
    ]


def _extremes(
    values: list[Floats], table: Floats | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The best and the worst combination; every way of combining here grows with each value."""
    if table is not None:
        ends = (int(table.argmax()), int(table.argmin()))
        best, worst = (tuple(int(i) for i in np.unravel_index(end, table.shape)) for end in ends)
        return best, worst

    best = tuple(int(v.argmax()) for v in values)
    worst = tuple(int(v.argmin()) for v in values)
    return best, worst


def check_mean(name: str, value: float, action: tuple[int, ...], noise: Noise) -> None:
    """Refuse a mean that rewards with this noise cannot have."""
    low = 0.0 if noise == "bernoulli" else -1.0
    if not low - TOLERANCE <= value <= 1.0 + TOLERANCE:
        rewards = "Bernoulli" if noise == "bernoulli" else "unbounded"
        raise InvalidInputError(
            f"{name}: the mean of combination {action} is {value:.6g}; {rewards} rewards need "
            f"means in [{low:g}, 1]. Rescale the values"
        )
