"""Sparring UCB: one UCB1 per factor, all fed with the reward of the whole combination.

Each factor plays its level with the largest mean + sqrt(alpha log t / plays), on its own counts,
ties at random. Cheap, and good on easy problems; but no factor knows that its rewards depend on
what the others do. Means from the time when another factor still played badly stay low, and a
factor locks in a wrong level: the objection of the paper to sparring, to be seen on the environment
`trap`.

    >>> import factored_bandits as fb
    >>> effects = [[0.0, 0.4], [0.0, 0.3, 0.1]]
    >>> environment = fb.environments.make("additive", effects=effects, base=0.1)
    >>> result = fb.simulate(
    ...     "per_factor_ucb", environment, horizon=5_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import argmax_per_factor
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.ucb import (
    PLAYS,
    UCB_LIMITS,
    check_alpha,
    ucb_feed,
    ucb_pick,
    ucb_table,
)
from factored_bandits.policies.limits import Within, fixed

INFO = Info(
    title="Sparring UCB: one UCB1 per factor",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="none that would be enough: a heuristic",
    guarantee="none: it may lock in a wrong level, as on 'trap'",
    reference="Ailon, Karnin & Joachims, ICML 2014 (sparring); Auer, Cesa-Bianchi & Fischer 2002 "
    "(UCB1)",
    style=("sky", "solid"),
    cost=(170, 0.6),
    slowdown=(15,),
)


class Params(NamedTuple):
    """`alpha` under the root: 2 in the textbook, 0.5 tuned."""

    alpha: float = 2.0


class State(NamedTuple):
    """Bandits side by side, one per factor."""

    offsets: Ints  # (L + 1,) first level of each factor
    table: Floats  # (ROWS, levels) the rows of blocks/ucb

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {"offsets": fixed(self.offsets), "table": UCB_LIMITS}


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse a negative alpha."""
    check_alpha("per_factor_ucb", params.alpha)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return State(offsets_of(sizes), ucb_table(int(sum(sizes))))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Per factor the level with the largest index."""
    # Auer et al., Figure 1 (UCB1), in each factor: mean_j + sqrt(2 ln n / n_j)
    offsets = state.offsets
    root = math.sqrt(params.alpha * math.log(t))
    for l in range(len(offsets) - 1):
        size = offsets[l + 1] - offsets[l]
        actions[0, l] = ucb_pick(state.table, offsets[l], size, root, rng)
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Every factor counts the reward for its level."""
    for l in range(len(state.offsets) - 1):
        ucb_feed(state.table, state.offsets[l] + actions[0, l], rewards[0])


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the level played most often."""
    argmax_per_factor(state.table[PLAYS], state.offsets, action)
