"""IMED-UB, indexed minimum empirical divergence for unimodal bandits (Saber, Menard & Maillard
2020).

Among the leader (the best mean so far) and its neighbours (one level changed) play the smallest
plays * kl(mean, mean of the leader) + log(plays), those never played first, ties at random. No
parameter, no forced play. But every new leader has all its neighbours tried once, which takes long
where there are many of them and no leader lasts; `unimodal_thompson` need not. Keeps one row per
combination visited, at most 2^19 (2^16 if the horizon is unknown); beyond that it goes on among
those it knows.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("rank1", factors=[[0.9, 0.3, 0.2], [0.9, 0.4]])
    >>> result = fb.simulate("imed_ub", environment, horizon=5_000, repetitions=4, seed=1, progress=False)
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
from factored_bandits.policies.blocks.combinations import full

from ._unimodal import (
    State,
    anywhere,
    begin,
    evidence,
    evidence_at_least,
    lead,
    learn,
    mean,
    plays,
    recommend,
    step,
)

__all__ = ["INFO", "Params", "State", "init", "learn", "plan", "recommend"]

INFO = Info(
    title="IMED for unimodal bandits",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="unimodal (follows from uniform identifiability), 0/1 rewards",
    guarantee="asymptotically optimal: sum over neighbours of the best of gap / kl, times log(t), anytime",
    reference="Saber, Menard & Maillard, Forced-exploration free strategies for unimodal bandits, 2020",
    cost=(1700, 0.6),
    slowdown=(15,),
)


class Params(NamedTuple):
    """No parameters."""


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing visited."""
    return begin(sizes, horizon, "imed_ub")


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The smallest index of the leader's neighbourhood."""
    leader = lead(state, rng)
    if leader < 0:
        anywhere(state, rng, actions[0])
        return 1

    top = mean(state, leader)
    no_more = full(state)
    least = math.log(plays(state, leader))
    place = -1
    ties = 1

    for other in range(len(state.around)):
        row = state.around[other]
        if row == leader or (row < 0 and no_more):
            continue
        index = divergence(state, other, top, least)
        if index < least:
            least = index
            place = other
            ties = 1
        elif index == least:
            ties += 1
            if rng.random() * ties < 1.0:
                place = other

    step(state, place, actions[0])
    return 1


@kernel
def divergence(state: State, place: int, top: float, least: float) -> float:
    """The index of a neighbour; where it is clearly above `least`, only something that is above it
    too.
    """
    n = plays(state, state.around[place])
    if n == 0:
        return -math.inf
    if evidence_at_least(state, place, top) > least:
        return math.inf
    return evidence(state, place, top, math.log(n))
