"""OSUB, optimal sampling for unimodal bandits (Combes & Proutiere, ICML 2014).

The leader is the combination with the best mean so far. Among it and its neighbours (one level
changed) play the largest KL-UCB index, at the confidence log(n) + c log(log(n)) after the leader
has led n times; and every (neighbours + 1)-th time play the leader itself. A neighbour never played
comes first, so every new leader has all its neighbours tried once, which takes long where there are
many. Keeps one row per combination visited, at most 2^19 (2^16 if the horizon is unknown); beyond
that it goes on among those it knows.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("rank1", factors=[[0.9, 0.3, 0.2], [0.9, 0.4]])
    >>> result = fb.simulate("osub", environment, horizon=5_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import exploration, kl_upper
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.combinations import full

from ._unimodal import (
    LEADS,
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
    title="Optimal sampling for unimodal bandits",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="unimodal (follows from uniform identifiability), 0/1 rewards",
    guarantee="asymptotically optimal (proven for c >= 3): sum over neighbours of the best of gap / kl, times log(t)",
    reference="Combes & Proutiere, Unimodal bandits: regret lower bounds and optimal algorithms, ICML 2014",
    cost=(1800, 0.4),
    slowdown=(15,),
)


class Params(NamedTuple):
    """`c` of the confidence log(n) + c log(log(n)): 3 in the proof, 0 in practice."""

    c: float = 0.0


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing visited."""
    if params.c < 0.0:
        raise InvalidInputError(f"osub: c must be at least 0, not {params.c}")
    return begin(sizes, horizon, "osub")


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The leader in its turn, else the largest index of its neighbourhood."""
    leader = lead(state, rng)
    if leader < 0:
        anywhere(state, rng, actions[0])
        return 1

    # neighbours + 1
    led = state.book[leader, LEADS]
    turn = len(state.around) - actions.shape[1] + 1
    place = -1

    if (led - 1) % turn != 0:
        budget = exploration(float(led), params.c)
        no_more = full(state)
        best = kl_upper(mean(state, leader), budget / plays(state, leader))
        ties = 1
        for other in range(len(state.around)):
            row = state.around[other]
            if (
                row == leader
                or (row < 0 and no_more)
                or evidence_at_least(state, other, best) > budget
            ):
                continue
            bound = optimism(state, other, budget, best)
            if bound > best:
                best = bound
                place = other
                ties = 1
            elif bound == best:
                ties += 1
                if rng.random() * ties < 1.0:
                    place = other

    step(state, place, actions[0])
    return 1


@kernel
def optimism(state: State, place: int, budget: float, best: float) -> float:
    """The KL-UCB index of a neighbour; where it is clearly below `best`, only something that is
    below it too.
    """
    row = state.around[place]
    n = plays(state, row)
    if n == 0:
        return math.inf
    p = mean(state, row)
    if p < best and (best > 1.0 or evidence(state, place, best, 0.0) > budget * (1.0 + 1e-9)):
        return -math.inf
    return kl_upper(p, budget / n)
