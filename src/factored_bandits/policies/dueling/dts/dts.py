"""D-TS, Double Thompson Sampling (Wu & Liu, NeurIPS 2016, Algorithm 1).

The first arm is the Copeland winner of a sample from the posterior, among the arms whose optimistic
Copeland score is the largest; the second is the arm most likely to beat it in a fresh sample, among
those it does not trail with high confidence. Works without a Condorcet winner. Counts are whole
numbers: it does not learn from ties.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.9)
    >>> result = fb.simulate("dts", environment, 20_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Info

from ._dts import candidates, challenger, learn, only_candidate, recommend, tournament, warm_start
from ._state import NOBODY, Params, State, check_dts, new_state

__all__ = [
    "INFO",
    "Params",
    "State",
    "check",
    "init",
    "learn",
    "plan",
    "recommend",
    "warm_start",
]

INFO = Info(
    title="Double Thompson Sampling",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Copeland winners",
    guarantee=(
        "O(K^2 log(t)) in general, O(K log(t) + K^2 log log(t)) with a Condorcet winner; "
        "+ O(K^2), anytime"
    ),
    reference="Wu & Liu, NeurIPS 2016, Algorithm 1",
    ties=False,
    style=("purple", "dashdot"),
    cost=(370, 0.9),
    slowdown=(100, 3500),
)


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse an alpha that is not positive, and more pairs than fit in memory."""
    check_dts("dts", params, int(sizes[0]), matrices=4)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return new_state(int(sizes[0]), remember_sides=False)


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The winner of one sample against the winner of another."""
    # Algorithm 1, first candidate: C, then the Copeland winner of theta in C
    threshold = params.alpha * math.log(t)
    least = candidates(state, threshold)
    first = only_candidate(state, least)
    if first == NOBODY:
        first = tournament(state, least, rng)

    # Algorithm 1, second candidate: argmax phi among {i: l_i,first <= 1/2}
    actions[0, 0] = first
    actions[0, 1] = challenger(state, first, threshold, rng)
    return 1
