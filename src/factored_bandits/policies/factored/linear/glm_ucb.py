"""GLM-UCB (Filippi, Cappe, Garivier & Szepesvari, NIPS 2010), logistic link, one-hot features.

Logistic regression theta of the reward on a constant and the levels (ridge l2), V = l2 I + sum of
x x'; play the combination with the largest sigma(x'theta) + |x|_{V^-1} (kappa / 4 sqrt(2 log(1 /
delta) + log det V - d log l2) + sqrt(l2) S), where kappa = 1 / sigma'(S |x|). All combinations are
tried while there are at most 5000; beyond that, coordinate ascent.

The regression is computed exactly, from the counts of the combinations visited, whenever the plays
have grown by the share `refit`; in between only V goes on (0: after every play). Keeps one row per
combination visited, at most 2^19 (2^16 if the horizon is unknown), and refuses problems that could
have more. An agent that is asked beyond its horizon may run out of rows; it goes on among the
combinations that it knows.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make(
    ...     "logistic", effects=[[0.0, 2.0, 0.5], [0.0, 1.5]], base=-2.0
    ... )
    >>> result = fb.simulate(
    ...     "glm_ucb", environment, horizon=2_000, repetitions=4, seed=1, progress=False
    ... )
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
from factored_bandits.core.numerics import sigmoid
from factored_bandits.core.select import argmax_per_factor, ravel
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.combinations import (
    capacity,
    check_combinations,
    empty_table,
    enter,
    find,
    full,
    table_contradiction,
    table_limits,
)
from factored_bandits.policies.blocks.gaussian import covariance_limits
from factored_bandits.policies.limits import NOT_NEGATIVE, SUM, Within, fixed, index

from ._linear import (
    covariance_contradiction,
    feature_offsets,
    main_effects,
    shrink,
)
from ._logistic_fit import fit
from ._optimism import LOGISTIC, Model, most_optimistic, most_optimistic_row

INFO = Info(
    title="GLM-UCB, logistic",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="logistic: the log-odds are a sum of one effect per factor, |effects| <= bound",
    guarantee="O(kappa d sqrt(t) log(t)) with probability 1 - delta; exact maximisation up to 5000 "
    "combinations",
    reference="Filippi, Cappe, Garivier & Szepesvari, Parametric bandits: the generalized linear "
    "case, NIPS 2010",
    cost=(5500, 2.7),
)

# the regression counts them as floats beside the ridge; a play costs a millisecond
MOST_PLAYS = 10**9


class Params(NamedTuple):
    """The confidence set and the regression.

    `delta`: the probability that the confidence set fails; `bound`: S, the length of the true
    weights at most; `l2`: ridge; `refit`: see above.
    """

    delta: float = 0.01
    bound: float = 1.0
    l2: float = 1.0
    refit: float = 0.02


class State(NamedTuple):
    """The regression, and the counts it rests on; d = 1 + levels."""

    # the regression
    offsets: Ints  # (L + 1,) first feature of each factor
    theta: Floats  # (d,)
    covariance: Floats  # (d, d) V^-1
    information: Floats  # (1,) log det V - d log l2
    learned: Ints  # (1,) plays
    fitted: Ints  # (1,) plays that theta rests on

    # the table of combinations visited, see `blocks.combinations.Table`, and their statistics
    sizes: Ints  # (L,) levels of each factor
    slots: NDArray[np.int32]  # (a power of two,) hash table
    keys: Ints  # (capacity,) the number of the combination in each row
    known: Ints  # (1,) rows entered
    levels: Ints  # (capacity, L)
    plays: Ints  # (capacity,)
    totals: Floats  # (capacity,) sums of rewards

    # scratch
    ones: Ints  # (L + 1,) the features of a combination
    work: Floats  # (d,) V^-1 x, or a Newton step
    hessian: Floats  # (d, d) of the regression
    trial: Ints  # (L,) of `most_optimistic`
    common: Floats  # (L + 1, d) of `most_optimistic`

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {
            **table_limits(self),
            "offsets": fixed(self.offsets),
            "theta": SUM,
            "covariance": covariance_limits(self.covariance),
            "information": NOT_NEGATIVE,
            "learned": Within(0, MOST_PLAYS),
            "fitted": Within(0, MOST_PLAYS),
            "levels": index(self.sizes),
            "plays": Within(0, MOST_PLAYS),
            "totals": Within(0.0, MOST_PLAYS),
            "ones": index(len(self.theta)),
            "trial": index(self.sizes),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """A covariance is positive, and the table leads to the combinations in it."""
        known = self.levels[: self.known[0]]
        if any(ravel(self.sizes, row) != key for row, key in zip(known, self.keys, strict=False)):
            return "levels are not those of the combinations in keys"
        if (self.totals > self.plays).any() or self.plays[self.known[0] :].any():
            return "totals do not fit plays"
        return table_contradiction(self, planned) or covariance_contradiction(self.covariance)


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse parameters out of range, and more combinations than can be counted."""
    if not 0.0 < params.delta < 1.0 or params.bound < 0.0 or params.l2 <= 0.0 or params.refit < 0.0:
        raise InvalidInputError(
            "glm_ucb: delta must lie in (0, 1), bound and refit must be at least 0 and l2 "
            f"positive, not {params.delta}, {params.bound}, {params.refit} and {params.l2}"
        )

    check_combinations("glm_ucb", sizes)
    combinations = math.prod(np.asarray(sizes).tolist())
    rows = capacity(sizes, horizon)

    if rows < min(combinations, horizon or combinations):
        unknown = "" if horizon else " if the horizon is unknown"
        raise InvalidInputError(
            f"glm_ucb keeps counts of at most {rows:,} combinations{unknown}; this problem has "
            f"{combinations:,}. Use a policy without such counts, such as 'logistic_thompson'"
        )


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known: V is the ridge."""
    offsets = feature_offsets(sizes)
    d = int(offsets[-1])
    factors = len(sizes)
    table = empty_table(sizes, horizon)
    rows = len(table.keys)

    return State(
        offsets=offsets,
        theta=np.zeros(d),
        covariance=np.eye(d) / params.l2,
        information=np.zeros(1),
        learned=np.zeros(1, dtype=np.int64),
        fitted=np.zeros(1, dtype=np.int64),
        sizes=table.sizes,
        slots=table.slots,
        keys=table.keys,
        known=table.known,
        levels=np.zeros((rows, factors), dtype=np.int64),
        plays=np.zeros(rows, dtype=np.int64),
        totals=np.zeros(rows),
        ones=np.zeros(1 + factors, dtype=np.int64),
        work=np.zeros(d),
        hessian=np.zeros((d, d)),
        trial=np.zeros(factors, dtype=np.int64),
        common=np.zeros((1 + factors, d)),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The combination with the largest upper bound."""
    # Filippi et al., Algorithm 1: estimate theta ...
    if state.learned[0] > (1.0 + params.refit) * state.fitted[0]:
        state.fitted[0] = state.learned[0]
        fit(state, params.l2, state.theta, state.work)

    # ... and play the arg max of mu(x'theta) + rho(t) |x|_{V^-1}
    width = radius(params, state, len(state.trial))
    model = Model(state.offsets, state.theta, state.covariance, width, LOGISTIC)
    most_optimistic(model, rng, state.common, state.trial, actions[0])
    count(state, model, rng, actions[0])
    return 1


