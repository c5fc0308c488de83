"""Sums whose means move in time; the data are those of `structure`, the table says how they move.

Kernels of their own, so that stationary problems do not pay for a look at the clock: uniform play
took a fifth longer with a branch in `structure.mean`. The price: a policy is compiled once more for
moving problems.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.environments.structure import FactoredData, noisy

# indices in FactoredData.table
SWING = 0
GROWTH = 1
SMOOTH = 2
BEST_MOVES = 3

ROUNDING = 1e-9  # so that a phase that begins has begun


@kernel
def phase(env: FactoredData, t: int) -> float:
    """Phases passed before round t, with the fraction of the present one.

    Phase n = 0, 1, ... lasts growth^n rounds.
    """
    growth = env.table[GROWTH]
    return math.log1p((t - 1) * (growth - 1.0)) / math.log(growth) + ROUNDING


@kernel
def turned_sum(env: FactoredData, t: int, action: Ints) -> float:
    """The sum of the effects; where the best moves, levels turn with the phases."""
    total = env.base
    turn = 0
    if env.table[BEST_MOVES] > 0.0:
        turn = int(phase(env, t))

    for l in range(len(action)):
        size = env.offsets[l + 1] - env.offsets[l]
        total += env.values[env.offsets[l] + (action[l] + turn) % size]

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
