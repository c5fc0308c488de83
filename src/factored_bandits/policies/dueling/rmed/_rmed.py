"""Relative Minimum Empirical Divergence (Komiyama, Honda, Kashima & Nakagawa, COLT 2015): what its
three forms share.

I_i = sum over j with q_ij < 1/2 of N_ij d(q_ij) is the evidence against arm i being the best, i* =
argmin I. The forms go through a list L_C of arms whose evidence is within log t + f(K) of the
least, and differ in whom these arms duel (`_rmed_opponents`).

A duel changes I for the two arms played only, and only through one pair; their sums are taken anew
(K additions, like the search for the minimum), so that no rounding error gathers. Sums that are
equal but for the order in which they were taken count as ties. Pairs with N < L = ceil(alpha log
log t) are looked for only when L has grown: each pass visits every pair once, in random order.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint, shuffle_column
from factored_bandits.policies.blocks.duels import (
    check_positive,
    check_size,
    divergence,
    first_round,
    met,
    record,
)

NOBODY = -1
ROUNDING = 1e-9  # sums of evidence that differ by less are equal
ORDER, CURRENT, NEXT, REMAINING, CHOSEN, PARTNER = 0, 1, 2, 3, 4, 5  # columns of State.lists
SWEPT, CURSOR, BEGIN, END, LENGTH, PLACE, NEXT_LENGTH = 0, 1, 2, 3, 4, 5, 6  # places in State.clock
GOAL, OPEN, LEARNED = 7, 8, 9  # further ones, for a known horizon


class State(NamedTuple):
    """Records of all pairs, the evidence, and where the loop over the lists stands."""

    wins: Floats  # (K, K) of row over column, a tie counts one half
    share: (
        Floats  # (K, K) q_ij; 1 on the diagonal, which keeps an arm out of its own set of opponents
    )
    divergences: (
        Floats  # (K, K) d(q_ij) where q_ij < 1/2, else 0; equal for equal q, so that ties are ties
    )
    evidence: Floats  # (K, K) N_ij d(q_ij) where q_ij < 1/2, else 0
    total: Floats  # (K,) I, the sums of the rows of `evidence`
    slack: Floats  # (1,) f(K)
    # (K, 6) order of a pass over the pairs; L_C; L_N; in L_R?; in L_N?; fixed opponent b_l or
    # NOBODY
    lists: Ints
    # (10,) duels that all pairs had; next pair; rounds of the last passes, from and to; |L_C|,
    # place in
    clock: Ints
    # it; |L_N|; with a known horizon: duels of every pair at the start; are the b_l open? if so,
    # the last round learned


def begin(policy: str, arms: int, weight: float, alpha: float) -> State:
    """Nothing known; the first loop goes over all arms."""
    check_positive(policy, alpha=alpha)
    check_size(policy, arms, matrices=4)
    lists = np.zeros((arms, 6), dtype=np.int64)
    clock = np.zeros(10, dtype=np.int64)
    lists[:, ORDER] = lists[:, NEXT] = np.arange(arms)
    lists[:, CHOSEN] = 1
    lists[:, PARTNER] = NOBODY
    clock[NEXT_LENGTH] = arms
    wins, divergences, evidence = (np.zeros((arms, arms)) for _ in range(3))
    share = np.full((arms, arms), 0.5)
    slack = np.array([weight * arms**1.01])
    np.fill_diagonal(share, 1.0)
    return State(wins, share, divergences, evidence, np.zeros(arms), slack, lists, clock)


@kernel
def log_log(t: int) -> float:
    """log log t, from its value at 3 on, so that it is positive."""
    return math.log(math.log(max(t, 3)))


@kernel
def sweep(state: State, duels: int, t: int, rng: np.random.Generator, actions: Ints) -> bool:
    """A pair with fewer than `duels` duels, those with the fewest first; False if there is none."""
    clock = state.clock
    lists = state.lists
    wins = state.wins
    arms = len(state.total)

    while clock[SWEPT] < duels:
        if clock[CURSOR] == 0:
            shuffle_column(rng, lists, ORDER, arms)
        while clock[CURSOR] < arms * arms:
            row = clock[CURSOR] // arms
            column = clock[CURSOR] % arms
            clock[CURSOR] += 1
            i = lists[row, ORDER]
            j = lists[column, ORDER]
            if row < column and wins[i, j] + wins[j, i] <= clock[SWEPT]:
                if clock[END] != t:
                    clock[BEGIN] = t
                clock[END] = t + 1
                actions[0, 0] = i
                actions[0, 1] = j
                return True
        clock[SWEPT] += 1
        clock[CURSOR] = 0

    return False


@kernel
def likeliest(state: State, rng: np.random.Generator) -> int:
    """i*: the arm with the least evidence against it; no chance is used up where it is the only
    one.
    """
    total = state.total
    best = 0
    ties = 0
    least = smallest(total) + ROUNDING

    for i in range(len(total)):
        if total[i] <= least:
            best = i
            ties += 1

    if ties > 1:
        left = randint(rng, ties)
        best = 0
        while total[best] > least or left > 0:
            left -= total[best] <= least
            best += 1

    return best


@kernel
def smallest(values: Floats) -> float:
    """The least of some numbers."""
    least = math.inf
    for value in values:
        least = min(least, value)
    return least


@kernel
def next_arm(state: State, best: int, rng: np.random.Generator) -> int:
    """The next l of L_C, in random order; after the last, L_C = L_R = L_N and L_N = {}."""
    clock = state.clock
    lists = state.lists

    if clock[PLACE] == clock[LENGTH]:
        if clock[NEXT_LENGTH] == 0:  # only while rewards are out: somebody must play
            lists[0, NEXT] = best
            clock[NEXT_LENGTH] = 1
        for k in range(clock[NEXT_LENGTH]):
            arm = lists[k, NEXT]
            lists[k, CURRENT] = arm
            lists[arm, REMAINING] = 1
            lists[arm, CHOSEN] = 0
        clock[LENGTH] = clock[NEXT_LENGTH]
        clock[PLACE] = 0
        clock[NEXT_LENGTH] = 0
        shuffle_column(rng, lists, CURRENT, clock[LENGTH])

    clock[PLACE] += 1
    return lists[clock[PLACE] - 1, CURRENT]


@kernel
def learn(params: Any, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The record of the pair; and, unless the duel was one of a pass over the pairs, L_R and L_N."""
    clock = state.clock
    lists = state.lists
    total = state.total
    first = actions[0, 0]
    second = actions[0, 1]

    if first != second:
        record(state.wins, first, second, rewards[0])
        update_evidence(state, first, second)
        update_evidence(state, second, first)

    if clock[OPEN] == 1:
        clock[LEARNED] = t
    if clock[BEGIN] <= t < clock[END]:
        return
    lists[first, REMAINING] = 0
    least = smallest(total)
    bar = math.log(t) + state.slack[0]

    for k in range(len(total)):
        if total[k] - least <= bar and lists[k, REMAINING] == 0 and lists[k, CHOSEN] == 0:
            lists[clock[NEXT_LENGTH], NEXT] = k
            lists[k, CHOSEN] = 1
            clock[NEXT_LENGTH] += 1


