"""LB-INF-V per factor (Ito, Tsuchiya & Honda 2022): best of both worlds, adapts to the variance.

Each factor has a learner of its own (FTRL with a log barrier and the complement of the entropy)
that sees the reward of the whole combination.

What is proven, for one learner that knows the horizon T and has gamma = log T: regret of the order
of the sum over levels of (variance / gap + 1) log T if losses are drawn independently from one
distribution per level, and sqrt(K T log T) against any adversary. Neither covers what is played
here. Without a horizon gamma is log(1 + t). And beside other learners losses are not drawn from one
distribution: where every factor has a level that is best whatever the others do (uniform
identifiability), the others move the losses of all levels up and down and the best one keeps its
lead, a stochastically constrained adversary. Logarithmic regret is then what proofs by
self-bounding give for such learners, and what is measured (docs/explanation/certificates.md).

Learners that predict losses well, as in problems with low click rates, pay little. It never locks
in: every probability stays positive. `prediction`: of a level's loss, by `least_squares` its mean
so far, by `gradient` a moving average.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("trap")
    >>> result = fb.simulate(
    ...     "lb_inf", environment, horizon=20_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.regret[:, -1].max() < 500)
    True
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, offsets_of, split
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import argmax_per_factor, categorical
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.lb_inf import (
    LB_INF_LIMITS,
    PROBABILITY,
    lb_inf_feed,
    lb_inf_table,
    lb_inf_weights,
)
from factored_bandits.policies.blocks.propensities import (
    no_propensities,
    recall,
    remember,
    remembered_limits,
)
from factored_bandits.policies.blocks.propensity_bets import (
    await_reward,
    bet,
    bet_limits,
    new_bets,
    new_drawn,
    new_queue,
)
from factored_bandits.policies.blocks.wealth import wealth_contradiction, wealth_p_values
from factored_bandits.policies.limits import Within, fixed

INFO = Info(
    title="LB-INF-V, one learner per factor",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="uniform identifiability (each factor then faces a stochastically constrained "
    "adversary)",
    guarantee="none proven with gamma = log(1 + t) and one learner per factor, as here; with gamma "
    "= log T: O(sum of (variance / gap + 1) log T) for one learner and independent losses, "
    "O(sqrt(K T log T)) per factor against an adversary",
    reference="Ito, Tsuchiya & Honda, Adversarially Robust Multi-Armed Bandit Algorithm with "
    "Variance-Dependent Regret Bounds, COLT 2022; per factor as in Zimmert & Seldin 2018",
    style=("green", "solid"),
    cost=(2300, 1.4),
    slowdown=(250,),
)


class Params(NamedTuple):
    """How the next loss of a level is predicted."""

    prediction: Literal["least_squares", "gradient"] = "least_squares"


class State(NamedTuple):
    """Learners side by side, one per factor."""

    offsets: Ints  # (L + 1,) first level of each factor
    table: Floats  # (ROWS, levels) the rows of blocks/lb_inf
    solutions: Floats  # (L,) of each learner's equation at the last plan, to start from
    remembered: Floats  # (plays, 1 + L) propensities of the last plays
    bets: Floats  # (6, levels) the rows of blocks/wealth and blocks/propensity_bets
    queue: Ints  # (2,) the oldest row of `drawn`, and how many are in use
    drawn: Floats  # rows of 1 + levels: a round that waits for its reward, its probabilities

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {
            "offsets": fixed(self.offsets),
            "table": LB_INF_LIMITS,
            "remembered": remembered_limits(self.remembered),
            **bet_limits(int(self.offsets[-1])),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """A wealth above its peak."""
        return wealth_contradiction(self.bets)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    levels = int(sum(sizes))
    return State(
        offsets=offsets_of(sizes),
        table=lb_inf_table([int(size) for size in sizes]),
        solutions=np.zeros(len(sizes)),
        remembered=no_propensities(len(sizes)),
        bets=new_bets(levels),
        queue=new_queue(),
        drawn=new_drawn(levels),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """One play, each factor by its own probabilities."""
    offsets = state.offsets
    table = state.table
    gamma = math.log(1.0 + t)

    for l in range(len(offsets) - 1):
        size = offsets[l + 1] - offsets[l]
        # p_t = argmin <C + m_t, p> + sum beta_i phi(p_i) over the simplex
        state.solutions[l] = lb_inf_weights(table, offsets[l], size, gamma, state.solutions[l])

        actions[0, l] = categorical(rng, table[PROBABILITY], offsets[l], size)
        remember(state.remembered, t, l, table[PROBABILITY, offsets[l] + actions[0, l]])

    await_reward(state.queue, state.drawn, t, table[PROBABILITY])
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Every learner gets the loss 1 - reward."""
    offsets = state.offsets
    table = state.table
    gamma = math.log(1.0 + t)
    loss = 1.0 - rewards[0]

    for l in range(len(offsets) - 1):
        arm = actions[0, l]
        played = offsets[l] + arm
        table[PROBABILITY, played] = recall(state.remembered, t, l, table[PROBABILITY, played])

        size = offsets[l + 1] - offsets[l]
        lb_inf_feed(table, offsets[l], size, arm, loss, gamma, params.prediction)

    bet(state.bets, state.queue, state.drawn, offsets, t, actions[0], rewards[0])


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the likeliest level."""
    argmax_per_factor(state.table[PROBABILITY], state.offsets, action)


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """The probabilities from which each factor was drawn."""
    return split(state.table[PROBABILITY], state.offsets)


def p_values(params: Params, state: State) -> list[Floats]:
    """Per factor and level an anytime-valid p-value of its being the best, by propensity."""
    return wealth_p_values(state.bets, state.offsets)
