"""Uniform play: every level equally likely, always. The floor of every comparison, and a plain
randomised test.

Keeps the mean reward of every level, as one would read off a full factorial test, and recommends
the best of each factor.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("additive", effects=[[0.0, 0.5], [0.0, 0.3]])
    >>> result = fb.simulate("uniform", environment, horizon=1_000, repetitions=4, seed=1, progress=False)
    >>> bool(350 < result.regret[:, -1].mean() < 450)
    True
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.policies.base import Info

INFO = Info(
    title="Uniform play",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="none",
    guarantee="none: regret grows linearly",
    reference="the usual randomised test",
    style=("black", "dashed"),
    cost=(87, 0.1),
)


class Params(NamedTuple):
    """No parameters."""


class State(NamedTuple):
    """What each level has brought."""

    sizes: Ints  # (L,)
    start: Ints  # (L + 1,) first level of each factor
    total: Floats  # (levels,) sum of rewards
    plays: Ints  # (levels,)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    start = np.concatenate([[0], np.cumsum(sizes)])
    return State(np.asarray(sizes), start, np.zeros(start[-1]), np.zeros(start[-1], dtype=np.int64))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """One play, each factor on its own."""
    sizes = state.sizes
    for l in range(len(sizes)):
        actions[0, l] = randint(rng, sizes[l])
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Sums and counts."""
    start = state.start
    total = state.total
    plays = state.plays
    for l in range(actions.shape[1]):
        at = start[l] + actions[0, l]
        total[at] += rewards[0]
        plays[at] += 1


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the level with the best mean; one that was never played counts as worst."""
    for l in range(len(state.sizes)):
        best = 0
        best_mean = -np.inf
        for i in range(state.sizes[l]):
            at = state.start[l] + i
            if state.plays[at] > 0 and state.total[at] / state.plays[at] > best_mean:
                best = i
                best_mean = state.total[at] / state.plays[at]
        action[l] = best


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """One over the size."""
    return [np.full(size, 1.0 / size) for size in state.sizes]
