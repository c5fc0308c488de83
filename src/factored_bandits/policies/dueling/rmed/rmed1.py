"""RMED1, Relative Minimum Empirical Divergence (Komiyama, Honda, Kashima & Nakagawa, COLT 2015).

Every arm that might still be the best, given the evidence against it so far, takes its turn and
duels the likeliest best arm if that one is ahead of it, else the arm that beats it most often. Once
only the best is left it duels itself.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.9)
    >>> result = fb.simulate("rmed1", environment, 20_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import FOREVER, Info
from factored_bandits.policies.blocks.duels import check_size

from ._lists import idle_rounds, learn, next_arm, sweep
from ._opponents import opponent
from ._state import State, likeliest, new_state, recommend, warm_start

__all__ = [
    "INFO",
    "Params",
    "State",
    "check",
    "idle",
    "init",
    "learn",
    "plan",
    "recommend",
    "warm_start",
]

INFO = Info(
    title="Relative Minimum Empirical Divergence 1",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Condorcet winner",
    guarantee=(
        "sum of gap log(t) / 2d(q) + O(K^(2 + epsilon)), anytime; optimal where the best arm is "
        "the worst rival"
    ),
    reference="Komiyama, Honda, Kashima & Nakagawa, COLT 2015, Algorithms 1 and 2",
    self_duel="tie",
    style=("vermillion", "dashdot"),
    cost=(4, 1.1),
    slowdown=(15, 40),
)


class Params(NamedTuple):
    """`weight` in f(K) = weight K^1.01: so much more evidence than log t puts an arm aside."""

    weight: float = 0.3


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse more pairs than fit in memory."""
    check_size("rmed1", int(sizes[0]), matrices=2)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return new_state(int(sizes[0]), params.weight, keep_divergences=False)


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Every pair once; then the arms of L_C, each against the opponent of Algorithm 2."""
    # Algorithm 1, initial phase
    if sweep(state, 1, t, rng, actions):
        return 1

    # Algorithm 1, loop: l in L_C and its opponent m(l)
    best = likeliest(state, rng)
    l = next_arm(state, best, rng)
    actions[0, 0] = l
    actions[0, 1] = opponent(state, l, best, rng)
    return 1


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """The best arm alone duels itself until log t lets another one join."""
    return idle_rounds(state, t, FOREVER)
