"""Uniform play: every level equally likely, always. The floor of every comparison.

A plain randomised test: it keeps the mean reward of every level, as one would read off a full
factorial test, and recommends the best of each factor.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("additive", effects=[[0.0, 0.5], [0.0, 0.3]])
    >>> result = fb.simulate(
    ...     "uniform", environment, horizon=1_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(350 < result.regret[:, -1].mean() < 450)
    True
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.level_means import best_mean_per_factor
from factored_bandits.policies.limits import COUNT, SUM, Within, fixed

INFO = Info(
    title="Uniform play",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="none",
    guarantee="none: regret grows linearly",
    reference="the usual randomised test",
    style=("black", "dashed"),
    cost=(87, 0.1),
    narrow=True,
)


class Params(NamedTuple):
    """No parameters."""


class State(NamedTuple):
    """What each level has brought."""

    sizes: Ints  # (L,)
    offsets: Ints  # (L + 1,) first level of each factor
    total: Floats  # (levels,) sum of rewards
    plays: Ints  # (levels,)

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {
            "sizes": fixed(self.sizes),
            "offsets": fixed(self.offsets),
            "total": SUM,
            "plays": COUNT,
        }


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    levels = int(sum(sizes))
    return State(
        sizes=np.asarray(sizes),
        offsets=offsets_of(sizes),
        total=np.zeros(levels),
        plays=np.zeros(levels, dtype=np.int64),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """One play, each factor on its own."""
    for l in range(actions.shape[1]):
        actions[0, l] = randint(rng, state.sizes[l])
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Sums and counts."""
    for l in range(actions.shape[1]):
        level = state.offsets[l] + actions[0, l]
        state.total[level] += rewards[0]
        state.plays[level] += 1


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the level with the best mean; one that was never played counts as worst."""
    best_mean_per_factor(state.total, state.plays, state.offsets, action)


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """One over the size."""
    return [np.full(size, 1.0 / size) for size in state.sizes]
