"""Unimodal Thompson sampling, UTS (Paladino et al., AAAI 2017; Trinh et al., ALT 2020).

The leader is the combination with the best mean so far. Every `gamma`-th time that a combination
leads it is played; otherwise the leader and its neighbours (one level changed) each draw from the
Beta posterior of their mean, and the largest draw is played. Keeps one row per combination visited,
at most 2^19 (2^16 if the horizon is unknown); beyond that it goes on among those it knows.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("rank1", factors=[[0.9, 0.3, 0.2], [0.9, 0.4]])
    >>> result = fb.simulate(
    ...     "unimodal_thompson", environment, horizon=5_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.combinations import check_combinations, full

from ._leader import State, begin, learn, random_combination, recommend
from ._neighbourhood import LEADER, lead, play_neighbour

__all__ = ["INFO", "Params", "State", "check", "init", "learn", "plan", "recommend"]

INFO = Info(
    title="Unimodal Thompson sampling",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="unimodal (follows from uniform identifiability), 0/1 rewards",
    guarantee="asymptotically optimal: sum over neighbours of the best of gap / kl, times log(t), "
    "anytime",
    reference="Paladino et al., AAAI 2017; Trinh, Kaufmann, Vernade & Combes, ALT 2020",
    cost=(1200, 0.9),
    slowdown=(90,),
)


class Params(NamedTuple):
    """Every `gamma`-th time that a combination leads it is played without drawing."""

    gamma: int = 2


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse parameters out of range and too many combinations."""
    if params.gamma < 2:
        raise InvalidInputError(f"unimodal_thompson: gamma must be at least 2, not {params.gamma}")
    check_combinations("unimodal_thompson", sizes)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing visited."""
    return begin(sizes, horizon)


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The leader, or the largest draw of its neighbourhood."""
    # UTS of Paladino et al. (its parameter gamma: Trinh et al.): the leader, by empirical mean
    leader = lead(state, rng)
    if leader < 0:
        random_combination(state, rng, actions[0])
        return 1

    # if its leadership count is a multiple of gamma, play the leader
    chosen = LEADER

    # else draw theta_k of the leader and of each neighbour, and play the largest
    if state.leads[leader] % params.gamma != 0:
        is_full = full(state)
        best = draw(state, leader, rng)
        for neighbour in range(len(state.neighbours)):
            row = state.neighbours[neighbour]
            if row == leader or (row < 0 and is_full):
                continue
            theta = draw(state, row, rng)
            if theta > best:
                best = theta
                chosen = neighbour

    play_neighbour(state, chosen, actions[0])
    return 1


@kernel
def draw(state: State, row: int, rng: np.random.Generator) -> float:
    """From the posterior of the mean, under a uniform prior."""
    if row < 0 or state.plays[row] == 0:
        return rng.random()
    successes = state.totals[row]
    return rng.beta(1.0 + successes, 1.0 + state.plays[row] - successes)
