"""MultiSBM (Ailon, Karnin & Joachims, ICML 2014): one bandit machine per arm, each learning who
beats that arm.

The second arm of a duel stands first in the next one; there the machine that belongs to it chooses
the opponent, by UCB, and learns whether the opponent won. Good opponents take the turn more and
more often.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(4, 0.9)
    >>> result = fb.simulate("multi_sbm", environment, horizon=10_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.base_bandits import (
    ucb_feed,
    ucb_pick,
    ucb_tables,
    ucb_warm_start,
)
from factored_bandits.policies.blocks.duels import check_positive, check_size

INFO = Info(
    title="MultiSBM",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="utility, linear link",
    guarantee="O((log(t) + K log K + K log log t) sum over arms of 1 / gap), anytime",
    reference="Ailon, Karnin & Joachims, Reducing Dueling Bandits to Cardinal Bandits, ICML 2014, Algorithm 3",
    style=("green", "short"),
    cost=(94, 1.1),
    slowdown=(15, 90),
)


class Params(NamedTuple):
    """`alpha` under the root of the machines' bound, sqrt(alpha ln n / plays)."""

    alpha: float = 2.5


class State(NamedTuple):
    """A machine per arm, for the duels in which that arm stands first."""

    tables: Floats  # (K, 4, K) the machines, see _machines
    pulls: Floats  # (K,) duels that each machine has learned
    chosen: Ints  # (K,) how often each arm was chosen as an opponent
    previous: Ints  # (1,) the arm that stands first next, -1 before the first duel


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    arms = int(sizes[0])
    check_size("multi_sbm", arms, matrices=4)
    check_positive("multi_sbm", alpha=params.alpha)
    return State(
        ucb_tables(arms, arms), np.zeros(arms), np.zeros(arms, dtype=np.int64), np.full(1, -1)
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The previous second arm, and its machine's choice."""
    first = state.previous[0] if state.previous[0] >= 0 else randint(rng, len(state.pulls))
    actions[0, 0] = first
    actions[0, 1] = ucb_pick(state.tables[first], state.pulls[first], params.alpha, rng)
    state.previous[0] = actions[0, 1]
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The machine of the first arm learns whether its choice won."""
    first = actions[0, 0]
    second = actions[0, 1]
    ucb_feed(state.tables[first], second, 1.0 - rewards[0])
    state.pulls[first] += 1.0
    state.chosen[second] += 1


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The arm that was chosen most."""
    best = 0
    for arm in range(1, len(state.chosen)):
        if state.chosen[arm] > state.chosen[best]:
            best = arm
    action[0] = best
    action[1] = best


def warm_start(params: Params, state: State, wins: Floats) -> None:
    """Past duels teach the machines of both arms."""
    plays = wins + wins.T
    ucb_warm_start(state.tables, wins.T, plays)
    state.pulls[:] += plays.sum(axis=1)
    state.chosen[:] += wins.sum(axis=1).astype(np.int64)  # as if the winner had been the one chosen
