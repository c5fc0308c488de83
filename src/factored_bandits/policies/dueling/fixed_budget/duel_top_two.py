"""Top-two duels: two draws of a Bradley-Terry posterior meet, and the leader is then certified.

Every arm has a utility; the log-odds of winning are the difference of two utilities. Their
posterior is kept as a Gaussian, one step of Laplace's approximation per verdict. The best arms of
two draws duel, never an arm with itself. Once the leader is the best with posterior probability
1 - delta, three of four duels are of the leader with the arms that are not yet ruled out, in turn.

Bets with stakes from the model's predictions rule arms out (`_bets`): anytime-valid p-values of
"this arm beats every other", whatever the model is worth. The model decides how soon, never
whether it is right. What is found is the Condorcet winner.

With L factors a side is a whole combination, its utility the sum of those of its levels; every
factor learns from each verdict, and every second duel certifies. The levels of the two sides are
exchanged at random, factor by factor, without which p-values per factor would not be valid
(docs/explanation/fixed-budget.md).

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.8)
    >>> options = {"repetitions": 4, "seed": 1, "progress": False}
    >>> result = fb.simulate("duel_top_two", environment, 400, **options)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints, split
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import sigmoid
from factored_bandits.core.select import argmax_per_factor
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Info, LevelReport
from factored_bandits.policies.blocks.duels import check_positive, check_size
from factored_bandits.policies.blocks.gaussian import shrink_root

from ._bets import bet_on_sides, gap_of
from ._choice import certifying, leaders_and_rivals, seat, top_two
from ._state import ASKED, LEARNED, SURE, Params, State, new_state

__all__ = [
    "INFO",
    "Params",
    "State",
    "active_sets",
    "check",
    "init",
    "learn",
    "log_wealth",
    "p_values",
    "plan",
    "posterior_error",
    "recommend",
    "status",
]

# after how many verdicts the posterior probability of error is computed anew
EVERY = 5
LEAST_CURVATURE = 1e-6

INFO = Info(
    title="Top-two duels with a certificate",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Condorcet winner; quick where utilities explain who wins (Bradley-Terry)",
    guarantee=(
        "the best arm's p-value ever falls to alpha with probability at most alpha, anytime; "
        "how soon the best is found is measured, not proved"
    ),
    reference=(
        "docs/explanation/fixed-budget.md; top-two Thompson sampling is Russo's (Simple Bayesian "
        "Algorithms for Best-Arm Identification, 2020)"
    ),
    self_duel="tie",
    combinations=True,
    drops=True,
    style=("sky", "short"),
    cost=(1100, 1.7),
)


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse parameters out of range, and more levels than a covariance is kept of."""
    if not 0.0 < params.delta < 1.0:
        raise InvalidInputError(
            f"duel_top_two: delta must lie between 0 and 1, not {params.delta!r}: it is the "
            "probability of error at which an arm is ruled out"
        )
    check_positive("duel_top_two", variance=params.variance)
    check_size("duel_top_two", int(np.sum(sizes)) // 2, matrices=1)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """The prior; both sides have the same sizes."""
    return new_state(params, sizes[: len(sizes) // 2])


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The leaders against what is not ruled out, or the best of two draws; sides at random."""
    state.clock[ASKED] += 1
    chosen = certifying(state)
    if chosen:
        chosen = leaders_and_rivals(state, rng)
    if not chosen:
        top_two(state, rng)

    seat(state, rng, actions[0])
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Bets from what was known before the verdict, then one step of Laplace's approximation."""
    reward = min(max(rewards[0], 0.0), 1.0)
    bet_on_sides(state, params.delta, actions[0], reward)
    update_posterior(state, actions[0], reward)

    state.clock[LEARNED] += 1
    if state.clock[LEARNED] % EVERY == 0:
        state.clock[SURE] = 1 if error_probability(state) <= params.delta else 0


@kernel
def update_posterior(state: State, action: Ints, reward: float) -> None:
    """One Newton step from the old mean; a duel of a combination with itself changes nothing."""
    factors = len(state.turn)
    factor = state.factor

    gap = 0.0
    for i in range(len(state.phi)):
        state.phi[i] = 0.0
    for l in range(factors):
        gap += gap_of(state, action, l)
        x = state.offsets[l] + action[l]
        y = state.offsets[l] + action[factors + l]
        if x != y:
            for i in range(len(state.phi)):
                state.phi[i] += factor[i, x] - factor[i, y]

    # log-odds of the first side; the curvature of the log-likelihood is p (1 - p)
    p = sigmoid(gap)
    curvature = max(p * (1.0 - p), LEAST_CURVATURE)
    form = shrink_root(factor, state.phi, curvature, state.work)

    rate = (reward - p) / (1.0 + curvature * form)
    for k in range(len(state.mean)):
        state.mean[k] += rate * state.work[k]


@kernel
def error_probability(state: State) -> float:
    """At most the posterior probability that some leader is not the best of its factor."""
    argmax_per_factor(state.mean, state.offsets, state.lead)
    total = 0.0

    for l in range(len(state.lead)):
        lead = state.offsets[l] + state.lead[l]

        # work[k] = the variance of the difference of k and the leader, row by row
        for k in range(state.offsets[l], state.offsets[l + 1]):
            state.work[k] = 0.0
        for i in range(len(state.mean)):
            for k in range(state.offsets[l], state.offsets[l + 1]):
                difference = state.factor[i, lead] - state.factor[i, k]
                state.work[k] += difference * difference

        for k in range(state.offsets[l], state.offsets[l + 1]):
            if k != lead:
                gap = state.mean[lead] - state.mean[k]
                # the normal distribution function at -gap / standard deviation
                total += 0.5 * math.erfc(gap / math.sqrt(2.0 * state.work[k]))

    return total


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The leaders, on both sides."""
    factors = len(state.turn)
    for l in range(factors):
        best = state.offsets[l]
        for k in range(state.offsets[l], state.offsets[l + 1]):
            if state.mean[k] > state.mean[best]:
                best = k
        action[l] = best - state.offsets[l]
        action[factors + l] = action[l]


@kernel
def active_sets(params: Params, state: State) -> tuple[Bools, int]:
    """The levels that are not ruled out, all together with probability of error delta."""
    return state.active, state.changes[0]


def status(params: Params, state: State, t: int) -> list[list[LevelReport]]:
    """Per level: ruled out or not, and by how much the leader is expected to win against it."""
    reports = []
    for start, stop in itertools.pairwise(state.offsets):
        best = state.mean[start:stop].max()
        rows = []
        for k in range(start, stop):
            gap = sigmoid(float(best - state.mean[k])) - 0.5
            # betting decides whether a level is behind, and bounds no distance
            lower = 0.0 if gap == 0.0 else math.nan
            rows.append(LevelReport(bool(state.active[k]), gap, lower, None))
        reports.append(rows)
    return reports


def p_values(params: Params, state: State) -> list[Floats]:
    """Per factor and level an anytime p-value of its being the best: one over the most money."""
    return split(np.exp(-state.peak), state.offsets)


def log_wealth(params: Params, state: State) -> list[Floats]:
    """Per factor and level the log of the money that was won by betting against it."""
    return split(state.wealth, state.offsets)


def posterior_error(params: Params, state: State) -> float:
    """At most the posterior probability that some leader is not the best: a belief, no proof."""
    scratch = state._replace(lead=state.lead.copy(), work=state.work.copy())
    return min(1.0, float(error_probability(scratch)))