@kernel
def count(state: State, model: Model, rng: np.random.Generator, action: Ints) -> None:
    """Enter the combination, or change it to the best of those entered if there is no room.

    It is entered here, not when its reward comes: other plays may be planned in between.
    """
    key = ravel(state.sizes, action)
    if find(state, key) < 0 and full(state):
        best = most_optimistic_row(model, rng, state.levels, state.known[0])
        for l in range(len(action)):
            action[l] = state.levels[best, l]
        return

    row = enter(state, key)
    for l in range(len(action)):
        state.levels[row, l] = action[l]


@kernel
def radius(params: Params, state: State, factors: int) -> float:
    """What |x| is multiplied by, rho(t) of their Algorithm 1."""
    # Proposition 1: (k_mu / c_mu) times a self-normalised deviation; for the logistic link k_mu is
    # 1/4 and 1 / c_mu is kappa. The deviation is the sharper one of Abbasi-Yadkori et al. (2011),
    # Theorem 1.
    p = sigmoid(params.bound * math.sqrt(1.0 + factors))
    kappa = 1.0 / (p * (1.0 - p))
    deviation = math.sqrt(state.information[0] - 2.0 * math.log(params.delta))
    return 0.25 * kappa * deviation + math.sqrt(params.l2) * params.bound


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Counts and V; unbounded rewards are clipped onto [0, 1]."""
    row = find(state, ravel(state.sizes, actions[0]))
    state.plays[row] += 1
    state.totals[row] += min(max(rewards[0], 0.0), 1.0)
    state.learned[0] += 1

    # V <- V + x x', whose determinant grows by the factor 1 + x'V^-1 x
    main_effects(state.offsets, actions[0], state.ones)
    form = shrink(state.covariance, state.ones, 1.0, state.work)
    state.information[0] += math.log1p(form)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the best level under theta."""
    argmax_per_factor(state.theta, state.offsets, action)
