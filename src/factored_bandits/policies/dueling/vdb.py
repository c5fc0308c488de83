"""Versatile dueling bandits (Saha & Gaillard, ICML 2022): one adversarial learner for both arms.

Both arms of a duel are drawn independently with the probabilities of one learner, which learns from
both of them. It is best of both worlds: logarithmic regret where a fixed arm beats all others, and
sqrt(K T) where preferences change at will. It costs O(K) per duel and no memory per pair, so it
takes thousands of arms.

`tsallis_inf` (Zimmert & Seldin 2019) adds half of the reduced-variance estimate of each arm, at
rate 4 / sqrt(t). `lb_inf` (Ito, Tsuchiya & Honda 2022), whose rate adapts to the variance, counts a
duel as two of its rounds.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(4, 0.9)
    >>> result = fb.simulate("vdb", environment, 5_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import categorical
from factored_bandits.policies.base import Code, Info
from factored_bandits.policies.blocks.duel_bets import bet_on_duel
from factored_bandits.policies.blocks.lb_inf import (
    ESTIMATE,
    LB_INF_LIMITS,
    LEAST_SQUARES,
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
from factored_bandits.policies.blocks.tsallis import (
    REDUCED_VARIANCE,
    learning_rate,
    tsallis_feed,
    tsallis_weights,
)
from factored_bandits.policies.blocks.wealth import (
    WEALTH_LIMITS,
    new_wealth,
    wealth_contradiction,
    wealth_p_values,
)
from factored_bandits.policies.limits import Within
from factored_bandits.policies.limits import rows as limit_rows

TSALLIS_INF: Code = 0  # Params.learner

INFO = Info(
    title="Versatile dueling bandits",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Condorcet winner; nothing for sqrt(K t)",
    guarantee="O(sum over arms of log(t) / gap), and O(sqrt(K t)) against an adversary, anytime",
    reference="Saha & Gaillard, Versatile Dueling Bandits: Best-of-both World Analyses, ICML 2022",
    self_duel="tie",
    style=("black", "dashdotdot"),
    cost=(250, 0.7),
    slowdown=(15, 70),
)


class Params(NamedTuple):
    """The learner that draws both arms."""

    learner: Literal["tsallis_inf", "lb_inf"] = "tsallis_inf"


class State(NamedTuple):
    """One learner."""

    # (rows, K) see blocks.lb_inf; of Tsallis-INF twice its estimates in ESTIMATE, and PROBABILITY
    table: Floats
    solution: (
        Floats  # (1,) of the learner's equation in the last round: Newton's method begins here
    )
    remembered: Floats  # (duels, 3) propensities of both arms of the last duels
    bets: Floats  # (4, K) the rows of blocks/wealth

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {
            "table": LB_INF_LIMITS,
            "remembered": remembered_limits(self.remembered),
            "bets": limit_rows(*WEALTH_LIMITS),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """A wealth above its peak."""
        return wealth_contradiction(self.bets)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return State(
        table=lb_inf_table([int(sizes[0])]),
        solution=np.zeros(1),
        remembered=no_propensities(2),
        bets=new_wealth(int(sizes[0])),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Two independent draws with the same probabilities, as in the paper's reduction."""
    table = state.table
    arms = table.shape[1]
    start = state.solution[0]

    if params.learner == TSALLIS_INF:
        # half the rate, because the estimates are kept twice
        rate = 0.5 * learning_rate(float(t), REDUCED_VARIANCE)
        state.solution[0] = tsallis_weights(
            table[ESTIMATE], table[PROBABILITY], 0, arms, rate, start
        )
    else:
        # a duel counts as two rounds of the learner
        state.solution[0] = lb_inf_weights(table, 0, arms, math.log(2.0 * t), start)

    for position in range(2):
        arm = categorical(rng, table[PROBABILITY], 0, arms)
        remember(state.remembered, t, position, table[PROBABILITY, arm])
        actions[0, position] = arm

    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The learner hears of both arms; its loss is 1 for the arm that lost."""
    table = state.table
    arms = table.shape[1]

    for position in range(2):
        arm = actions[0, position]
        loss = 1.0 - rewards[0] if position == 0 else rewards[0]

        # the propensity at the time of the draw, however late the outcome is
        table[PROBABILITY, arm] = recall(state.remembered, t, position, table[PROBABILITY, arm])

        if params.learner == TSALLIS_INF:
            rate = learning_rate(float(t), REDUCED_VARIANCE)
            tsallis_feed(
                table[ESTIMATE], table[PROBABILITY], 0, arms, arm, loss, rate, REDUCED_VARIANCE
            )
        else:
            lb_inf_feed(table, 0, arms, arm, loss, math.log(2.0 * t), LEAST_SQUARES)

    bet_on_duel(state.bets, actions[0, 0], actions[0, 1], rewards[0])


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The arm with the largest probability."""
    best = 0
    for arm in range(1, state.table.shape[1]):
        if state.table[PROBABILITY, arm] > state.table[PROBABILITY, best]:
            best = arm
    action[0] = best
    action[1] = best


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """The learner's probabilities, in both positions."""
    return [state.table[PROBABILITY].copy()] * 2


def p_values(params: Params, state: State) -> list[Floats]:
    """Per arm an anytime-valid p-value of its being the Condorcet winner."""
    return wealth_p_values(state.bets, np.array([0, state.bets.shape[1]]))
