"""MergeDTS (Li, Markov, de Rijke & Zoghi, TOIS 2020): many arms, compared in small batches with
Thompson sampling.

MergeRUCB with other duels: the first arm is the Copeland winner of a sample from the posterior of
its batch; the second the one most likely to *lose* against it, because it is the next that can be
thrown out. An arm left alone in its batch joins the next one, so that a winner meets everybody,
also where all other arms are alike.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.9)
    >>> result = fb.simulate("merge_dts", environment, horizon=20_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.policies.base import Info

from ._merge import (
    ARM,
    BATCHES,
    LENGTH,
    RANK,
    START,
    Params,
    State,
    active_sets,
    begin,
    confidence,
    idle,
    join_next,
    learn,
    recommend,
    regroup,
    remove,
    warm_start,
    weakest,
)

__all__ = [
    "INFO",
    "Params",
    "State",
    "active_sets",
    "confidence",
    "idle",
    "init",
    "learn",
    "plan",
    "recommend",
    "warm_start",
]

INFO = Info(
    title="Merge Double Thompson Sampling",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Condorcet winner",
    guarantee="O(K log(T) / gap^2), no K^2 term, with probability 1 - failure",
    reference="Li, Markov, de Rijke & Zoghi, ACM TOIS 38, 2020, Algorithm 1",
    style=("orange", "dotted"),
    cost=(18, 1.5),
)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return begin("merge_dts", params, int(sizes[0]))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The next batch: who is beaten leaves; the likely winner duels the likely loser."""
    regroup(state, params.batch, rng)
    level = params.alpha * math.log(t + state.delay[0])
    b = join_next(state, t % state.counts[BATCHES])
    place = weakest(state, b, level)

    while place >= 0:
        remove(state, b, place)
        b = join_next(state, b)
        place = weakest(state, b, level)

    start = state.groups[b, START]
    length = state.groups[b, LENGTH]
    actions[0, 0] = actions[0, 1] = state.groups[start, ARM]

    if length > 1:
        first = likely_winner(state, start, length, rng)
        actions[0, 0], actions[0, 1] = first, likely_loser(state, start, length, first, rng)

    return 1


@kernel
def likely_winner(state: State, start: int, length: int, rng: np.random.Generator) -> int:
    """The arm of the batch that beats most others in a sample."""
    wins = state.wins
    groups = state.groups
    for k in range(length):
        groups[k, RANK] = 0  # scratch: duels won in the sample
    for k in range(length):
        for other in range(k):
            i = groups[start + k, ARM]
            j = groups[start + other, ARM]
            winner = k if rng.beta(wins[i, j] + 1.0, wins[j, i] + 1.0) > 0.5 else other
            groups[winner, RANK] += 1

    choice = 0
    ties = 1

    for k in range(1, length):
        if groups[k, RANK] > groups[choice, RANK]:
            choice = k
            ties = 1
        elif groups[k, RANK] == groups[choice, RANK]:
            ties += 1
            if randint(rng, ties) == 0:
                choice = k

    return groups[start + choice, ARM]


@kernel
def likely_loser(
    state: State, start: int, length: int, first: int, rng: np.random.Generator
) -> int:
    """argmin over the other arms of the batch of phi_j ~ Beta(W_j,first + 1, W_first,j + 1)."""
    wins = state.wins
    choice = first
    smallest = math.inf

    for k in range(length):
        j = state.groups[start + k, ARM]
        if j != first:
            phi = rng.beta(wins[j, first] + 1.0, wins[first, j] + 1.0)
            if phi < smallest:
                choice = j
                smallest = phi

    return choice
