"""MultiSBM (Ailon, Karnin & Joachims, ICML 2014): one base bandit per arm learns who beats it.

The second arm of a duel stands first in the next one; there the base bandit that belongs to it
chooses the opponent, by UCB, and learns whether the opponent won. Good opponents take the turn more
and more often.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(4, 0.9)
    >>> policy = "multi_sbm"
    >>> result = fb.simulate(policy, environment, 10_000, repetitions=4, seed=1, progress=False)
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
    base_ucb_pick,
    ucb_tables,
    ucb_warm_start,
)
from factored_bandits.policies.blocks.duels import check_positive, check_size
from factored_bandits.policies.blocks.ucb import UCB_LIMITS, ucb_feed
from factored_bandits.policies.limits import COUNT, Within, index

NOBODY = -1

INFO = Info(
    title="MultiSBM",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="utility, linear link",
    guarantee="O((log(t) + K log K + K log log t) sum over arms of 1 / gap), anytime",
    reference=(
        "Ailon, Karnin & Joachims, Reducing Dueling Bandits to Cardinal Bandits, ICML 2014, "
        "Algorithm 3"
    ),
    self_duel="tie",
    self_duel_counts=True,
    style=("green", "short"),
    cost=(94, 1.1),
    slowdown=(15, 90),
)


class Params(NamedTuple):
    """`alpha` under the root of the base bandits' bound, sqrt(alpha log n / plays)."""

    alpha: float = 2.5


class State(NamedTuple):
    """A base bandit per arm, for the duels in which that arm stands first."""

    tables: Floats  # (K, 4, K) the base bandits, see blocks.ucb
    pulls: Floats  # (K,) duels that each base bandit has learned
    chosen: Ints  # (K,) how often each arm was chosen as an opponent
    previous: Ints  # (1,) the arm that stands first next, NOBODY before the first duel

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        arms = len(self.pulls)
        return {
            "tables": UCB_LIMITS,
            "pulls": COUNT,
            "chosen": COUNT,
            "previous": index(arms, nobody=True),
        }


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse an alpha that is not positive, and more pairs than fit in memory."""
    check_size("multi_sbm", int(sizes[0]), matrices=4)
    check_positive("multi_sbm", alpha=params.alpha)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    arms = int(sizes[0])
    return State(
        tables=ucb_tables(arms, arms),
        pulls=np.zeros(arms),
        chosen=np.zeros(arms, dtype=np.int64),
        previous=np.full(1, NOBODY),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Algorithm 3: x is the previous y (at first a random arm), y the choice of x's base bandit."""
    first = state.previous[0]
    if first == NOBODY:
        first = randint(rng, len(state.pulls))

    second = base_ucb_pick(state.tables[first], state.pulls[first], params.alpha, rng)
    actions[0, 0] = first
    actions[0, 1] = second
    state.previous[0] = second
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Algorithm 3: the base bandit of the first arm learns whether its choice won."""
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
    """Past duels teach the base bandits of both arms."""
    plays = wins + wins.T
    ucb_warm_start(state.tables, wins.T, plays)
    state.pulls[:] += plays.sum(axis=1)
    # as if the winner had been the one chosen
    state.chosen[:] += wins.sum(axis=1).astype(np.int64)
