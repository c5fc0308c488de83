"""Rank1Elim (Katariya et al., AISTATS 2017): row and column elimination for matrices of rank one.

Phases of doubling precision. In each phase every active row is averaged over random columns and
every active column over random rows; then rows and columns that are surely worse than the best are
eliminated for good. The first algorithm for two factors whose regret grows with rows + columns
instead of rows x columns. Needs the horizon.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("rank1", factors=[[0.9, 0.3, 0.2], [0.9, 0.4]])
    >>> result = fb.simulate(
    ...     "rank1_elim", environment, horizon=20_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Info

from ._rank1 import (
    SWEEPS,
    State,
    active_sets,
    check_matrix,
    collect,
    eliminate,
    idle,
    longest_block,
    new_state,
    plan,
    recommend,
)

__all__ = [
    "INFO",
    "Params",
    "State",
    "active_sets",
    "check",
    "idle",
    "init",
    "learn",
    "longest_block",
    "plan",
    "recommend",
]

# sweeps until the end of phase l: 4 * 4^l * log T
CONSTANT = 4.0

INFO = Info(
    title="Rank1Elim",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="rank one: two factors whose qualities multiply",
    guarantee="O((K + L) log(T) / (mean quality * gap))",
    reference="Katariya, Kveton, Szepesvari, Vernade & Wen, Stochastic Rank-1 Bandits, "
    "AISTATS 2017",
    needs_horizon=True,
    style=("orange", "solid"),
    cost=(15, 1),
    slowdown=(15,),
)


class Params(NamedTuple):
    """No parameters."""


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse what is not a matrix, and an unknown horizon."""
    check_matrix("rank1_elim", sizes, horizon)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return new_state(sizes, horizon, CONSTANT)


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """At the end of a phase: confidence bounds by Hoeffding, and elimination."""
    if collect(state, actions, rewards):
        # Algorithm 1, UCBs and LCBs: C / n_l -+ sqrt(log n / n_l)
        n = float(state.counts[SWEEPS])
        radius = math.sqrt(state.log_horizon[0] / n)
        for i in range(len(state.total)):
            state.lower[i] = state.total[i] / n - radius
            state.upper[i] = state.total[i] / n + radius
        eliminate(state, CONSTANT)
