"""Linear Thompson sampling (Agrawal & Goyal, ICML 2013), one-hot features with a constant.

Ridge regression of the reward on the levels; play the best combination under weights drawn from
N(estimate, v^2 V^-1), V = regularisation I + sum of x x'. The best combination of drawn weights is
the best level of each factor, exactly. A common square root of V^-1 is updated instead of
decomposing V again (`_linear`).

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("additive", effects=[[0.0, 0.4, 0.1], [0.0, 0.3]], base=0.1)
    >>> result = fb.simulate("lin_thompson", environment, horizon=2_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Info

from ._linear import best_levels, draw, main_effects, offsets, shrink_factor, value

INFO = Info(
    title="Linear Thompson sampling",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="linear: the mean is a sum of one effect per factor",
    guarantee="O(d^1.5 sqrt(t)) for v of the order of sqrt(d log t); the default v = 0.5 is the usual practical one",
    reference="Agrawal & Goyal, Thompson sampling for contextual bandits with linear payoffs, ICML 2013",
    cost=(1400, 1.7),
)
ESTIMATE, WEIGHTS, WORK, PHI = 0, 1, 2, 3  # rows of State.vectors


class Params(NamedTuple):
    """`v` scales the draws (0.5: the spread of rewards in [0, 1]); `regularisation` is the prior
    precision / v^-2.
    """

    v: float = 0.5
    regularisation: float = 1.0


class State(NamedTuple):
    """The regression; d = 1 + levels."""

    start: Ints  # (L + 1,) first feature of each factor
    ones: Ints  # (L + 1,) scratch: the features of a combination
    factor: Floats  # (d, d) F with F'F = V^-1
    vectors: Floats  # (4, d) the estimate; scratch: drawn weights, V^-1 x, F x


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known: V is the regularisation."""
    if params.v <= 0.0 or params.regularisation <= 0.0:
        raise InvalidInputError(
            f"lin_thompson: v and regularisation must be positive, not {params.v} and {params[1]}"
        )

    start = offsets(sizes)
    d = int(start[-1])
    ones = np.zeros(len(start), dtype=np.int64)
    return State(start, ones, np.eye(d) / np.sqrt(params.regularisation), np.zeros((4, d)))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Per factor the best level under drawn weights."""
    draw(state.vectors[ESTIMATE], state.factor, params.v, rng, state.vectors[WEIGHTS])
    best_levels(state.start, state.vectors[WEIGHTS], actions[0])
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Recursive least squares."""
    estimate = state.vectors[ESTIMATE]
    work = state.vectors[WORK]
    main_effects(state.start, actions[0], state.ones)
    error = rewards[0] - value(estimate, state.ones)
    form = shrink_factor(state.factor, state.ones, 1.0, work, state.vectors[PHI])
    for j in range(len(work)):
        estimate[j] += work[j] * error / (1.0 + form)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the best level under the estimate."""
    best_levels(state.start, state.vectors[ESTIMATE], action)
