"""D-TS, Double Thompson Sampling (Wu & Liu, NeurIPS 2016, Algorithm 1).

The first arm is the Copeland winner of a sample from the posterior, among the arms whose optimistic
Copeland score is the largest; the second is the arm most likely to beat it in a fresh sample, among
those it does not trail with high confidence. Works without a Condorcet winner. Counts are whole numbers:
it does not learn from ties.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.9)
    >>> result = fb.simulate("dts", environment, horizon=20_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Info

from ._dts import (
    NOBODY,
    Params,
    State,
    begin,
    candidates,
    challenger,
    learn,
    only_candidate,
    recommend,
    tournament,
    warm_start,
)

__all__ = ["INFO", "Params", "State", "init", "learn", "plan", "recommend", "warm_start"]

INFO = Info(
    title="Double Thompson Sampling",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Copeland winners",
    guarantee="O(K^2 log(t)) in general, O(K log(t) + K^2 log log(t)) with a Condorcet winner; + O(K^2), anytime",
    reference="Wu & Liu, NeurIPS 2016, Algorithm 1",
    ties=False,
    style=("purple", "dashdot"),
    cost=(370, 1.2),
    slowdown=(100, 3500),
)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return begin("dts", params, int(sizes[0]), remember_sides=False)


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The winner of one sample against the winner of another."""
    level = params.alpha * math.log(t)
    least = candidates(state, level)
    first = only_candidate(state, least)
    if first == NOBODY:
        first = tournament(state, least, rng)
    actions[0, 0], actions[0, 1] = first, challenger(state, first, level, rng)
    return 1
