"""Sums whose means move in time; the data are those of `_factored`, the table says how they move.

Kernels of their own, so that problems that stand still do not pay for a look at the clock: uniform
play took a fifth longer with a branch in `_factored.mean`. The price: a policy is compiled once
more for moving problems.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.environments.structure import FactoredData, noisy

SWING, GROWTH, SMOOTH, BEST_MOVES = 0, 1, 2, 3  # places in the table


@kernel
def phase(env: FactoredData, t: int) -> float:
    """Phases passed before round t, and the part of the present one: the n-th lasts growth^n
    rounds, n = 0, 1, ...
    """
    growth = env.table[GROWTH]
    return (
        math.log1p((t - 1) * (growth - 1.0)) / math.log(growth) + 1e-9
    )  # a phase that begins has begun


@kernel
def turned_sum(env: FactoredData, t: int, action: Ints) -> float:
    """The sum of the parts; where the best moves, levels turn with the phases."""
    total = env.base
    turn = 0
    if env.table[BEST_MOVES] > 0.0:
        turn = int(phase(env, t))
    for l in range(len(action)):
        size = env.start[l + 1] - env.start[l]
        total += env.values[env.start[l] + (action[l] + turn) % size]

    return total


@kernel
def lift(env: FactoredData, t: int) -> float:
    """What is added to all means at this time: from 0 to the swing and back."""
    passed = phase(env, t)
    if env.table[SMOOTH] > 0.0:
        return env.table[SWING] * 0.5 * (1.0 - math.cos(math.pi * passed))
    return env.table[SWING] * (int(passed) % 2)


@kernel
def mean(env: FactoredData, t: int, action: Ints) -> float:
    """The expected reward."""
    return turned_sum(env, t, action) + lift(env, t)


@kernel
def sample(env: FactoredData, t: int, action: Ints, rng: np.random.Generator) -> float:
    """One reward."""
    return noisy(env, mean(env, t, action), rng)


@kernel
def regret(env: FactoredData, t: int, action: Ints) -> float:
    """The distance to the best mean of the moment; what is added to all means does not matter."""
    return env.highest - turned_sum(env, t, action)
