"""RMED, Algorithm 2 (Komiyama et al., COLT 2015): whom an arm l of L_C duels.

O_l = {j: q_lj <= 1/2} are the arms that can tell against l, i* is the likeliest best arm.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import tie_wins

from ._state import END, LEARNED, NOBODY, OPEN, State, log_log


@kernel
def opponent(state: State, l: int, best: int, rng: np.random.Generator) -> int:
    """RMED1: i* if it is in O_l or O_l is empty, else argmin_{O_l} q_lj, ties at random."""
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
            if tie_wins(rng, ties):
                choice = j

    return choice


@kernel
def regret(state: State, l: int, j: int, best: int) -> float:
    """What a duel of l and j costs: q_*l + q_*j - 1."""
    loss_l = 0.5 if l == best else state.share[best, l]
    loss_j = 0.5 if j == best else state.share[best, j]
    return loss_l + loss_j - 1.0


@kernel
def cheapest(state: State, l: int, best: int, rng: np.random.Generator) -> int:
    """b_l = argmin over {j: q_lj < 1/2} of max(regret, 0.01) / d(q_lj), ties at random.

    There evidence against l costs least; NOBODY if no arm beats l.
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
                if tie_wins(rng, ties):
                    choice = j

    return choice


@kernel
def fix_partners(state: State, best: int, rng: np.random.Generator) -> None:
    """RMED2FH: b_l of every arm, once, when the duels of the initial phase are learned."""
    clock = state.clock
    if clock[OPEN] == 1 and clock[LEARNED] >= clock[END] - 1:
        clock[OPEN] = 0
        for l in range(len(state.partner)):
            state.partner[l] = cheapest(state, l, best, rng)


@kernel
def cheap_opponent(
    state: State, l: int, best: int, cheap: int, t: int, rng: np.random.Generator
) -> int:
    """RMED2, `cheap` = b_l: i* as long as it has met l seldom, else b_l, else RMED1's choice."""
    share = state.share
    wins = state.wins

    if cheap != NOBODY:
        met_best = wins[l, best] + wins[best, l]
        met_cheap = wins[l, cheap] + wins[cheap, l]

        # i* in O_l and N_l,i* <= N_l,b / log log t
        if share[l, best] <= 0.5 and met_best <= met_cheap / log_log(t):
            return best
        if share[l, cheap] <= 0.5:
            return cheap

    return opponent(state, l, best, rng)
