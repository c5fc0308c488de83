"""Doubler (Ailon, Karnin & Joachims, ICML 2014): duels by an ordinary bandit, in epochs of doubling
length.

In epoch e, 2^e duels long, the first arm is drawn from everything that was played second in the
epoch before; the second arm is chosen by a fresh UCB machine, which learns whether it won. The
opponents of an epoch have a fixed law, so the machine faces an ordinary bandit; as its choices
improve, so do the opponents of the next epoch.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(4, 0.9)
    >>> result = fb.simulate("doubler", environment, horizon=10_000, repetitions=4, seed=1, progress=False)
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
    PLAYS,
    ucb_feed,
    ucb_pick,
    ucb_reset,
    ucb_tables,
)
from factored_bandits.policies.blocks.duels import check_positive

EPOCH, DONE = 0, 1  # places in State.clock

INFO = Info(
    title="Doubler",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="utility, linear link",
    guarantee="O(log^2(t) sum over arms of 1 / gap), anytime",
    reference="Ailon, Karnin & Joachims, Reducing Dueling Bandits to Cardinal Bandits, ICML 2014, Algorithm 1",
    cost=(97, 0.6),
    slowdown=(15, 90),
)


class Params(NamedTuple):
    """`alpha` under the root of the machine's bound, sqrt(alpha ln n / plays)."""

    alpha: float = 2.5


class State(NamedTuple):
    """The machine of this epoch, and the opponents it meets."""

    table: Floats  # (4, K) the machine, see _machines
    context: Ints  # (K,) how often each arm is in the multiset from which opponents are drawn
    clock: Ints  # (2,) the epoch, 0 before the first; duels learned in it


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known, no opponent chosen."""
    check_positive("doubler", alpha=params.alpha)
    arms = int(sizes[0])
    return State(
        ucb_tables(1, arms)[0].copy(), np.zeros(arms, dtype=np.int64), np.zeros(2, dtype=np.int64)
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """An opponent from the multiset (at first one random arm), and the machine's choice."""
    if state.clock[EPOCH] == 0:
        state.context[randint(rng, len(state.context))] = 1
        state.clock[EPOCH] = 1
    actions[0, 0] = member(state.context, rng)
    actions[0, 1] = ucb_pick(state.table, float(state.clock[DONE]), params.alpha, rng)
    return 1


@kernel
def member(context: Ints, rng: np.random.Generator) -> int:
    """A uniform draw from the multiset."""
    total = 0
    for arm in range(len(context)):
        total += context[arm]
    place = randint(rng, total)
    arm = 0

    while place >= context[arm]:
        place -= context[arm]
        arm += 1

    return arm


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The machine learns whether its arm won; at the end of an epoch its choices become the
    opponents.
    """
    ucb_feed(state.table, actions[0, 1], 1.0 - rewards[0])
    state.clock[DONE] += 1

    if state.clock[DONE] == 2 ** state.clock[EPOCH]:
        for arm in range(len(state.context)):
            state.context[arm] = int(state.table[PLAYS, arm])
        ucb_reset(state.table)
        state.clock[EPOCH] += 1
        state.clock[DONE] = 0


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The arm that was chosen most in this epoch and the last."""
    best = 0
    most = -1.0

    for arm in range(len(state.context)):
        chosen = state.context[arm] + state.table[PLAYS, arm]
        if chosen > most:
            best = arm
            most = chosen

    action[0] = best
    action[1] = best
