"""Whom an arm l of L_C duels in RMED1, RMED2 and RMED2FH (Komiyama, Honda, Kashima & Nakagawa, COLT
2015, Algorithm 2).

O_l = {j: q_lj <= 1/2} are the arms that can tell against l, i* is the likeliest best arm.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint

from ._rmed import END, LEARNED, NOBODY, OPEN, PARTNER, State, log_log


@kernel
def opponent(state: State, l: int, best: int, rng: np.random.Generator) -> int:
    """RMED1: i* if it is in O_l = {j: q_lj <= 1/2}, else the arm of O_l that beats l most often,
    else i*.
    """
    share = state.share
    if share[l, best] <= 0.5:
        return best
    choice = best
    least = 0.5
    ties = 0

    for j in range(share.shape[0]):
        if share[l, j] <= least:
            if share[l, j] < least:
                least = share[l, j]
                ties = 0
            ties += 1
            if ties == 1 or randint(rng, ties) == 0:
                choice = j

    return choice


@kernel
def regret(state: State, l: int, j: int, best: int) -> float:
    """What a duel of l and j costs: q_*l + q_*j - 1."""
    loss = 0.5 if l == best else state.share[best, l]
    return loss + (0.5 if j == best else state.share[best, j]) - 1.0


@kernel
def cheapest(state: State, l: int, best: int, rng: np.random.Generator) -> int:
    """b_l: where evidence against l costs least, argmin over q_lj < 1/2 of max(regret, 0.01) /
    d(q_lj).
    """
    choice = NOBODY
    least = math.inf
    ties = 0

    for j in range(state.share.shape[0]):
        if state.share[l, j] < 0.5:
            price = max(regret(state, l, j, best), 0.01) / state.divergences[l, j]
            if price <= least:
                if price < least:
                    least = price
                    ties = 0
                ties += 1
                if ties == 1 or randint(rng, ties) == 0:
                    choice = j

    return choice


@kernel
def fix_partners(state: State, best: int, rng: np.random.Generator) -> None:
    """RMED2FH: b_l of every arm, once, when the duels of the start are learned."""
    clock = state.clock
    lists = state.lists
    if clock[OPEN] == 1 and clock[LEARNED] >= clock[END] - 1:
        clock[OPEN] = 0
        for l in range(len(lists)):
            lists[l, PARTNER] = cheapest(state, l, best, rng)


@kernel
def cheap_opponent(
    state: State, l: int, best: int, cheap: int, t: int, rng: np.random.Generator
) -> int:
    """RMED2: i* as long as it has met l seldom, else b_l, else RMED1's choice."""
    share = state.share
    wins = state.wins

    if cheap != NOBODY:
        met = wins[l, best] + wins[best, l]
        met_cheap = wins[l, cheap] + wins[cheap, l]
        if share[l, best] <= 0.5 and met <= met_cheap / log_log(t):
            return best
        if share[l, cheap] <= 0.5:
            return cheap

    return opponent(state, l, best, rng)
