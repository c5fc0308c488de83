"""Logistic Thompson sampling with an online Laplace approximation; with pairs, the optimiser of
Hill et al. (KDD 2017).

The log-odds of the reward are a constant plus one weight per level. The posterior of the weights is
kept as a Gaussian N(m, P): after a reward y, with p = sigma(x'm) and w = p (1 - p), P <- (P^-1 + w
x x')^-1 and m <- m + P x (y - p). Play the best combination under weights drawn from it: the best
level of each factor.

`interactions="pairwise"` adds a weight per pair of levels of different factors, and then searches
the best combination by hill climbing, one factor at a time, from `restarts` random combinations
(Hill et al. use probit and independent weights) and from the one played last, lest it be lost
again. It needs 3 d^2 operations a step, d the number of weights, and refuses d above 2048.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("logistic", effects=[[0.0, 2.0, 0.5], [0.0, 1.5]], base=-2.0)
    >>> result = fb.simulate("logistic_thompson", environment, horizon=2_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Code, Info

from ._linear import best_levels, draw, main_effects, offsets, shrink_factor, sigmoid, value
from ._pairs import climb_from_anywhere, climb_from_each, pair_effects, pair_offsets

INFO = Info(
    title="Logistic Thompson sampling",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="logistic: the log-odds are a sum of one effect per factor (or of effects of pairs)",
    guarantee="none proven for the Laplace approximation; the strongest all-rounder in practice",
    reference="Chapelle & Li, NIPS 2011; Hill et al., An efficient bandit algorithm for realtime multivariate "
    "optimization, KDD 2017",
    cost=(1200, 1.8),
    slowdown=(400,),
)
NONE: Code = 0  # Params.interactions
PAIRWISE: Code = 1
MEAN, WEIGHTS, WORK, PHI = 0, 1, 2, 3  # rows of State.vectors
MOST_WEIGHTS = 2048


class Params(NamedTuple):
    """`variance` of each weight before anything is known; `restarts` of the hill climbing (pairwise
    only).
    """

    interactions: Literal["none", "pairwise"] = "none"
    variance: float = 1.0
    restarts: int = 5


class State(NamedTuple):
    """The posterior; d = 1 + levels + (if asked) pairs of levels."""

    start: Ints  # (L + 1,) first feature of each factor
    # (L, L) first feature of each pair of factors, by rows of the lower-numbered factor; zeros
    # without
    pairs: Ints
    ones: Ints  # (features of a combination,) scratch
    trial: Ints  # (2, L) scratch: the combination that climbs; the one played last
    factor: Floats  # (d, d) F with F'F = P
    vectors: Floats  # (4, d) the mean; scratch: drawn weights, P x, F x


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """The prior."""
    if params.variance <= 0.0 or params.restarts < 1:
        raise InvalidInputError(
            "logistic_thompson: variance must be positive and restarts at least 1, not "
            f"{params.variance} and {params.restarts}"
        )

    factors = len(sizes)
    start = offsets(sizes)
    pairs, d = (
        pair_offsets(sizes)
        if params.interactions == PAIRWISE
        else (np.zeros((factors, factors), int), start[-1])
    )

    if d > MOST_WEIGHTS:
        raise InvalidInputError(
            "logistic_thompson keeps the covariance of all weights and takes at most "
            f"{MOST_WEIGHTS:,} of them; this "
            f"problem has {d:,} with interactions={'pairwise' if params.interactions else 'none'!r}"
        )

    features = (
        1 + factors + (factors * (factors - 1) // 2 if params.interactions == PAIRWISE else 0)
    )
    return State(
        start=start,
        pairs=pairs,
        ones=np.zeros(features, dtype=np.int64),
        trial=np.zeros((2, factors), dtype=np.int64),
        factor=np.eye(d) * math.sqrt(params.variance),
        vectors=np.zeros((4, d)),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The best combination under drawn weights."""
    weights = state.vectors[WEIGHTS]
    draw(state.vectors[MEAN], state.factor, 1.0, rng, weights)

    if params.interactions == NONE:
        best_levels(state.start, weights, actions[0])
    else:
        climb_from_anywhere(
            state.start, state.pairs, weights, params.restarts, rng, state.trial, actions[0]
        )

    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """One step of the online Laplace approximation; raw rewards are clipped onto [0, 1]."""
    mean = state.vectors[MEAN]
    work = state.vectors[WORK]
    ones = state.ones
    main_effects(state.start, actions[0], ones)
    if params.interactions == PAIRWISE:
        pair_effects(state.start, state.pairs, actions[0], ones)
    p = sigmoid(value(mean, ones))
    weight = p * (1.0 - p)
    form = shrink_factor(state.factor, ones, weight, work, state.vectors[PHI])
    rate = (min(max(rewards[0], 0.0), 1.0) - p) / (1.0 + weight * form)
    for j in range(len(mean)):
        mean[j] += rate * work[j]


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The best combination under the mean; with pairs, the best that some climbs reach."""
    if params.interactions == NONE:
        best_levels(state.start, state.vectors[MEAN], action)
    else:
        climb_from_each(state.start, state.pairs, state.vectors[MEAN], state.trial, action)
