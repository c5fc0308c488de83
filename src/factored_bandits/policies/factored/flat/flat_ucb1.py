"""UCB1 over all combinations (Auer, Cesa-Bianchi & Fischer 2002).

What one would do without factors. Every combination is an arm of its own: play the one with the
largest mean + sqrt(alpha log t / plays), unplayed ones first, ties at random. It assumes nothing,
and pays for every combination.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("table", means=[[0.2, 0.8], [0.3, 0.4]])
    >>> result = fb.simulate(
    ...     "flat_ucb1", environment, horizon=5_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import ravel, unravel
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.ucb import (
    MEAN,
    PLAYS,
    UCB_LIMITS,
    WIDTH,
    check_alpha,
    ucb_feed,
    ucb_pick,
    ucb_table,
)
from factored_bandits.policies.limits import NOT_NEGATIVE, Within, fixed

from ._flat import check_combinations, combinations

INFO = Info(
    title="UCB1 over all combinations",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="none",
    guarantee="O(sum over combinations of log(t) / gap), anytime",
    reference="Auer, Cesa-Bianchi & Fischer, Machine Learning 47, 2002",
    style=("vermillion", "solid"),
    cost=(470, 1.2),
    slowdown=(15,),
    flat=True,
    any_plays=True,
)


class Params(NamedTuple):
    """`alpha` under the root: 2 in the textbook, 0.5 tuned."""

    alpha: float = 2.0


class State(NamedTuple):
    """Statistics of each combination, the last factor running fastest."""

    sizes: Ints  # (L,)
    table: Floats  # (ROWS, combinations) the rows of blocks/ucb
    root: Floats  # (1,) sqrt(alpha log t) of the last plan

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {"sizes": fixed(self.sizes), "table": UCB_LIMITS, "root": NOT_NEGATIVE}


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse a negative alpha and too many combinations."""
    check_alpha("flat_ucb1", params.alpha)
    check_combinations("flat_ucb1", sizes)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    table = ucb_table(combinations(sizes))
    return State(np.array(sizes, dtype=np.int64), table, np.zeros(1))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The combination with the largest index."""
    # Auer et al., Figure 1 (UCB1): mean_j + sqrt(2 ln n / n_j)
    state.root[0] = math.sqrt(params.alpha * math.log(t))
    arm = ucb_pick(state.table, 0, state.table.shape[1], state.root[0], rng)
    unravel(state.sizes, arm, actions[0])
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Sum and count of the combination played."""
    ucb_feed(state.table, ravel(state.sizes, actions[0]), rewards[0])


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The combination with the best mean among those played."""
    mean = state.table[MEAN]
    best = 0
    best_mean = -math.inf
    for arm in range(len(mean)):
        if state.table[PLAYS, arm] > 0.0 and mean[arm] > best_mean:
            best = arm
            best_mean = mean[arm]
    unravel(state.sizes, best, action)


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """Among the combinations that tied for the largest index, the share with each level."""
    index = state.table[MEAN] + state.root[0] * state.table[WIDTH]
    tied = np.unravel_index(np.flatnonzero(index == index.max()), tuple(state.sizes))
    return [
        np.bincount(levels, minlength=size) / len(levels)
        for levels, size in zip(tied, state.sizes, strict=True)
    ]
