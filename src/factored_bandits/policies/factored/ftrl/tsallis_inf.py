"""Tsallis-INF per factor (Zimmert & Seldin, AISTATS 2019): best of both worlds, without any
parameter to choose.

Each factor has a learner of its own (FTRL with the Tsallis entropy) that sees the reward of the
whole combination. Where every factor has a level that is best whatever the others do (uniform
identifiability), each learner faces a stochastically constrained adversary, for which its regret is
logarithmic; against any adversary it is sqrt(K T). `estimator`: of the losses, `reduced_variance`
(four times fewer losses in practice) or plain `importance` weighting.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("trap")
    >>> result = fb.simulate("tsallis_inf", environment, horizon=20_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.regret[:, -1].max() < 500)
    True
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, offsets_of, split, uniform_probabilities
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import argmin_per_factor, categorical
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.propensities import no_propensities, recall, remember
from factored_bandits.policies.blocks.tsallis import learning_rate, tsallis_feed, tsallis_weights

INFO = Info(
    title="Tsallis-INF, one learner per factor",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="uniform identifiability (each factor then faces a stochastically constrained adversary)",
    guarantee="O(sum over levels of log(t) / gap), and O(sqrt(K t)) per factor against an adversary, anytime",
    reference="Zimmert & Seldin, An Optimal Algorithm for Stochastic and Adversarial Bandits, AISTATS 2019; JMLR 2021",
    style=("green", "dashed"),
    cost=(420, 1.2),
    slowdown=(40,),
)


class Params(NamedTuple):
    """How the losses of levels that were not played are estimated."""

    estimator: Literal["reduced_variance", "importance"] = "reduced_variance"


class State(NamedTuple):
    """Learners side by side."""

    start: Ints  # (L + 1,) first level of each factor
    losses: Floats  # (levels,) cumulated estimates
    weights: Floats  # (levels,) the chances of the last plan
    assumptions: Floats  # (L,) where each learner's equation was solved last
    remembered: Floats  # (plays, 1 + L) chances of the last plays


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    start = offsets_of(sizes)
    weights = uniform_probabilities(sizes)
    return State(
        start, np.zeros(start[-1]), weights, np.zeros(len(sizes)), no_propensities(len(sizes))
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """One play, each factor by its own weights."""
    start = state.start
    weights = state.weights
    rate = learning_rate(float(t), params.estimator)

    for l in range(len(start) - 1):
        size = start[l + 1] - start[l]
        state.assumptions[l] = tsallis_weights(
            state.losses, weights, start[l], size, rate, state.assumptions[l]
        )
        actions[0, l] = categorical(rng, weights, start[l], size)
        remember(state.remembered, t, l, weights[start[l] + actions[0, l]])

    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Every learner gets the loss 1 - reward."""
    start = state.start
    weights = state.weights
    rate = learning_rate(float(t), params.estimator)

    for l in range(len(start) - 1):
        at = start[l] + actions[0, l]
        size = start[l + 1] - start[l]
        weights[at] = recall(state.remembered, t, l, weights[at])
        loss = 1.0 - rewards[0]
        tsallis_feed(
            state.losses, weights, start[l], size, actions[0, l], loss, rate, params.estimator
        )


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the level with the smallest estimated loss."""
    argmin_per_factor(state.losses, state.start, action)


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """The weights from which each factor was drawn."""
    return split(state.weights, state.start)
