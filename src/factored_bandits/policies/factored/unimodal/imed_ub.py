"""IMED-UB, minimum empirical divergence for unimodal bandits (Saber, Menard & Maillard 2020).

Among the leader (the best mean so far) and its neighbours (one level changed) play the smallest
plays * kl(mean, mean of the leader) + log(plays), those never played first, ties at random. No
parameter, no forced play. But every new leader has all its neighbours tried once, which takes long
where there are many of them and no leader lasts; `unimodal_thompson` need not. Keeps one row per
combination visited, at most 2^19 (2^16 if the horizon is unknown); beyond that it goes on among
those it knows.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("rank1", factors=[[0.9, 0.3, 0.2], [0.9, 0.4]])
    >>> result = fb.simulate(
    ...     "imed_ub", environment, horizon=5_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import tie_wins
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.combinations import check_combinations, full

from ._leader import State, begin, learn, mean, plays_of, random_combination, recommend
from ._neighbourhood import LEADER, evidence, evidence_at_least, lead, play_neighbour

__all__ = ["INFO", "Params", "State", "check", "init", "learn", "plan", "recommend"]

INFO = Info(
    title="IMED for unimodal bandits",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="unimodal (follows from uniform identifiability), 0/1 rewards",
    guarantee="asymptotically optimal: sum over neighbours of the best of gap / kl, times log(t), "
    "anytime",
    reference="Saber, Menard & Maillard, Forced-exploration free strategies for unimodal bandits, "
    "2020",
    cost=(1700, 0.6),
    slowdown=(15,),
)


class Params(NamedTuple):
    """No parameters."""


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse too many combinations."""
    check_combinations("imed_ub", sizes)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing visited."""
    return begin(sizes, horizon)


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The smallest index of the leader's neighbourhood."""
    # IMED-UB (Saber et al.): the current best arm, here one of them drawn at random
    leader = lead(state, rng)
    if leader < 0:
        random_combination(state, rng, actions[0])
        return 1

    # the leader's own index: its divergence is 0
    least = math.log(plays_of(state, leader))
    chosen = LEADER
    ties = 1

    # the arg min of the index over the leader and its neighbours
    highest_mean = mean(state, leader)
    is_full = full(state)
    for neighbour in range(len(state.neighbours)):
        row = state.neighbours[neighbour]
        if row == leader or (row < 0 and is_full):
            continue
        index = divergence(state, neighbour, highest_mean, least)
        if index < least:
            least = index
            chosen = neighbour
            ties = 1
        elif index == least:
            ties += 1
            if tie_wins(rng, ties):
                chosen = neighbour

    play_neighbour(state, chosen, actions[0])
    return 1


@kernel
def divergence(state: State, neighbour: int, highest_mean: float, least: float) -> float:
    """The index N kl(mean, highest mean) + log N of a neighbour.

    Where that is clearly above `least`, only something that is above it too.
    """
    n = plays_of(state, state.neighbours[neighbour])
    if n == 0:
        return -math.inf
    if evidence_at_least(state, neighbour, highest_mean) > least:
        return math.inf
    return evidence(state, neighbour, highest_mean, math.log(n))
