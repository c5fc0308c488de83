"""MergeRUCB (Zoghi, Whiteson & de Rijke, WSDM 2015): many arms, compared in small batches that
merge as arms go.

Batches take turns; inside a batch a random arm duels its strongest rival, and an arm that another
one of the batch beats with high confidence leaves for good. When half of the arms are gone the batches
merge. Comparisons stay local, so the regret grows with K and not with K^2. But equal arms never
part: where most batches hold nothing but equal arms (one winner, all others alike), half of the
arms never leave and the regret is linear. Use `merge_dts` there.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.arithmetic(8, step=0.07)
    >>> result = fb.simulate("merge_rucb", environment, horizon=100_000, repetitions=4, seed=1, progress=False)
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
    START,
    Params,
    State,
    active_sets,
    begin,
    confidence,
    idle,
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
    title="MergeRUCB",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Condorcet winner, and no more than a third of the arms alike",
    guarantee="O(K log(T) / gap^2), no K^2 term, with probability 1 - failure",
    reference="Zoghi, Whiteson & de Rijke, WSDM 2015, Algorithm 1",
    style=("orange", "dashdot"),
    cost=(160, 0.1),
)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return begin("merge_rucb", params, int(sizes[0]))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The next batch: who is beaten leaves; a random arm and its strongest rival duel."""
    regroup(state, params.batch, rng)
    b = t % state.counts[BATCHES]
    level = params.alpha * math.log(t + state.delay[0])
    place = weakest(state, b, level)

    while place >= 0:
        remove(state, b, place)
        place = weakest(state, b, level)

    start = state.groups[b, START]
    length = state.groups[b, LENGTH]
    actions[0, 0] = actions[0, 1] = state.groups[start, ARM]

    if length > 1:
        place = randint(rng, length)
        actions[0, 0] = state.groups[start + place, ARM]
        actions[0, 1] = state.groups[
            start + strongest(state, start, length, place, level, rng), ARM
        ]

    return 1


@kernel
def strongest(
    state: State, start: int, length: int, place: int, level: float, rng: np.random.Generator
) -> int:
    """The place in the batch with the largest u_jc, c at `place` excluded; 1 for a pair that has
    not met.
    """
    wins = state.wins
    c = state.groups[start + place, ARM]
    choice = place
    best = -math.inf
    ties = 0

    for k in range(length):
        if k != place:
            j = state.groups[start + k, ARM]
            n = wins[j, c] + wins[c, j]
            bound = wins[j, c] / n + math.sqrt(level / n) if n > 0.0 else 1.0
            if bound >= best:
                if bound > best:
                    best = bound
                    ties = 0
                ties += 1
                if ties == 1 or randint(rng, ties) == 0:
                    choice = k

    return choice
