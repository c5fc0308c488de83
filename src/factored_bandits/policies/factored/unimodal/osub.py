"""OSUB, optimal sampling for unimodal bandits (Combes & Proutiere, ICML 2014).

The leader is the combination with the best mean so far. Among it and its neighbours (one level
changed) play the largest KL-UCB index, at the confidence log(n) + c log(log(n)) after the leader
has led n times; and every (neighbours + 1)-th time play the leader itself. A neighbour never played
comes first, so every new leader has all its neighbours tried once, which takes long where there are
many. Keeps one row per combination visited, at most 2^19 (2^16 if the horizon is unknown); beyond
that it goes on among those it knows.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("rank1", factors=[[0.9, 0.3, 0.2], [0.9, 0.4]])
    >>> result = fb.simulate(
    ...     "osub", environment, horizon=5_000, repetitions=4, seed=1, progress=False
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
from factored_bandits.core.numerics import exploration, upper
from factored_bandits.core.select import tie_wins
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.combinations import check_combinations, full

from ._leader import State, begin, learn, mean, plays_of, random_combination, recommend
from ._neighbourhood import LEADER, evidence, evidence_at_least, lead, play_neighbour

__all__ = ["INFO", "Params", "State", "check", "init", "learn", "plan", "recommend"]

INFO = Info(
    title="Optimal sampling for unimodal bandits",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="unimodal (follows from uniform identifiability), 0/1 rewards",
    guarantee="asymptotically optimal (proven for c >= 3): sum over neighbours of the best of "
    "gap / kl, times log(t)",
    reference="Combes & Proutiere, Unimodal bandits: regret lower bounds and optimal algorithms, "
    "ICML 2014",
    cost=(1800, 0.4),
    slowdown=(15,),
)
ROUNDING = 1e-9  # of the evidence, relative


class Params(NamedTuple):
    """`c` of the confidence log(n) + c log(log(n)): 3 in the proof, 0 in practice."""

    c: float = 0.0


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse parameters out of range and too many combinations."""
    if params.c < 0.0:
        raise InvalidInputError(f"osub: c must be at least 0, not {params.c}")
    check_combinations("osub", sizes)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing visited."""
    return begin(sizes, horizon)


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The leader in its turn, else the largest index of its neighbourhood."""
    # OSUB (Combes & Proutiere): L(n) is the leader, l its leadership count, gamma the degree
    leader = lead(state, rng)
    if leader < 0:
        random_combination(state, rng, actions[0])
        return 1
    led = state.leads[leader]
    degree = len(state.neighbours) - actions.shape[1]

    # k(n) = L(n) if (l - 1) / (gamma + 1) is an integer
    if (led - 1) % (degree + 1) == 0:
        chosen = LEADER
    # otherwise the arg max of b_k(n) over the leader and its neighbours
    else:
        chosen = largest_index(state, leader, exploration(float(led), params.c), rng)

    play_neighbour(state, chosen, actions[0])
    return 1


@kernel
def largest_index(state: State, leader: int, budget: float, rng: np.random.Generator) -> int:
    """The neighbour with the largest KL-UCB index, or LEADER."""
    chosen = LEADER
    best = upper(mean(state, leader), budget / plays_of(state, leader))
    ties = 1
    is_full = full(state)

    for neighbour in range(len(state.neighbours)):
        row = state.neighbours[neighbour]
        if row == leader or (row < 0 and is_full):
            continue
        if evidence_at_least(state, neighbour, best) > budget:
            continue

        index = optimism(state, neighbour, budget, best)
        if index > best:
            best = index
            chosen = neighbour
            ties = 1
        elif index == best:
            ties += 1
            if tie_wins(rng, ties):
                chosen = neighbour

    return chosen


@kernel
def optimism(state: State, neighbour: int, budget: float, best: float) -> float:
    """The index b_k(n): the largest q with N kl(mean, q) <= budget, or inf if never played.

    Where that is clearly below `best`, only something that is below it too.
    """
    row = state.neighbours[neighbour]
    n = plays_of(state, row)
    if n == 0:
        return math.inf

    p = mean(state, row)
    limit = budget * (1.0 + ROUNDING)
    if p < best and (best > 1.0 or evidence(state, neighbour, best, 0.0) > limit):
        return -math.inf
    return upper(p, budget / n)
