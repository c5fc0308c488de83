"""Sparring KL-UCB: one KL-UCB per factor, all fed with the reward of the whole combination.

As `per_factor_ucb`, with the index of KL-UCB: the largest q for which plays * kl(mean, q) is at
most log t + c log log t. Cheap, and good on easy problems; but it locks in a wrong level where an
early mean is stale, as on `trap`.

    >>> import factored_bandits as fb
    >>> effects = [[0.0, 0.4], [0.0, 0.3, 0.1]]
    >>> environment = fb.environments.make("additive", effects=effects, base=0.1)
    >>> result = fb.simulate(
    ...     "per_factor_kl_ucb", environment, horizon=5_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import exploration
from factored_bandits.core.select import argmax_per_factor
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.kl_index import (
    KL_LIMITS,
    PLAYS,
    check_c,
    kl_contradiction,
    kl_feed,
    kl_pick,
    kl_table,
)
from factored_bandits.policies.limits import Within, fixed

INFO = Info(
    title="Sparring KL-UCB: one KL-UCB per factor",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="none that would be enough: a heuristic",
    guarantee="none: it may lock in a wrong level, as on 'trap'",
    reference="Ailon, Karnin & Joachims, ICML 2014 (sparring); Garivier & Cappe, COLT 2011 "
    "(KL-UCB)",
    style=("sky", "dashed"),
    cost=(430, 0.8),
    slowdown=(15,),
)


class Params(NamedTuple):
    """`c` of log t + c log log t: 3 in the theory, 0 in practice."""

    c: float = 3.0


class State(NamedTuple):
    """Bandits side by side, one per factor."""

    offsets: Ints  # (L + 1,) first level of each factor
    table: Floats  # (ROWS, levels) the rows of blocks/kl_index

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {"offsets": fixed(self.offsets), "table": KL_LIMITS}

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """See blocks/kl_index."""
        return kl_contradiction(self.table)


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse a negative c."""
    check_c("per_factor_kl_ucb", params.c)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return State(offsets_of(sizes), kl_table(int(sum(sizes))))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Per factor the level with the largest index."""
    # Garivier & Cappe, Algorithm 1, in each factor:
    # max {q : N(a) d(S(a) / N(a), q) <= log t + c log log t}
    offsets = state.offsets
    threshold = exploration(float(t), params.c)
    for l in range(len(offsets) - 1):
        size = offsets[l + 1] - offsets[l]
        actions[0, l] = kl_pick(state.table, offsets[l], size, threshold, rng)
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Every factor counts the reward for its level."""
    threshold = exploration(float(t), params.c)
    for l in range(len(state.offsets) - 1):
        kl_feed(state.table, state.offsets[l] + actions[0, l], rewards[0], threshold)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the level played most often."""
    argmax_per_factor(state.table[PLAYS], state.offsets, action)
