"""Sums whose means move in time, for `structure`; the table of the data says how they move."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel

if TYPE_CHECKING:
    from .structure import FactoredData

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
