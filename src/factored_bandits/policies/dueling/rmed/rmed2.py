"""RMED2 (Komiyama, Honda, Kashima & Nakagawa, COLT 2015): RMED1 with the cheapest opponents.

Evidence against an arm can come from any arm that beats it. RMED2 takes it where it costs the least
regret, and meets the likeliest best arm now and then; to know the prices it keeps alpha log log t
duels of every pair.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.9)
    >>> result = fb.simulate("rmed2", environment, 20_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.duels import check_positive, check_size, first_round

from ._lists import idle_rounds, learn, next_arm, sweep
from ._opponents import cheap_opponent, cheapest
from ._state import SWEPT, State, check_passes, likeliest, log_log, new_state, recommend, warm_start

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
    title="Relative Minimum Empirical Divergence 2",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Condorcet winner",
    guarantee=(
        "optimal log(t) term + O(K^2 log log t) + O(K^(2 + epsilon)), anytime; proved for RMED2FH"
    ),
    reference="Komiyama, Honda, Kashima & Nakagawa, COLT 2015, Algorithms 1 and 2",
    self_duel="tie",
    style=("vermillion", "dotted"),
    cost=(8, 1.4),
    slowdown=(15, 40),
)


class Params(NamedTuple):
    """`alpha` log log t duels of every pair; `weight` in f(K) = weight K^1.01."""

    alpha: float = 3.0
    weight: float = 0.3


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse an alpha that is not positive, and more pairs than fit in memory."""
    check_positive("rmed2", alpha=params.alpha)
    check_passes("rmed2", params.alpha)
    check_size("rmed2", int(sizes[0]), matrices=3)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return new_state(int(sizes[0]), params.weight, keep_divergences=True)


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Pairs with N < alpha log log t first; then L_C, each arm where evidence is cheapest."""
    # Algorithm 1: every pair duels until N >= alpha log log t
    if sweep(state, math.ceil(params.alpha * log_log(t)), t, rng, actions):
        return 1

    # Algorithm 1, loop: l in L_C and its opponent, by b_l of today
    best = likeliest(state, rng)
    l = next_arm(state, best, rng)
    cheap = cheapest(state, l, best, rng)
    actions[0, 0] = l
    actions[0, 1] = cheap_opponent(state, l, best, cheap, t, rng)
    return 1


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """The best arm alone duels itself until log t lets another one join, or pairs are missing."""
    # alpha log log t exceeds the duels of every pair from here on
    next_pass = first_round(math.exp(min(state.clock[SWEPT] / params.alpha, 4.0)))
    return idle_rounds(state, t, next_pass)
