"""A fixed number of plays N, and then the best combination: logistic Thompson sampling and halving.

The first half of the plays is `logistic_thompson` with main effects. Then the combinations with the
best scores become candidates, 32 of them. The other half is played in ceil(log2 32) = 5 rounds: the
candidates in turn, and after each round the better half of them is kept, at least two. The model
goes on learning to the end. What is recommended has the best score.

A score is the record of a combination, shrunk to the prediction of the model by an amount that is
estimated from how well the two agree (`_shrunk`). Where there are no interactions the model
decides, which has seen all plays; where there are, the records do.

Candidates are looked for among the combinations that were played and the 64 that the model likes
best, so that nothing grows with the number of all combinations. Rewards that are late are missing
when a round ends; the cut is made without them. An agent that is asked beyond the horizon plays
what it recommends.

The estimate takes rewards for 0 or 1. Graded rewards spread less, and then the model decides more
than it should.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make(
    ...     "logistic", effects=[[0.0, 2.0, 0.5], [0.0, 1.5]], base=-2.0
    ... )
    >>> result = fb.simulate(
    ...     "logistic_halving", environment, horizon=2_000, repetitions=4, seed=1, progress=False
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
from factored_bandits.core.select import argmax_per_factor, ravel, unravel
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.combinations import (
    check_combinations,
    empty_table,
    enter,
    find,
    table_contradiction,
    table_limits,
)
from factored_bandits.policies.blocks.gaussian import covariance_limits, draw
from factored_bandits.policies.limits import COUNT, SUM, Within, fixed, index

from ._best_of_fit import best_of_fit, insert
from ._laplace import check_weights, laplace_step
from ._linear import feature_offsets, main_effects
from ._shrunk import score, worth_of_fit

INFO = Info(
    title="Logistic Thompson sampling, then halving",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="rewards 0 or 1; best if the log-odds are nearly a sum of one effect per factor",
    guarantee="none proven; for finding the best within a fixed number of plays, not for regret",
    reference="Karnin, Koren & Somekh, Almost optimal exploration in multi-armed bandits, ICML "
    "2013 (halving); Chapelle & Li, NIPS 2011; the combination of both is of this library",
    needs_horizon=True,
    cost=(1200, 1.8),
)
MOST_CANDIDATES = 1024


class Params(NamedTuple):
    """The prior of the model, and how many combinations are left after half of the plays.

    `variance` of each weight before anything is known; `candidates`: a power of two wastes nothing.
    """

    variance: float = 1.0
    candidates: int = 32


class State(NamedTuple):
    """The model, the record of each combination played, and the candidates; d = 1 + levels."""

    # the posterior
    offsets: Ints  # (L + 1,) first feature of each factor
    mean: Floats  # (d,)
    factor: Floats  # (d, d) F with F'F = P

    # the table of combinations visited, see `blocks.combinations.Table`, and their records
    sizes: Ints  # (L,) levels of each factor
    slots: NDArray[np.int32]  # (a power of two,) hash table
    keys: Ints  # (capacity,) the number of the combination in each row
    known: Ints  # (1,) rows entered
    room: Ints  # (1,) rows for combinations that are no candidates
    plays: Ints  # (capacity,)
    totals: Floats  # (capacity,) sums of rewards

    # the halving
    horizon: Ints  # (1,) N
    cut: Ints  # (1,) the round before which the next cut is made
    stages: Ints  # (1,) rounds of the halving that are left, this one included
    candidates: Ints  # (M,) numbers of combinations, best first
    scores: Floats  # (M,) of the candidates at the last cut
    left: Ints  # (1,) candidates that are left; 0 before the first cut
    turn: Ints  # (1,) the candidate to play next

    # scratch
    ones: Ints  # (L + 1,) the features of a combination
    trial: Ints  # (L,) its levels
    weights: Floats  # (d,) drawn
    work: Floats  # (d,) P x
    phi: Floats  # (d,) F x
    fit_values: Floats  # (2, 2 M) see `best_of_fit`
    fit_numbers: Ints  # (2, 2 M)
    fit_count: Ints  # (2, 1)

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        combination = index(math.prod(self.sizes.tolist()))
        return {
            **table_limits(self),
            "offsets": fixed(self.offsets),
            "mean": SUM,
            "factor": covariance_limits(self.factor),
            "room": fixed(self.room),
            "plays": COUNT,
            "totals": COUNT._replace(step=0.0),
            "horizon": fixed(self.horizon),
            "cut": Within(1, self.horizon[0] + 1),
            "stages": Within(0, MOST_CANDIDATES),
            "candidates": combination,
            "scores": Within(0.0, 1.0),
            "left": Within(0, len(self.candidates)),
            "turn": index(len(self.candidates)),
            "ones": index(len(self.mean)),
            "trial": index(self.sizes),
            "fit_numbers": combination,
            "fit_count": Within(0, self.fit_numbers.shape[1]),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """The table leads to the combinations in it, and it is the turn of one that is left."""
        if (self.totals > self.plays).any() or self.plays[self.known[0] :].any():
            return "totals do not fit plays"
        if self.turn[0] >= max(1, self.left[0]):
            return "turn is not that of a candidate that is left"
        return table_contradiction(self, planned[:0])  # entered when learned, not when planned


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse parameters out of range, and problems that are too large."""
    if params.variance <= 0.0 or not 2 <= params.candidates <= MOST_CANDIDATES:
        raise InvalidInputError(
            "logistic_halving: variance must be positive and candidates from 2 to "
            f"{MOST_CANDIDATES}, not {params.variance} and {params.candidates}"
        )

    check_combinations("logistic_halving", sizes)
    check_weights("logistic_halving", int(feature_offsets(sizes)[-1]))


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """The prior, and half of the plays before the first cut."""
    offsets = feature_offsets(sizes)
    d = int(offsets[-1])
    factors = len(sizes)
    most = params.candidates

    # no table holds more plays than there are; candidates always find a row
    table = empty_table(sizes, horizon + most)
    rows = len(table.keys)
    combinations = math.prod(np.asarray(sizes).tolist())

    return State(
        offsets=offsets,
        mean=np.zeros(d),
        factor=np.eye(d) * math.sqrt(params.variance),
        sizes=table.sizes,
        slots=table.slots,
        keys=table.keys,
        known=table.known,
        room=np.array([rows if rows >= combinations else rows - most]),
        plays=np.zeros(rows, dtype=np.int64),
        totals=np.zeros(rows),
        horizon=np.array([horizon]),
        cut=np.array([horizon // 2 + 1]),
        stages=np.zeros(1, dtype=np.int64),
        candidates=np.zeros(most, dtype=np.int64),
        scores=np.zeros(most),
        left=np.zeros(1, dtype=np.int64),
        turn=np.zeros(1, dtype=np.int64),
        ones=np.zeros(1 + factors, dtype=np.int64),
        trial=np.zeros(factors, dtype=np.int64),
        weights=np.zeros(d),
        work=np.zeros(d),
        phi=np.zeros(d),
        fit_values=np.zeros((2, 2 * most)),
        fit_numbers=np.zeros((2, 2 * most), dtype=np.int64),
        fit_count=np.zeros((2, 1), dtype=np.int64),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The best combination under drawn weights, or the candidate whose turn it is."""
    if state.left[0] == 0 and t >= state.cut[0]:
        choose_candidates(state, t, rng)
    while state.stages[0] > 0 and t >= state.cut[0]:
        halve(state, t)

    if state.left[0] == 0:
        draw(state.mean, state.factor, 1.0, rng, state.weights)
        argmax_per_factor(state.weights, state.offsets, actions[0])
        return 1

    unravel(state.sizes, state.candidates[state.turn[0]], actions[0])
    state.turn[0] = (state.turn[0] + 1) % state.left[0]
    return 1


@kernel
def choose_candidates(state: State, t: int, rng: np.random.Generator) -> None:
    """The combinations with the best scores, of those played and the best of the fit."""
    worth = worth_of_fit(state)
    for row in range(state.known[0]):
        key = state.keys[row]
        insert(state.scores, state.candidates, state.left, score(state, key, worth), key)

    best = best_of_fit(
        state.offsets, state.mean, rng, state.fit_values, state.fit_numbers, state.fit_count
    )
    for at in range(state.fit_count[best, 0]):
        key = state.fit_numbers[best, at]
        if find(state, key) < 0:
            insert(state.scores, state.candidates, state.left, score(state, key, worth), key)

    # their plays are to be counted, also where the table has no room for others
    for at in range(state.left[0]):
        enter(state, state.candidates[at])

    # Karnin et al., Algorithm 1: ceil(log2 n) rounds
    number = state.left[0]
    while number > 1:
        number = (number + 1) // 2
        state.stages[0] += 1
    set_cut(state, t)


@kernel
def halve(state: State, t: int) -> None:
    """The end of a round: sort the candidates by their scores and keep the better half."""
    worth = worth_of_fit(state)
    number = state.left[0]
    state.left[0] = 0
    for at in range(number):
        # the list grows into what has been read
        key = state.candidates[at]
        insert(state.scores, state.candidates, state.left, score(state, key, worth), key)

    state.stages[0] -= 1
    if state.stages[0] == 0:
        state.left[0] = 1  # beyond the horizon
    else:
        state.left[0] = min(number, max(2, (number + 1) // 2))
    set_cut(state, t)


@kernel
def set_cut(state: State, t: int) -> None:
    """A round gets its share of the plays that are left; the first candidate begins."""
    plays = max(0, state.horizon[0] + 1 - t)
    state.cut[0] = min(t, state.horizon[0] + 1) + plays // max(1, state.stages[0])
    state.turn[0] = 0


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The model and the record of the combination; unbounded rewards are clipped onto [0, 1]."""
    main_effects(state.offsets, actions[0], state.ones)
    laplace_step(state.mean, state.factor, state.ones, rewards[0], state.work, state.phi)

    key = ravel(state.sizes, actions[0])
    if find(state, key) < 0 and state.known[0] >= state.room[0]:
        return
    row = enter(state, key)
    state.plays[row] += 1
    state.totals[row] += min(max(rewards[0], 0.0), 1.0)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The candidate with the best score; before there are any, the best levels of the model."""
    if state.left[0] == 0:
        argmax_per_factor(state.mean, state.offsets, action)
        return

    worth = worth_of_fit(state)
    best = state.candidates[0]
    highest = score(state, best, worth)
    for at in range(1, state.left[0]):
        key = state.candidates[at]
        reached = score(state, key, worth)
        if reached > highest:
            highest = reached
            best = key
    unravel(state.sizes, best, action)
