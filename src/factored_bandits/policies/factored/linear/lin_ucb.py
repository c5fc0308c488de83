"""LinUCB in the form OFUL (Abbasi-Yadkori, Pal & Szepesvari, NIPS 2011), one-hot features.

Ridge regression of the reward on a constant and the levels, V = regularisation I + sum of x x';
play the combination with the largest x'theta + beta |x|_{V^-1}, beta = R sqrt(2 log(det(V)^(1/2)
regularisation^(-d/2) / delta)) + sqrt(regularisation) S, R = 1/2. All combinations are tried while
there are at most 5000; beyond that, coordinate ascent (`_optimism`).

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make(
    ...     "additive", effects=[[0.0, 0.4, 0.1], [0.0, 0.3]], base=0.1
    ... )
    >>> result = fb.simulate(
    ...     "lin_ucb", environment, horizon=2_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import argmax_per_factor
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.gaussian import covariance_limits
from factored_bandits.policies.limits import NOT_NEGATIVE, SUM, Within, fixed, index

from ._linear import (
    covariance_contradiction,
    feature_offsets,
    main_effects,
    shrink,
    value,
)
from ._optimism import LINEAR, Model, most_optimistic

INFO = Info(
    title="LinUCB (OFUL)",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="linear: the mean is a sum of one effect per factor, |effects| <= bound",
    guarantee="O(d sqrt(t) log(t)) with probability 1 - delta; exact maximisation up to 5000 "
    "combinations",
    reference="Abbasi-Yadkori, Pal & Szepesvari, Improved algorithms for linear stochastic "
    "bandits, NIPS 2011",
    cost=(1800, 2),
    any_plays=True,
)
R = 0.5  # rewards in [0, 1] are 1/2-sub-Gaussian


class Params(NamedTuple):
    """The confidence set.

    `delta`: the probability that it fails; `bound`: S, the length of the true weights at most;
    `regularisation` of V.
    """

    delta: float = 0.01
    bound: float = 1.0
    regularisation: float = 1.0


class State(NamedTuple):
    """The regression; d = 1 + levels."""

    offsets: Ints  # (L + 1,) first feature of each factor
    estimate: Floats  # (d,) theta
    covariance: Floats  # (d, d) V^-1
    information: Floats  # (1,) log det V - d log regularisation

    # scratch
    ones: Ints  # (L + 1,) the features of a combination
    work: Floats  # (d,) V^-1 x
    trial: Ints  # (L,) of `most_optimistic`
    common: Floats  # (L + 1, d) of `most_optimistic`

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {
            "offsets": fixed(self.offsets),
            "estimate": SUM,
            "covariance": covariance_limits(self.covariance),
            "information": NOT_NEGATIVE,
            "ones": index(len(self.work)),
            "trial": index(np.diff(self.offsets)),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """A covariance is positive."""
        return covariance_contradiction(self.covariance)


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse parameters out of range."""
    if not 0.0 < params.delta < 1.0 or params.bound < 0.0 or params.regularisation <= 0.0:
        raise InvalidInputError(
            "lin_ucb: delta must lie in (0, 1), bound must be at least 0 and regularisation "
            f"positive, not {params.delta}, {params.bound} and {params.regularisation}"
        )


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known: V is the regularisation."""
    offsets = feature_offsets(sizes)
    d = int(offsets[-1])

    return State(
        offsets=offsets,
        estimate=np.zeros(d),
        covariance=np.eye(d) / params.regularisation,
        information=np.zeros(1),
        ones=np.zeros(len(offsets), dtype=np.int64),
        work=np.zeros(d),
        trial=np.zeros(len(sizes), dtype=np.int64),
        common=np.zeros((len(offsets), d)),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The combination with the largest upper bound."""
    # OFUL: the arg max of <x, theta> over all x and all theta in the ellipsoid; for given x the
    # best theta gives x'estimate + beta |x|_{V^-1}
    radius = beta(params, state)
    model = Model(state.offsets, state.estimate, state.covariance, radius, LINEAR)
    most_optimistic(model, rng, state.common, state.trial, actions[0])
    return 1


@kernel
def beta(params: Params, state: State) -> float:
    """The radius of the confidence ellipsoid (their Theorem 2)."""
    log_ratio = 0.5 * state.information[0] - math.log(params.delta)
    return R * math.sqrt(2.0 * log_ratio) + math.sqrt(params.regularisation) * params.bound


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Recursive least squares."""
    main_effects(state.offsets, actions[0], state.ones)
    error = rewards[0] - value(state.estimate, state.ones)

    # V <- V + x x', whose determinant grows by the factor 1 + x'V^-1 x
    form = shrink(state.covariance, state.ones, 1.0, state.work)
    state.information[0] += math.log1p(form)

    # V^-1 x of the new V is `work` / (1 + form)
    for j in range(len(state.estimate)):
        state.estimate[j] += state.work[j] * error / (1.0 + form)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the best level under the estimate."""
    argmax_per_factor(state.estimate, state.offsets, action)
