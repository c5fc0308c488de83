"""Rank1ElimKL (Katariya et al., IJCAI 2017): Rank1Elim with KL confidence bounds, sharper where
means are small.

As `rank1_elim`, with phases four times as long and bounds the largest and smallest q with n
kl(mean, q) <= delta. `delta`: `paper` spends log T + 3 log log T; `released` spends log t + log log
t at the current round t, as the authors' public code behaves, which lowers the regret 1.1 to 3
times: a comparison must say which one ran. Needs the horizon.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("rank1", factors=[[0.9, 0.3, 0.2], [0.9, 0.4]])
    >>> result = fb.simulate("rank1_elim_kl", environment, horizon=20_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import exploration, lower, upper
from factored_bandits.policies.base import Code, Info

from ._rank1 import (
    LOWER,
    SWEEPS,
    UPPER,
    State,
    active_sets,
    begin,
    collect,
    eliminate,
    idle,
    longest_block,
    plan,
    recommend,
)

__all__ = [
    "INFO",
    "Params",
    "State",
    "active_sets",
    "idle",
    "init",
    "learn",
    "longest_block",
    "plan",
    "recommend",
]

CONSTANT = 16.0  # sweeps until the end of phase l: 16 * 4^l * log T
PAPER: Code = 0  # Params.delta

INFO = Info(
    title="Rank1ElimKL",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="rank one: two factors whose qualities multiply",
    guarantee="O((K + L) log(T) / (mean quality * kl gap))",
    reference="Katariya, Kveton, Szepesvari, Vernade & Wen, Bernoulli Rank-1 Bandits for Click Feedback, IJCAI 2017",
    needs_horizon=True,
    style=("orange", "dashed"),
    cost=(10, 1),
    slowdown=(15,),
)


class Params(NamedTuple):
    """What the confidence bounds spend."""

    delta: Literal["paper", "released"] = "paper"


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return begin("rank1_elim_kl", sizes, horizon, CONSTANT)


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """At the end of a phase: confidence bounds by KL."""
    if collect(state, actions, rewards):
        n = float(state.counts[SWEEPS])
        if params.delta == PAPER:
            delta = exploration(math.exp(state.log_horizon[0]), 3.0)
        else:
            delta = exploration(float(t + len(rewards) - 1), 1.0)
        for i in range(len(state.total)):
            state.bounds[LOWER, i] = lower(state.total[i] / n, delta / n)
            state.bounds[UPPER, i] = upper(state.total[i] / n, delta / n)
        eliminate(state, CONSTANT)
