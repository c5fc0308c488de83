"""Marginal posterior sampling, MPS (Dimakopoulou et al. 2019): one Thompson sampling per factor.

Each level has a Beta(1, 1) prior on its own probability of success, whatever the other factors do.
Every factor draws once per level and plays the largest draw; every level played counts the reward
of the whole combination. Excellent on easy problems; but the marginal probability of a level
changes as the other factors learn, and where an early estimate is stale it locks in a wrong level,
as on `trap`: look at the median and the worst run, not at the mean alone. Rewards outside [0, 1],
possible with unbounded rewards, are taken to the nearer end.

    >>> import factored_bandits as fb
    >>> effects = [[0.0, 0.4], [0.0, 0.3, 0.1]]
    >>> environment = fb.environments.make("additive", effects=effects, base=0.1)
    >>> result = fb.simulate(
    ...     "marginal_thompson", environment, horizon=5_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.core.limits import MOST_ROUNDS
from factored_bandits.core.select import argmax_per_factor
from factored_bandits.policies.base import Info
from factored_bandits.policies.limits import COUNT, SHARE, Within, fixed

INFO = Info(
    title="Marginal posterior sampling (MPS): one Thompson sampling per factor",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="none that would be enough: a heuristic",
    guarantee="none: it may lock in a wrong level, as on 'trap'",
    reference="Dimakopoulou, Vlassis & Jebara, Marginal Posterior Sampling for Slate Bandits, "
    "IJCAI 2019",
    style=("purple", "dashed"),
    cost=(1900, 1),
    slowdown=(90,),
)


class Params(NamedTuple):
    """No parameters."""


class State(NamedTuple):
    """Bandits side by side, one per factor."""

    offsets: Ints  # (L + 1,) first level of each factor
    alpha: Floats  # (levels,) first parameter of the Beta posterior: 1 + successes
    beta: Floats  # (levels,) second parameter: 1 + failures
    draws: Floats  # (levels,) scratch: one draw from each posterior
    plays: Floats  # (levels,)

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        posterior = Within(1.0, 1.0 + MOST_ROUNDS)
        return {
            "offsets": fixed(self.offsets),
            "alpha": posterior,
            "beta": posterior,
            "draws": SHARE,
            "plays": COUNT,
        }


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """The uniform prior."""
    offsets = offsets_of(sizes)
    levels = int(offsets[-1])
    return State(offsets, np.ones(levels), np.ones(levels), np.zeros(levels), np.zeros(levels))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Per factor the level with the largest draw."""
    # MPS: theta ~ Beta(alpha, beta) for every level of every slot, then the argmax of each slot
    for i in range(len(state.draws)):
        state.draws[i] = rng.beta(state.alpha[i], state.beta[i])
    argmax_per_factor(state.draws, state.offsets, actions[0])
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Every level played counts the reward."""
    # MPS: alpha += r, beta += 1 - r for every level played
    reward = min(1.0, max(0.0, rewards[0]))
    for l in range(len(state.offsets) - 1):
        level = state.offsets[l] + actions[0, l]
        state.alpha[level] += reward
        state.beta[level] += 1.0 - reward
        state.plays[level] += 1.0


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the level played most often."""
    argmax_per_factor(state.plays, state.offsets, action)