@kernel
def update_evidence(state: State, i: int, j: int) -> None:
    """q_ij and the evidence against i after the pair (i, j) met."""
    n = state.wins[i, j] + state.wins[j, i]
    q = state.wins[i, j] / n
    state.share[i, j] = q
    state.divergences[i, j] = divergence(q, 1.0 - q)
    value = n * state.divergences[i, j]

    if value != state.evidence[i, j]:
        state.evidence[i, j] = value
        total = 0.0
        for k in range(len(state.total)):
            total += state.evidence[i, k]
        state.total[i] = total


@kernel
def idle_rounds(state: State, t: int, next_pass: int) -> int:
    """While i* is alone in L_N and ahead of all it duels itself, until another arm joins or pairs
    are missing.
    """
    clock = state.clock
    lists = state.lists
    total = state.total
    if clock[NEXT_LENGTH] != 1 or clock[PLACE] != clock[LENGTH] or clock[LENGTH] != 1:
        return 0
    best = lists[0, NEXT]
    second = math.inf
    if lists[0, CURRENT] != best or lists[best, CHOSEN] == 0:
        return 0
    for j in range(len(total)):
        if j != best:
            second = min(second, total[j])
            if state.share[best, j] <= 0.5:
                return 0

    if second <= total[best] + ROUNDING:
        return 0
    return max(0, min(first_round(second - total[best] - state.slack[0]), next_pass) - t)


@kernel
def recommend(params: Any, state: State, action: Ints) -> None:
    """i*: the arm with the least evidence against it, in both places."""
    best = 0
    for i in range(len(state.total)):
        if state.total[i] < state.total[best]:
            best = i
    action[0] = best
    action[1] = best


def warm_start(params: Any, state: State, wins: Floats) -> None:
    """Past duels count like duels of the passes over the pairs; the first loop goes over all arms
    as ever.
    """
    state.wins[:] += wins
    for i, j in met(state.wins):
        update_evidence(state, i, j)
        update_evidence(state, j, i)
