"""Linear Thompson sampling (Agrawal & Goyal, ICML 2013), one-hot features with a constant.

Ridge regression of the reward on the levels; play the best combination under weights drawn from
N(estimate, v^2 V^-1), V = regularisation I + sum of x x'. The best combination of drawn weights is
the best level of each factor, exactly. A square root of V^-1 is updated instead of decomposing V
again (`_linear`).

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make(
    ...     "additive", effects=[[0.0, 0.4, 0.1], [0.0, 0.3]], base=0.1
    ... )
    >>> result = fb.simulate(
    ...     "lin_thompson", environment, horizon=2_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import argmax_per_factor
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.gaussian import covariance_limits, draw
from factored_bandits.policies.limits import SUM, Within, fixed, index

from ._linear import feature_offsets, main_effects, shrink_factor, value

INFO = Info(
    title="Linear Thompson sampling",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="linear: the mean is a sum of one effect per factor",
    guarantee="O(d^1.5 sqrt(t)) for v of the order of sqrt(d log t); the default v = 0.5 is the "
    "usual practical one",
    reference="Agrawal & Goyal, Thompson sampling for contextual bandits with linear payoffs, "
    "ICML 2013",
    cost=(1400, 1.7),
    any_plays=True,
)


class Params(NamedTuple):
    """The posterior.

    `v` scales the draws (0.5: the spread of rewards in [0, 1]); `regularisation` is the prior
    precision / v^-2.
    """

    v: float = 0.5
    regularisation: float = 1.0


class State(NamedTuple):
    """The regression; d = 1 + levels."""

    offsets: Ints  # (L + 1,) first feature of each factor
    estimate: Floats  # (d,)
    factor: Floats  # (d, d) F with F'F = V^-1

    # scratch
    ones: Ints  # (L + 1,) the features of a combination
    weights: Floats  # (d,) drawn
    work: Floats  # (d,) V^-1 x
    phi: Floats  # (d,) F x

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {
            "offsets": fixed(self.offsets),
            "estimate": SUM,
            "factor": covariance_limits(self.factor),
            "ones": index(len(self.work)),
        }


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse parameters out of range."""
    if params.v <= 0.0 or params.regularisation <= 0.0:
        raise InvalidInputError(
            f"lin_thompson: v and regularisation must be positive, not {params.v} and "
            f"{params.regularisation}"
        )


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known: V is the regularisation."""
    offsets = feature_offsets(sizes)
    d = int(offsets[-1])

    return State(
        offsets=offsets,
        estimate=np.zeros(d),
        factor=np.eye(d) / np.sqrt(params.regularisation),
        ones=np.zeros(len(offsets), dtype=np.int64),
        weights=np.zeros(d),
        work=np.zeros(d),
        phi=np.zeros(d),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Per factor the best level under drawn weights."""
    # Agrawal & Goyal, Algorithm 1: sample from N(estimate, v^2 B^-1), here B = V; play the arg max
    draw(state.estimate, state.factor, params.v, rng, state.weights)
    argmax_per_factor(state.weights, state.offsets, actions[0])
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Recursive least squares: B <- B + x x', estimate <- B^-1 (sum of rewards times x)."""
    main_effects(state.offsets, actions[0], state.ones)
    error = rewards[0] - value(state.estimate, state.ones)
    form = shrink_factor(state.factor, state.ones, 1.0, state.work, state.phi)

    # B^-1 x of the new B is `work` / (1 + form)
    for j in range(len(state.estimate)):
        state.estimate[j] += state.work[j] * error / (1.0 + form)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the best level under the estimate."""
    argmax_per_factor(state.estimate, state.offsets, action)
