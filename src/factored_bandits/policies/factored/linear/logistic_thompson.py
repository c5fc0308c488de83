"""Logistic Thompson sampling with an online Laplace approximation, if asked with pairs of levels.

The log-odds of the reward are a constant plus one weight per level. The posterior of the weights is
kept as a Gaussian N(m, P): after a reward y, with p = sigma(x'm) and w = p (1 - p), P <- (P^-1 + w
x x')^-1 and m <- m + P x (y - p). Play the best combination under weights drawn from it: the best
level of each factor.

`interactions="pairwise"` is the multivariate optimiser of Hill et al. (KDD 2017): it adds a weight
per pair of levels of different factors, and then searches the best combination by hill climbing,
one factor at a time, from `restarts` random combinations (Hill et al. use probit and independent
weights) and from the one played last, lest it be lost again. It needs 3 d^2 operations a step, d
the number of weights, and refuses d above 2048.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make(
    ...     "logistic", effects=[[0.0, 2.0, 0.5], [0.0, 1.5]], base=-2.0
    ... )
    >>> result = fb.simulate(
    ...     "logistic_thompson", environment, horizon=2_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import argmax_per_factor
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Code, Info
from factored_bandits.policies.blocks.gaussian import covariance_limits, draw
from factored_bandits.policies.limits import SUM, Within, fixed, index

from ._laplace import check_weights, laplace_step
from ._linear import feature_offsets, main_effects
from ._pairs import climb_from_anywhere, climb_from_each, pair_effects, pair_offsets

INFO = Info(
    title="Logistic Thompson sampling",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="logistic: the log-odds are a sum of one effect per factor (or of effects of pairs)",
    guarantee="none proven for the Laplace approximation; the strongest all-rounder in practice",
    reference="Chapelle & Li, NIPS 2011; Hill et al., An efficient bandit algorithm for realtime "
    "multivariate optimization, KDD 2017",
    cost=(1200, 1.8),
    slowdown=(400,),
    any_plays=True,
)
NONE: Code = 0  # Params.interactions
PAIRWISE: Code = 1
MOST_RESTARTS = 1000


class Params(NamedTuple):
    """The model and its prior.

    `variance` of each weight before anything is known; `restarts` of the hill climbing (pairwise
    only).
    """

    interactions: Literal["none", "pairwise"] = "none"
    variance: float = 1.0
    restarts: int = 5


class State(NamedTuple):
    """The posterior; d = 1 + levels + (if asked) pairs of levels."""

    offsets: Ints  # (L + 1,) first feature of each factor
    pairs: Ints  # (L, L) first feature of each pair of factors, see `_pairs`; zeros without pairs
    mean: Floats  # (d,)
    factor: Floats  # (d, d) F with F'F = P
    last: Ints  # (L,) the combination played last (pairwise only)

    # scratch
    ones: Ints  # (features of a combination,)
    trial: Ints  # (L,) the combination that climbs
    weights: Floats  # (d,) drawn
    work: Floats  # (d,) P x
    phi: Floats  # (d,) F x

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        levels = index(np.diff(self.offsets))
        return {
            "offsets": fixed(self.offsets),
            "pairs": fixed(self.pairs),
            "mean": SUM,
            "factor": covariance_limits(self.factor),
            "last": levels,
            "ones": index(len(self.mean)),
            "trial": levels,
        }


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse parameters out of range, and more weights than a covariance is kept of."""
    if params.variance <= 0.0 or not 1 <= params.restarts <= MOST_RESTARTS:
        raise InvalidInputError(
            f"logistic_thompson: variance must be positive and restarts from 1 to {MOST_RESTARTS}, "
            f"not {params.variance} and {params.restarts}"
        )

    _, d = feature_counts(params, sizes)
    interactions = "pairwise" if params.interactions == PAIRWISE else "none"
    check_weights("logistic_thompson", d, f" with interactions={interactions!r}")


def feature_counts(params: Params, sizes: Ints) -> tuple[int, int]:
    """The features of a combination, and the number of all features.

    >>> feature_counts(Params(interactions=PAIRWISE), np.array([2, 3]))
    (4, 12)
    """
    factors = len(sizes)
    if params.interactions == PAIRWISE:
        _, d = pair_offsets(sizes)
        return 1 + factors + factors * (factors - 1) // 2, d
    return 1 + factors, int(feature_offsets(sizes)[-1])


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """The prior."""
    factors = len(sizes)
    ones, d = feature_counts(params, sizes)
    pairs = np.zeros((factors, factors), dtype=np.int64)
    if params.interactions == PAIRWISE:
        pairs, _ = pair_offsets(sizes)

    return State(
        offsets=feature_offsets(sizes),
        pairs=pairs,
        mean=np.zeros(d),
        factor=np.eye(d) * math.sqrt(params.variance),
        last=np.zeros(factors, dtype=np.int64),
        ones=np.zeros(ones, dtype=np.int64),
        trial=np.zeros(factors, dtype=np.int64),
        weights=np.zeros(d),
        work=np.zeros(d),
        phi=np.zeros(d),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The best combination under drawn weights."""
    # Chapelle & Li, section 4: draw the weights from the Gaussian posterior, play the arg max
    draw(state.mean, state.factor, 1.0, rng, state.weights)

    if params.interactions == NONE:
        argmax_per_factor(state.weights, state.offsets, actions[0])
    else:
        climb_from_anywhere(
            state.offsets,
            state.pairs,
            state.weights,
            params.restarts,
            rng,
            state.trial,
            state.last,
            actions[0],
        )

    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """One step of the online Laplace approximation; unbounded rewards are clipped onto [0, 1]."""
    ones = state.ones
    main_effects(state.offsets, actions[0], ones)
    if params.interactions == PAIRWISE:
        pair_effects(state.offsets, state.pairs, actions[0], ones)

    laplace_step(state.mean, state.factor, ones, rewards[0], state.work, state.phi)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The best combination under the mean; with pairs, the best that some climbs reach."""
    if params.interactions == NONE:
        argmax_per_factor(state.mean, state.offsets, action)
    else:
        climb_from_each(state.offsets, state.pairs, state.mean, state.trial, state.last, action)
