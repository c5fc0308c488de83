"""MergeRUCB (Zoghi, Whiteson & de Rijke, WSDM 2015): many arms, compared in batches that merge.

Batches take turns; inside a batch a random arm duels its strongest rival, and an arm that another
one of the batch beats with high confidence is eliminated. When half of the arms are eliminated the
batches merge. Comparisons stay local, so the regret grows with K and not with K^2. But equal arms
never part: where most batches hold nothing but equal arms (one winner, all others alike), half of
the arms stay and the regret is linear. Use `merge_dts` there.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.arithmetic(8, step=0.07)
    >>> policy = "merge_rucb"
    >>> result = fb.simulate(policy, environment, 100_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.core.select import tie_wins
from factored_bandits.policies.base import Info

from ._batches import regroup
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
    title="MergeRUCB",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Condorcet winner, and no more than a third of the arms alike",
    guarantee="O(K log(T) / gap^2), no K^2 term, with probability 1 - failure",
    reference="Zoghi, Whiteson & de Rijke, WSDM 2015, Algorithm 1",
    self_duel="tie",
    style=("orange", "dashdot"),
    cost=(160, 0.1),
)


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse more pairs than fit in memory, and parameters without a meaning."""
    check_merge("merge_rucb", params, int(sizes[0]))


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return new_state(params, int(sizes[0]))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Algorithm 1 for the batch whose turn it is."""
    # Algorithm 1, merging: once the number of arms has halved
    regroup(state, params.batch, rng)

    # Algorithm 1, elimination: i with u_ij < 1/2 for some j of its batch
    b = t % state.counts[BATCHES]
    threshold = params.alpha * math.log(t + state.delay[0])
    wins = state.wins
    members = state.members
    offset = state.offsets[b]
    beaten = weakest(wins, members, offset, state.lengths[b], threshold)
    while beaten >= 0:
        remove(state, b, beaten)
        beaten = weakest(wins, members, offset, state.lengths[b], threshold)

    # Algorithm 1, duel: c random, d = argmax_j u_jc without c
    length = state.lengths[b]
    c = members[offset]
    d = c
    if length > 1:
        c = members[offset + randint(rng, length)]
        d = strongest(wins, members, offset, length, c, threshold, rng)

    actions[0, 0] = c
    actions[0, 1] = d
    return 1


@kernel
def strongest(
    wins: Floats,
    members: Ints,
    offset: int,
    length: int,
    c: int,
    threshold: float,
    rng: np.random.Generator,
) -> int:
    """The arm of the batch with the largest u_jc, c excluded; u = 1 for a pair that has not met."""
    choice = c
    best = -math.inf
    ties = 0

    for k in range(length):
        j = members[offset + k]
        if j != c:
            n = wins[j, c] + wins[c, j]
            bound = wins[j, c] / n + math.sqrt(threshold / n) if n > 0.0 else 1.0
            if bound >= best:
                if bound > best:
                    best = bound
                    ties = 0
                ties += 1
                if tie_wins(rng, ties):
                    choice = j

    return choice
