"""Marginal posterior sampling, MPS (Dimakopoulou et al., IJCAI 2019): one Thompson sampling per
factor.

Each level has a Beta(1, 1) prior on its own chance of success, whatever the other factors do. Every
factor draws once per level and plays the largest draw; every level played counts the reward of the
whole combination. Excellent on easy problems; but the marginal chance of a level changes as the
other factors learn, and where an early one is stale it locks in a wrong level, as on `trap`: look
at the median and the worst run, not at the mean alone. Rewards outside [0, 1], possible with raw
ones, are taken to the nearer end.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("additive", effects=[[0.0, 0.4], [0.0, 0.3, 0.1]], base=0.1)
    >>> result = fb.simulate("marginal_thompson", environment, horizon=5_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import argmax_per_factor
from factored_bandits.policies.base import Info

SUCCESSES, FAILURES, DRAW, PLAYS = 0, 1, 2, 3  # rows of State.table

INFO = Info(
    title="Marginal posterior sampling (MPS): one Thompson sampling per factor",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="none that would be enough: a heuristic",
    guarantee="none: it may lock in a wrong level, as on 'trap'",
    reference="Dimakopoulou, Vlassis & Jebara, Marginal Posterior Sampling for Slate Bandits, IJCAI 2019",
    style=("purple", "dashed"),
    cost=(1900, 1),
    slowdown=(90,),
)


class Params(NamedTuple):
    """No parameters."""


class State(NamedTuple):
    """Bandits side by side."""

    start: Ints  # (L + 1,) first level of each factor
    table: Floats  # (4, levels) both parameters of the Beta posteriors; scratch: the draws; plays


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """The uniform prior."""
    start = offsets_of(sizes)
    table = np.zeros((4, start[-1]))
    table[[SUCCESSES, FAILURES]] = 1.0
    return State(start, table)


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Per factor the level with the largest draw."""
    table = state.table
    for i in range(table.shape[1]):
        table[DRAW, i] = rng.beta(table[SUCCESSES, i], table[FAILURES, i])
    argmax_per_factor(table[DRAW], state.start, actions[0])
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Every level played counts the reward."""
    reward = min(1.0, max(0.0, rewards[0]))
    for l in range(len(state.start) - 1):
        at = state.start[l] + actions[0, l]
        state.table[SUCCESSES, at] += reward
        state.table[FAILURES, at] += 1.0 - reward
        state.table[PLAYS, at] += 1.0


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the level played most often."""
    argmax_per_factor(state.table[PLAYS], state.start, action)
