"""RMED, Algorithm 1: the passes over all pairs and the loop over the list L_C.

L_C holds arms whose evidence is within log t + f(K) of the least. Pairs with N < L = ceil(alpha log
log t) are looked for only when L has grown: each pass visits every pair once, in random order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import shuffle
from factored_bandits.policies.blocks.duels import first_round, record

from ._state import (
    BEGIN,
    CURSOR,
    END,
    LEARNED,
    LENGTH,
    NEXT_LENGTH,
    OPEN,
    POSITION,
    ROUNDING,
    SWEPT,
    State,
    smallest,
    update_evidence,
)


@kernel
def sweep(state: State, duels: int, t: int, rng: np.random.Generator, actions: Ints) -> bool:
    """Algorithm 1, initial phase: a pair with N < `duels`, those with the fewest duels first.

    False if there is none.
    """
    clock = state.clock
    wins = state.wins
    arms = len(state.total)

    while clock[SWEPT] < duels:
        if clock[CURSOR] == 0:
            shuffle(rng, state.order, arms)

        while clock[CURSOR] < arms * arms:
            row = clock[CURSOR] // arms
            column = clock[CURSOR] % arms
            clock[CURSOR] += 1
            i = state.order[row]
            j = state.order[column]
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
def next_arm(state: State, best: int, rng: np.random.Generator) -> int:
    """The next l of L_C, in random order; after the last, L_C = L_R = L_N and L_N = {}."""
    clock = state.clock

    if clock[POSITION] == clock[LENGTH]:
        # an empty L_N, only while outcomes are late: somebody must play
        if clock[NEXT_LENGTH] == 0:
            state.following[0] = best
            clock[NEXT_LENGTH] = 1

        for k in range(clock[NEXT_LENGTH]):
            arm = state.following[k]
            state.current[k] = arm
            state.remaining[arm] = True
            state.chosen[arm] = False

        clock[LENGTH] = clock[NEXT_LENGTH]
        clock[POSITION] = 0
        clock[NEXT_LENGTH] = 0
        shuffle(rng, state.current, clock[LENGTH])

    clock[POSITION] += 1
    return state.current[clock[POSITION] - 1]


@kernel
def learn(params: Any, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The record of the pair; and, unless the duel was one of a pass over pairs, L_R and L_N."""
    clock = state.clock
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

    # Algorithm 1: L_R -= {l}
    state.remaining[first] = False

    # Algorithm 1: L_N += {k not in L_R: I_k - min I <= log t + f(K)}
    least = smallest(total)
    bar = math.log(t) + state.slack[0]
    for k in range(len(total)):
        if total[k] - least <= bar and not state.remaining[k] and not state.chosen[k]:
            state.following[clock[NEXT_LENGTH]] = k
            state.chosen[k] = True
            clock[NEXT_LENGTH] += 1


@kernel
def idle_rounds(state: State, t: int, next_pass: int) -> int:
    """How long i* duels itself: until another arm joins L_N, or pairs are missing.

    It does so while it is alone in L_N and ahead of all.
    """
    clock = state.clock
    total = state.total
    if clock[NEXT_LENGTH] != 1 or clock[POSITION] != clock[LENGTH] or clock[LENGTH] != 1:
        return 0

    best = state.following[0]
    if state.current[0] != best or not state.chosen[best]:
        return 0

    second = math.inf
    for j in range(len(total)):
        if j != best:
            second = min(second, total[j])
            if state.share[best, j] <= 0.5:
                return 0

    if second <= total[best] + ROUNDING:
        return 0
    return max(0, min(first_round(second - total[best] - state.slack[0]), next_pass) - t)
