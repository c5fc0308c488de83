"""Doubler (Ailon, Karnin & Joachims, ICML 2014): an ordinary bandit in epochs of doubling length.

In epoch e, 2^e duels long, the first arm is drawn from everything that was played second in the
epoch before; the second arm is chosen by a fresh UCB base bandit, which learns whether it won. The
opponents of an epoch have a fixed distribution, so the base bandit faces an ordinary bandit; as its
choices improve, so do the opponents of the next epoch.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(4, 0.9)
    >>> result = fb.simulate("doubler", environment, 10_000, repetitions=4, seed=1, progress=False)
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
from factored_bandits.policies.blocks.base_bandits import base_ucb_pick, ucb_reset
from factored_bandits.policies.blocks.duels import check_positive
from factored_bandits.policies.blocks.ucb import PLAYS, UCB_LIMITS, ucb_feed, ucb_table
from factored_bandits.policies.limits import COUNT, Within, slots

# slots of State.clock
EPOCH = 0  # 0 before the first
DONE = 1  # duels learned in this epoch

INFO = Info(
    title="Doubler",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="utility, linear link",
    guarantee="O(log^2(t) sum over arms of 1 / gap), anytime",
    reference=(
        "Ailon, Karnin & Joachims, Reducing Dueling Bandits to Cardinal Bandits, ICML 2014, "
        "Algorithm 1"
    ),
    self_duel="tie",
    self_duel_counts=True,
    cost=(97, 0.6),
    slowdown=(15, 90),
)


class Params(NamedTuple):
    """`alpha` under the root of the base bandit's bound, sqrt(alpha log n / plays)."""

    alpha: float = 2.5


class State(NamedTuple):
    """The base bandit of this epoch, and the opponents it meets."""

    table: Floats  # (4, K) the base bandit, see blocks.ucb
    opponents: Ints  # (K,) how often each arm is in the multiset from which opponents are drawn
    clock: Ints  # (2,) EPOCH, DONE

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        # epoch e has 2^e duels
        return {"table": UCB_LIMITS, "opponents": COUNT, "clock": slots(Within(0, 53), COUNT)}

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """Once an epoch has begun there are opponents."""
        if self.clock[EPOCH] > 0 and not self.opponents.any():
            return "there are no opponents"
        return None


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse an alpha that is not positive."""
    check_positive("doubler", alpha=params.alpha)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known, no opponent chosen."""
    arms = int(sizes[0])
    return State(
        table=ucb_table(arms),
        opponents=np.zeros(arms, dtype=np.int64),
        clock=np.zeros(2, dtype=np.int64),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Algorithm 1: x uniform from the multiset L, y the choice of the base bandit."""
    # Algorithm 1, before the first epoch: L holds one random arm
    if state.clock[EPOCH] == 0:
        state.opponents[randint(rng, len(state.opponents))] = 1
        state.clock[EPOCH] = 1

    actions[0, 0] = member(state.opponents, rng)
    actions[0, 1] = base_ucb_pick(state.table, float(state.clock[DONE]), params.alpha, rng)
    return 1


@kernel
def member(counts: Ints, rng: np.random.Generator) -> int:
    """A uniform draw from a multiset."""
    total = 0
    for arm in range(len(counts)):
        total += counts[arm]

    left = randint(rng, total)
    arm = 0
    while left >= counts[arm]:
        left -= counts[arm]
        arm += 1

    return arm


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The base bandit learns whether its arm won; after 2^e duels the next epoch begins."""
    ucb_feed(state.table, actions[0, 1], 1.0 - rewards[0])
    state.clock[DONE] += 1

    # Algorithm 1, end of an epoch: L becomes the multiset of the y's, the base bandit begins anew
    if state.clock[DONE] == 2 ** state.clock[EPOCH]:
        for arm in range(len(state.opponents)):
            state.opponents[arm] = int(state.table[PLAYS, arm])
        ucb_reset(state.table)
        state.clock[EPOCH] += 1
        state.clock[DONE] = 0


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The arm that was chosen most in this epoch and the last."""
    best = 0
    most = -1.0

    for arm in range(len(state.opponents)):
        chosen = state.opponents[arm] + state.table[PLAYS, arm]
        if chosen > most:
            best = arm
            most = chosen

    action[0] = best
    action[1] = best
