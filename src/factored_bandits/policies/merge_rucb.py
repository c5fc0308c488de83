"""MergeRUCB (Zoghi, Whiteson & de Rijke, WSDM 2015): many arms, compared in small batches that merge as arms go.

Batches take turns; inside a batch a random arm duels its strongest rival, and an arm that another one of the batch
beats beyond doubt leaves for good. When half of the arms are gone the batches merge. Comparisons stay local, so the
regret grows with K and not with K^2. But equal arms never part: where most batches hold nothing but equal arms (one
winner, all others alike), half of the arms never leave and the regret is linear. Use `merge_dts` there.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.arithmetic(8, step=0.07)
    >>> result = fb.simulate("merge_rucb", environment, horizon=100_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..kernel import kernel
from ..randomness import below
from . import _merge
from ._contract import FOREVER, Info
from ._duels import record
from ._merge import ARM, BATCHES, LEFT, LENGTH, START, State, most_successful, regroup, remove, weakest

INFO = Info(
    title="MergeRUCB",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Condorcet winner, and no more than a third of the arms alike",
    guarantee="O(K log(T) / gap^2), no K^2 term, with probability 1 - failure",
    reference="Zoghi, Whiteson & de Rijke, WSDM 2015, Algorithm 1",
)


class Params(NamedTuple):
    """`alpha` under the root; arms in a `batch`; chance of `failure` that the bounds allow (the papers take 1 / T)."""

    alpha: float = 1.01
    batch: int = 4
    failure: float = 0.01


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return _merge.init("merge_rucb", int(sizes[0]), params.alpha, params.batch, params.failure)


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The next batch: who is beaten leaves; a random arm and its strongest rival duel."""
    regroup(state, params.batch, rng)
    b, level = t % state.counts[BATCHES], params.alpha * math.log(t + state.delay[0])
    place = weakest(state, b, level)
    while place >= 0:
        remove(state, b, place)
        place = weakest(state, b, level)
    start, length = state.groups[b, START], state.groups[b, LENGTH]
    actions[0, 0] = actions[0, 1] = state.groups[start, ARM]
    if length > 1:
        place = below(rng, length)
        actions[0, 0] = state.groups[start + place, ARM]
        actions[0, 1] = state.groups[start + strongest(state, start, length, place, level, rng), ARM]
    return 1


@kernel
def strongest(state: State, start: int, length: int, place: int, level: float, rng: np.random.Generator) -> int:
    """The place in the batch with the largest u_jc, c at `place` excluded; 1 for a pair that has not met."""
    wins, c = state.wins, state.groups[start + place, ARM]
    choice, best, ties = place, -math.inf, 0
    for k in range(length):
        if k != place:
            j = state.groups[start + k, ARM]
            n = wins[j, c] + wins[c, j]
            bound = wins[j, c] / n + math.sqrt(level / n) if n > 0.0 else 1.0
            if bound >= best:
                if bound > best:
                    best, ties = bound, 0
                ties += 1
                if ties == 1 or below(rng, ties) == 0:
                    choice = k
    return choice


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The record of the pair."""
    if actions[0, 0] != actions[0, 1]:
        record(state.wins, actions[0, 0], actions[0, 1], rewards[0])


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """The last arm duels itself for ever."""
    return FOREVER if state.counts[LEFT] == 1 else 0


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The most successful of the arms left."""
    most_successful(state, action)


@kernel
def standing(params: Params, state: State) -> tuple[Bools, int]:
    """Who is left, and how many are not."""
    return state.active, len(state.active) - state.counts[LEFT]


def absorb(params: Params, state: State, wins: Floats) -> None:
    """Past duels count like duels played, for arms that share a batch at some time."""
    state.wins[:] += wins


def confidence(params: Params, state: State, t: int) -> float:
    """What the bounds promise, once one arm is left."""
    return 1.0 - params.failure if state.counts[LEFT] == 1 else 0.0
