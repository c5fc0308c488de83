"""KL-UCB over all combinations (Garivier & Cappe 2011).

UCB with the confidence bounds of Bernoulli rewards. Every combination is an arm of its own: play
the one with the largest q for which plays * kl(mean, q) is at most log t + 3 log log t, unplayed
ones first, ties at random. Asymptotically optimal for Bernoulli rewards if the combinations have
nothing to do with each other. Indices are found lazily, see `blocks/kl_index`.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("table", means=[[0.2, 0.8], [0.3, 0.4]])
    >>> result = fb.simulate(
    ...     "flat_kl_ucb", environment, horizon=5_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import exploration
from factored_bandits.core.select import ravel, unravel
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

from ._flat import check_combinations, combinations, most_played

INFO = Info(
    title="KL-UCB over all combinations",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="none",
    guarantee="(1 + o(1)) sum over combinations of gap log(t) / kl, anytime",
    reference="Garivier & Cappe, The KL-UCB Algorithm for Bounded Stochastic Bandits and Beyond, "
    "COLT 2011",
    style=("vermillion", "dashed"),
    cost=(550, 1.2),
    slowdown=(15,),
    flat=True,
)


class Params(NamedTuple):
    """`c` of log t + c log log t: 3 in the theory, 0 in practice."""

    c: float = 3.0


class State(NamedTuple):
    """Statistics of each combination, the last factor running fastest."""

    sizes: Ints  # (L,)
    table: Floats  # (ROWS, combinations) the rows of blocks/kl_index

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {"sizes": fixed(self.sizes), "table": KL_LIMITS}

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """See blocks/kl_index."""
        return kl_contradiction(self.table)


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse a negative c and too many combinations."""
    check_c("flat_kl_ucb", params.c)
    check_combinations("flat_kl_ucb", sizes)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return State(np.array(sizes, dtype=np.int64), kl_table(combinations(sizes)))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The combination with the largest index."""
    # Garivier & Cappe, Algorithm 1: max {q : N(a) d(S(a) / N(a), q) <= log t + c log log t}
    threshold = exploration(float(t), params.c)
    arm = kl_pick(state.table, 0, state.table.shape[1], threshold, rng)
    unravel(state.sizes, arm, actions[0])
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Sum and count of the combination played."""
    threshold = exploration(float(t), params.c)
    kl_feed(state.table, ravel(state.sizes, actions[0]), rewards[0], threshold)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The combination played most often."""
    unravel(state.sizes, most_played(state.table[PLAYS]), action)
