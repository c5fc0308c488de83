"""Thompson sampling over all combinations (Thompson 1933; Agrawal & Goyal 2012): what many would do
without factors.

Every combination is an arm of its own, with a Beta(1, 1) prior on its chance of success: draw once
from every posterior, play the largest draw. It assumes nothing, and pays for every combination. The
largest draw is found without drawing all, see _beta_race: the law is the same. Rewards between 0
and 1 count as that part of a success; those outside, possible with raw ones, are taken to the
nearer end.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("table", means=[[0.2, 0.8], [0.3, 0.4]])
    >>> result = fb.simulate("flat_thompson", environment, horizon=2_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import ravel, unravel
from factored_bandits.policies.base import Info

from ._beta_race import FIRST, SECOND, race, recompute_bar, set_bar
from ._flat import arms, most_played

PLAYS = 3  # a further row of State.table
BAR, DIRTY = 0, 1  # places in State.bar

INFO = Info(
    title="Thompson sampling over all combinations",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="none",
    guarantee="(1 + o(1)) sum over combinations of gap log(t) / kl, anytime",
    reference="Thompson, Biometrika 25, 1933; Agrawal & Goyal, COLT 2012; Kaufmann, Korda & Munos, ALT 2012",
    style=("purple", "solid"),
    cost=(1000, 2),
    slowdown=(90,),
    flat=True,
)


class Params(NamedTuple):
    """No parameters."""


class State(NamedTuple):
    """Posteriors of each combination, the last factor running fastest."""

    sizes: Ints  # (L,)
    table: Floats  # (4, combinations) the rows of _beta_race, and plays
    sums: Floats  # (blocks,) hazards of blocks of combinations
    bar: Floats  # (2,) the bar of the race; plays learned since it was set


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """The uniform prior."""
    number = arms("flat_thompson", sizes)
    table = np.zeros((4, number))
    table[[FIRST, SECOND]] = 1.0

    return State(
        np.array(sizes, dtype=np.int64),
        table,
        np.zeros(math.isqrt(number)),
        np.array([0.0, math.inf]),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The combination with the largest draw; the bar is set anew when there was time to learn about
    all.
    """
    if state.bar[DIRTY] >= state.table.shape[1]:
        state.bar[BAR] = set_bar(state.table, state.sums)
        state.bar[DIRTY] = 0.0
    unravel(state.sizes, race(state.table, state.sums, state.bar[BAR], rng), actions[0])
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The posterior of the combination played."""
    at = ravel(state.sizes, actions[0])
    reward = min(1.0, max(0.0, rewards[0]))
    state.table[FIRST, at] += reward
    state.table[SECOND, at] += 1.0 - reward
    state.table[PLAYS, at] += 1.0
    state.bar[DIRTY] += 1.0
    recompute_bar(state.table, state.sums, state.bar[BAR], at)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The combination played most often."""
    unravel(state.sizes, most_played(state.table[PLAYS]), action)
