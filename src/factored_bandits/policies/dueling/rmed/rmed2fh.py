"""RMED2FH (Komiyama, Honda, Kashima & Nakagawa, COLT 2015): RMED2 for a known horizon T.

Every pair duels alpha log log T times at the start; then each arm's cheapest opponent is chosen
once and kept. The form for which optimality is proved.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.9)
    >>> result = fb.simulate("rmed2fh", environment, 20_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import FOREVER, Info
from factored_bandits.policies.blocks.duels import check_positive, check_size

from ._lists import idle_rounds, learn, next_arm, sweep
from ._opponents import cheap_opponent, fix_partners
from ._state import (
    GOAL,
    OPEN,
    State,
    check_passes,
    likeliest,
    log_log,
    new_state,
    recommend,
    warm_start,
)

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
    title="Relative Minimum Empirical Divergence 2, fixed horizon",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Condorcet winner",
    guarantee="optimal log(T) term + O(K^2 log log T) + O(K^(2 + epsilon))",
    reference="Komiyama, Honda, Kashima & Nakagawa, COLT 2015, Algorithms 1 and 2",
    self_duel="tie",
    needs_horizon=True,
    style=("vermillion", "long"),
    cost=(7, 1.4),
    slowdown=(15, 40),
)


class Params(NamedTuple):
    """`alpha` log log T duels of every pair; `weight` in f(K) = weight K^1.01."""

    alpha: float = 3.0
    weight: float = 0.3


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse an unknown horizon, an alpha that is not positive, too many pairs for memory."""
    if horizon == 0:
        raise InvalidInputError(
            "rmed2fh duels every pair alpha log log T times first: it must know the horizon T"
        )
    check_positive("rmed2fh", alpha=params.alpha)
    check_passes("rmed2fh", params.alpha)
    check_size("rmed2fh", int(sizes[0]), matrices=3)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known but the horizon."""
    state = new_state(int(sizes[0]), params.weight, keep_divergences=True)
    # Algorithm 1: L = ceil(alpha log log T)
    state.clock[GOAL] = math.ceil(params.alpha * log_log(horizon))
    state.clock[OPEN] = 1
    return state


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """L duels of every pair; then the arms of L_C, each with its b_l of the end of that phase."""
    # Algorithm 1, initial phase
    if sweep(state, state.clock[GOAL], t, rng, actions):
        return 1

    # Algorithm 1: fix b_l of every arm, once
    best = likeliest(state, rng)
    fix_partners(state, best, rng)

    # Algorithm 1, loop: l in L_C and its opponent
    l = next_arm(state, best, rng)
    actions[0, 0] = l
    actions[0, 1] = cheap_opponent(state, l, best, state.partner[l], t, rng)
    return 1


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """The best arm alone duels itself until log t lets another one join."""
    return idle_rounds(state, t, FOREVER)
