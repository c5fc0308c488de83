"""Sparring (Ailon, Karnin & Joachims, ICML 2014): two bandits, one for each place of the duel, play
each other.

Each machine chooses the arm for its place and learns whether that arm has won, and nothing else.
What one machine sees depends on how the other plays, so with UCB machines it is a heuristic, though
a good one; with Tsallis-INF machines, which bear an adversary, its regret is bounded too. Duels of
an arm with itself are learned like all others.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(4, 0.9)
    >>> result = fb.simulate("sparring", environment, horizon=10_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Code, Info
from factored_bandits.policies.blocks.base_bandits import (
    LOSSES,
    PLAYS,
    PROBABILITIES,
    count,
    exp3_pick,
    thompson_pick,
    tsallis_pick,
    ucb_feed,
    ucb_pick,
    ucb_tables,
)
from factored_bandits.policies.blocks.duels import check_positive
from factored_bandits.policies.blocks.propensities import no_propensities, recall, remember
from factored_bandits.policies.blocks.tsallis import (
    IMPORTANCE,
    REDUCED_VARIANCE,
    learning_rate,
    tsallis_feed,
)

UCB: Code = 0  # Params.machine
THOMPSON: Code = 1
EXP3: Code = 2
TSALLIS_INF: Code = 3

INFO = Info(
    title="Sparring",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="utility; with Tsallis-INF machines, a Condorcet winner",
    guarantee="none proved for UCB, Thompson and Exp3; O(sum over arms of log(t) / gap) with Tsallis-INF, anytime",
    reference="Ailon, Karnin & Joachims, Reducing Dueling Bandits to Cardinal Bandits, ICML 2014, Algorithm 4",
    style=("green", "long"),
    cost=(180, 0.7),
    slowdown=(15, 90),
)


class Params(NamedTuple):
    """The machine of both places; `alpha` under the root of UCB's bound, sqrt(alpha ln n / plays)."""

    base_bandit: Literal["ucb", "thompson", "exp3", "tsallis_inf"] = "ucb"
    alpha: float = 2.5


class State(NamedTuple):
    """Two machines."""

    tables: Floats  # (2, 4, K) the machines of the first and the second place, see _machines
    pulls: Floats  # (1,) duels learned
    guesses: Floats  # (2,) of Tsallis-INF: where its equation was solved last
    remembered: Floats  # (duels, 3) the chances of both arms of the last duels, see _promises


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    check_positive("sparring", alpha=params.alpha)
    tables = ucb_tables(2, int(sizes[0]))
    if params.base_bandit != UCB:
        tables[:, LOSSES] = 0.0
    return State(tables, np.zeros(1), np.zeros(2), no_propensities(2))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Each machine picks the arm of its place."""
    for place in range(2):
        actions[0, place] = pick(params, state, place, rng)
    if params.base_bandit >= EXP3:
        for place in range(2):
            remember(
                state.remembered, t, place, state.tables[place, PROBABILITIES, actions[0, place]]
            )

    return 1


@kernel
def pick(params: Params, state: State, place: int, rng: np.random.Generator) -> int:
    """The choice of one machine."""
    table = state.tables[place]
    pulls = state.pulls[0]
    if params.base_bandit == UCB:
        return ucb_pick(table, pulls, params.alpha, rng)
    if params.base_bandit == THOMPSON:
        return thompson_pick(table, rng)
    if params.base_bandit == EXP3:
        return exp3_pick(table, pulls, rng)
    return tsallis_pick(table, pulls, state.guesses, place, rng)


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Each machine learns whether its arm won."""
    state.pulls[0] += 1.0
    for place in range(2):
        table = state.tables[place]
        arm = actions[0, place]
        win = rewards[0] if place == 0 else 1.0 - rewards[0]
        if params.base_bandit == UCB:
            ucb_feed(table, arm, win)
        else:
            count(table, arm, win)
        if params.base_bandit >= EXP3:
            estimator = REDUCED_VARIANCE if params.base_bandit == TSALLIS_INF else IMPORTANCE
            rate = learning_rate(state.pulls[0], estimator)
            table[PROBABILITIES, arm] = recall(
                state.remembered, t, place, table[PROBABILITIES, arm]
            )
            tsallis_feed(
                table[LOSSES],
                table[PROBABILITIES],
                0,
                table.shape[1],
                arm,
                1.0 - win,
                rate,
                estimator,
            )


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The arm that was played most, both places together."""
    best = 0
    most = -1.0

    for arm in range(state.tables.shape[2]):
        plays = state.tables[0, PLAYS, arm] + state.tables[1, PLAYS, arm]
        if plays > most:
            best = arm
            most = plays

    action[0] = best
    action[1] = best
