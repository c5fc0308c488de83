"""MergeDTS (Li, Markov, de Rijke & Zoghi, TOIS 2020): Thompson sampling in batches that merge.

MergeRUCB with other duels: the first arm is the Copeland winner of a sample from the posterior of
its batch; the second the one most likely to *lose* against it, because it is the next that can be
eliminated. An arm left alone in its batch joins the next one, so that a winner meets everybody,
also where all other arms are alike.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.9)
    >>> policy = "merge_dts"
    >>> result = fb.simulate(policy, environment, 20_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import tie_wins
from factored_bandits.policies.base import Info

from ._batches import join_next, regroup
from ._merge import (
    BATCHES,
    Params,
    State,
    active_sets,
    check_merge,
    idle,
    learn,
    new_state,
    p_values,
    recommend,
    remove,
    warm_start,
    weakest,
)

__all__ = [
    "INFO",
    "Params",
    "State",
    "active_sets",
    "check",
    "idle",
    "init",
    "learn",
    "p_values",
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
    self_duel="tie",
    style=("orange", "dotted"),
    cost=(18, 1.5),
)


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse more pairs than fit in memory, and parameters without a meaning."""
    check_merge("merge_dts", params, int(sizes[0]))


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return new_state(params, int(sizes[0]))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Algorithm 1 for the batch whose turn it is."""
    # Algorithm 1, merging: once the number of arms has halved
    regroup(state, params.batch, rng)

    # Algorithm 1, elimination: i with u_ij < 1/2 for some j of its batch
    threshold = params.alpha * math.log(t + state.delay[0])
    b = join_next(state, t % state.counts[BATCHES])
    wins = state.wins
    members = state.members
    beaten = weakest(wins, members, state.offsets[b], state.lengths[b], threshold)
    while beaten >= 0:
        remove(state, b, beaten)
        b = join_next(state, b)
        beaten = weakest(wins, members, state.offsets[b], state.lengths[b], threshold)

    # Algorithm 1, duel: the winner of a sample against the likeliest loser of another
    offset = state.offsets[b]
    length = state.lengths[b]
    first = members[offset]
    second = first
    if length > 1:
        first = likely_winner(wins, members, offset, length, state.won, rng)
        second = likely_loser(wins, members, offset, length, first, rng)

    actions[0, 0] = first
    actions[0, 1] = second
    return 1


@kernel
def likely_winner(
    wins: Floats, members: Ints, offset: int, length: int, won: Ints, rng: np.random.Generator
) -> int:
    """The arm of the batch that beats most others in a sample of theta, ties at random.

    `won` is scratch.
    """
    for k in range(length):
        won[k] = 0

    # theta_ij ~ Beta(W_ij + 1, W_ji + 1) for every pair of the batch
    for k in range(length):
        for other in range(k):
            i = members[offset + k]
            j = members[offset + other]
            winner = k if rng.beta(wins[i, j] + 1.0, wins[j, i] + 1.0) > 0.5 else other
            won[winner] += 1

    choice = 0
    ties = 1
    for k in range(1, length):
        if won[k] > won[choice]:
            choice = k
            ties = 1
        elif won[k] == won[choice]:
            ties += 1
            if tie_wins(rng, ties):
                choice = k

    return members[offset + choice]


@kernel
def likely_loser(
    wins: Floats, members: Ints, offset: int, length: int, first: int, rng: np.random.Generator
) -> int:
    """argmin over the other arms of the batch of phi_j ~ Beta(W_j,first + 1, W_first,j + 1)."""
    choice = first
    smallest = math.inf

    for k in range(length):
        j = members[offset + k]
        if j != first:
            phi = rng.beta(wins[j, first] + 1.0, wins[first, j] + 1.0)
            if phi < smallest:
                choice = j
                smallest = phi

    return choice
