"""Rank1ElimKL (Katariya et al., IJCAI 2017): Rank1Elim with KL confidence bounds.

As `rank1_elim`, with bounds that are sharper where means are small, the largest and smallest q with
n kl(mean, q) <= delta, and phases four times as long. `delta`: `paper` is log T + 3 log log T;
`released` is log t + log log t at the current round t, as the authors' public code behaves, which
lowers the regret 1.1 to 3 times: a comparison must say which one ran. Needs the horizon.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("rank1", factors=[[0.9, 0.3, 0.2], [0.9, 0.4]])
    >>> result = fb.simulate(
    ...     "rank1_elim_kl", environment, horizon=20_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import exploration, kl_lower, kl_upper
from factored_bandits.policies.base import Code, Info

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

# sweeps until the end of phase l: 16 * 4^l * log T
CONSTANT = 16.0
# Params.delta
PAPER: Code = 0

INFO = Info(
    title="Rank1ElimKL",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="rank one: two factors whose qualities multiply",
    guarantee="O((K + L) log(T) / (mean quality * kl gap))",
    reference="Katariya, Kveton, Szepesvari, Vernade & Wen, Bernoulli Rank-1 Bandits for Click "
    "Feedback, IJCAI 2017",
    needs_horizon=True,
    style=("orange", "dashed"),
    cost=(10, 1),
    slowdown=(15,),
)


class Params(NamedTuple):
    """`delta`: the threshold of the confidence bounds."""

    delta: Literal["paper", "released"] = "paper"


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse what is not a matrix, and an unknown horizon."""
    check_matrix("rank1_elim_kl", sizes, horizon)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return new_state(sizes, horizon, CONSTANT)


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """At the end of a phase: confidence bounds by KL, and elimination."""
    if collect(state, actions, rewards):
        if params.delta == PAPER:
            delta = exploration(math.exp(state.log_horizon[0]), 3.0)
        else:
            delta = exploration(float(t + len(rewards) - 1), 1.0)

        # Algorithm 1, UCBs and LCBs: max and min {q : n_l kl(C / n_l, q) <= delta}
        n = float(state.counts[SWEEPS])
        for i in range(len(state.total)):
            state.lower[i] = kl_lower(state.total[i] / n, delta / n)
            state.upper[i] = kl_upper(state.total[i] / n, delta / n)
        eliminate(state, CONSTANT)
