"""Sparring UCB: one UCB1 per factor, all fed with the reward of the whole combination.

Each factor plays its level with the largest mean + sqrt(alpha log t / plays), on its own counts,
ties at random. Cheap, and good on easy problems; but no factor knows that its rewards depend on
what the others do. Means from the time when another factor still played badly stay low, and a
factor locks in a wrong level: the objection of the paper to sparring, to be seen on the environment
`trap`.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("additive", effects=[[0.0, 0.4], [0.0, 0.3, 0.1]], base=0.1)
    >>> result = fb.simulate("per_factor_ucb", environment, horizon=5_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import argmax_per_factor
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.ucb import PLAYS, check_alpha, ucb_feed, ucb_pick, ucb_table

INFO = Info(
    title="Sparring UCB: one UCB1 per factor",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="none that would be enough: a heuristic",
    guarantee="none: it may lock in a wrong level, as on 'trap'",
    reference="Ailon, Karnin & Joachims, ICML 2014 (sparring); Auer, Cesa-Bianchi & Fischer 2002 (UCB1)",
    style=("sky", "solid"),
    cost=(170, 0.6),
    slowdown=(15,),
)


class Params(NamedTuple):
    """`alpha` under the root: 2 in the textbook, 0.5 tuned."""

    alpha: float = 2.0


class State(NamedTuple):
    """Bandits side by side."""

    start: Ints  # (L + 1,) first level of each factor
    table: Floats  # (4, levels) the rows of _ucb


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    check_alpha("per_factor_ucb", params.alpha)
    start = offsets_of(sizes)
    return State(start, ucb_table(int(start[-1])))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Per factor the level with the largest index."""
    start = state.start
    root = math.sqrt(params.alpha * math.log(t))
    for l in range(len(start) - 1):
        actions[0, l] = ucb_pick(state.table, start[l], start[l + 1] - start[l], root, rng)
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Every factor counts the reward for its level."""
    for l in range(len(state.start) - 1):
        ucb_feed(state.table, state.start[l] + actions[0, l], rewards[0])


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the level played most often."""
    argmax_per_factor(state.table[PLAYS], state.start, action)
