"""GLM-UCB (Filippi, Cappe, Garivier & Szepesvari, NIPS 2010) with the logistic link, one-hot
features with a constant.

Logistic regression theta of the reward on the levels (ridge l2), V = l2 I + sum of x x'; play the
combination with the largest sigma(x'theta) + |x|_{V^-1} (kappa / 4 sqrt(2 log(1 / delta) + log det
V - d log l2) + sqrt(l2) S), where kappa = 1 / sigma'(S |x|). All combinations are tried while there
are at most 5000; beyond that, coordinate ascent.

The regression is computed exactly, from the counts of the combinations visited, whenever the plays
have grown by the share `refit`; in between only V goes on (0: after every play). Keeps one row per
combination visited, at most 2^19 (2^16 if the horizon is unknown), and refuses problems that could
have more.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("logistic", effects=[[0.0, 2.0, 0.5], [0.0, 1.5]], base=-2.0)
    >>> result = fb.simulate("glm_ucb", environment, horizon=2_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.combinations import PLAYS, enter, number, table

from ._linear import best_levels, main_effects, offsets, shrink, sigmoid
from ._logistic_fit import LEVELS, TOTAL, fit
from ._optimism import LOGISTIC, Model, most_optimistic

INFO = Info(
    title="GLM-UCB, logistic",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="logistic: the log-odds are a sum of one effect per factor, |effects| <= bound",
    guarantee="O(kappa d sqrt(t) log(t)) with probability 1 - delta; exact maximisation up to 5000 combinations",
    reference="Filippi, Cappe, Garivier & Szepesvari, Parametric bandits: the generalized linear case, NIPS 2010",
    cost=(5500, 2.7),
)
THETA, WORK = 0, 1  # rows of State.vectors
LEARNED, FITTED = 1, 2  # places in State.tally


class Params(NamedTuple):
    """`delta`: the chance to fail; `bound`: S, the length of the true weights at most; `l2`: ridge;
    `refit`: above.
    """

    delta: float = 0.01
    bound: float = 1.0
    l2: float = 1.0
    refit: float = 0.02


class State(NamedTuple):
    """The regression, and the counts it rests on; d = 1 + levels."""

    start: Ints  # (L + 1,) first feature of each factor
    ones: Ints  # (L + 1,) scratch: the features of a combination
    trial: Ints  # (L,) scratch
    covariance: Floats  # (d, d) V^-1
    hessian: Floats  # (d, d) scratch of the regression
    common: Floats  # (L + 1, d) scratch
    vectors: Floats  # (2, d) theta; scratch: V^-1 x, or a Newton step
    information: Floats  # (1,) log det V - d log l2
    shape: Ints  # (4, L) of the table in _combinations
    slots: NDArray[np.int32]  # (a power of two,) its hash table
    book: Ints  # (capacity, 2 + L) number, plays and levels of the combinations visited
    sums: Floats  # (capacity, 1) sums of their rewards
    tally: Ints  # (3,) rows entered; plays learned; plays that theta rests on


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known: V is the ridge."""
    if not 0.0 < params.delta < 1.0 or params.bound < 0.0 or params.l2 <= 0.0 or params.refit < 0.0:
        raise InvalidInputError(
            "glm_ucb: delta must lie in (0, 1), bound and refit must be at least 0 and l2 "
            "positive, not "
            f"{params.delta}, {params.bound}, {params.refit} and {params.l2}"
        )

    shape, slots, book = table(sizes, horizon, "glm_ucb", columns=2 + len(sizes))
    combinations = math.prod(np.asarray(sizes).tolist())

    if len(book) < min(combinations, horizon or combinations):
        unknown = "" if horizon else " if the horizon is unknown"
        raise InvalidInputError(
            f"glm_ucb keeps counts of at most {len(book):,} combinations{unknown}; this problem "
            f"has {combinations:,}. "
            "Use a policy without such counts, such as 'logistic_thompson'"
        )

    start = offsets(sizes)
    d = int(start[-1])

    return State(
        start=start,
        ones=np.zeros(len(start), dtype=np.int64),
        trial=np.zeros(len(sizes), dtype=np.int64),
        covariance=np.eye(d) / params.l2,
        hessian=np.zeros((d, d)),
        common=np.zeros((len(start), d)),
        vectors=np.zeros((2, d)),
        information=np.zeros(1),
        shape=shape,
        slots=slots,
        book=book,
        sums=np.zeros((len(book), 1)),
        tally=np.zeros(3, dtype=np.int64),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The combination with the largest upper bound."""
    theta = state.vectors[THETA]
    common = state.common
    trial = state.trial
    tally = state.tally

    if tally[LEARNED] > (1.0 + params.refit) * tally[FITTED]:
        tally[FITTED] = tally[LEARNED]
        fit(state, params.l2, theta, state.vectors[WORK])

    model = Model(state.start, theta, state.covariance, radius(params, state, len(trial)), LOGISTIC)
    most_optimistic(model, rng, common, trial, actions[0])
    return 1


@kernel
def radius(params: Params, state: State, factors: int) -> float:
    """What |x| is multiplied by."""
    slope = sigmoid(params.bound * math.sqrt(1.0 + factors))
    kappa = 1.0 / (slope * (1.0 - slope))
    spread = math.sqrt(state.information[0] - 2.0 * math.log(params.delta))
    return 0.25 * kappa * spread + math.sqrt(params.l2) * params.bound


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Counts and V; raw rewards are clipped onto [0, 1]."""
    row = enter(state, number(state, actions[0]))
    state.book[row, PLAYS] += 1
    for l in range(actions.shape[1]):
        state.book[row, LEVELS + l] = actions[0, l]
    state.sums[row, TOTAL] += min(max(rewards[0], 0.0), 1.0)
    state.tally[LEARNED] += 1
    main_effects(state.start, actions[0], state.ones)
    form = shrink(state.covariance, state.ones, 1.0, state.vectors[WORK])
    state.information[0] += math.log1p(form)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the best level under theta."""
    best_levels(state.start, state.vectors[THETA], action)
