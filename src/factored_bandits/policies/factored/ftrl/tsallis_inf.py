"""Tsallis-INF per factor (Zimmert & Seldin 2019): best of both worlds, no parameter to choose.

Each factor has a learner of its own (FTRL with the Tsallis entropy) that sees the reward of the
whole combination. Where every factor has a level that is best whatever the others do (uniform
identifiability), each learner faces a stochastically constrained adversary, for which its regret is
logarithmic; against any adversary it is sqrt(K T). `estimator`: of the losses, `reduced_variance`
(four times fewer losses in practice) or plain `importance` weighting.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("trap")
    >>> result = fb.simulate(
    ...     "tsallis_inf", environment, horizon=20_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.regret[:, -1].max() < 500)
    True
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, offsets_of, split, uniform_probabilities
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import argmin_per_factor, categorical
from factored_bandits.policies.base import Info
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
from factored_bandits.policies.blocks.tsallis import learning_rate, tsallis_feed, tsallis_weights
from factored_bandits.policies.blocks.wealth import wealth_contradiction, wealth_p_values
from factored_bandits.policies.limits import HUGE_SUM, SHARE, Within, fixed

INFO = Info(
    title="Tsallis-INF, one learner per factor",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="uniform identifiability (each factor then faces a stochastically constrained "
    "adversary)",
    guarantee="O(sum over levels of log(t) / gap), and O(sqrt(K t)) per factor against an "
    "adversary, anytime",
    reference="Zimmert & Seldin, An Optimal Algorithm for Stochastic and Adversarial Bandits, "
    "AISTATS 2019; JMLR 2021",
    style=("green", "dashed"),
    cost=(590, 1.2),
    slowdown=(40,),
)


class Params(NamedTuple):
    """How the losses of levels that were not played are estimated."""

    estimator: Literal["reduced_variance", "importance"] = "reduced_variance"


class State(NamedTuple):
    """Learners side by side, one per factor."""

    offsets: Ints  # (L + 1,) first level of each factor
    losses: Floats  # (levels,) cumulated estimates
    weights: Floats  # (levels,) the probabilities of the last plan
    solutions: Floats  # (L,) of each learner's equation at the last plan, to start from
    remembered: Floats  # (plays, 1 + L) propensities of the last plays
    bets: Floats  # (6, levels) the rows of blocks/wealth and blocks/propensity_bets
    queue: Ints  # (2,) the oldest row of `drawn`, and how many are in use
    drawn: Floats  # rows of 1 + levels: a round that waits for its reward, its probabilities

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {
            "offsets": fixed(self.offsets),
            "losses": HUGE_SUM,
            "weights": SHARE,
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
        losses=np.zeros(levels),
        weights=uniform_probabilities(sizes),
        solutions=np.zeros(len(sizes)),
        remembered=no_propensities(len(sizes)),
        bets=new_bets(levels),
        queue=new_queue(),
        drawn=new_drawn(levels),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """One play, each factor by its own weights."""
    offsets = state.offsets
    weights = state.weights
    rate = learning_rate(float(t), params.estimator)

    for l in range(len(offsets) - 1):
        size = offsets[l + 1] - offsets[l]
        # w_t = argmin <w, L_{t-1}> - (4 / eta_t) sum (sqrt(w_i) - w_i / 2), I_t ~ w_t
        state.solutions[l] = tsallis_weights(
            state.losses, weights, offsets[l], size, rate, state.solutions[l]
        )
        actions[0, l] = categorical(rng, weights, offsets[l], size)
        remember(state.remembered, t, l, weights[offsets[l] + actions[0, l]])

    await_reward(state.queue, state.drawn, t, weights)
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Every learner gets the loss 1 - reward."""
    offsets = state.offsets
    weights = state.weights
    rate = learning_rate(float(t), params.estimator)
    loss = 1.0 - rewards[0]

    for l in range(len(offsets) - 1):
        arm = actions[0, l]
        played = offsets[l] + arm
        weights[played] = recall(state.remembered, t, l, weights[played])

        # L_t = L_{t-1} + the estimate (IW) or (RV) of the loss
        size = offsets[l + 1] - offsets[l]
        tsallis_feed(state.losses, weights, offsets[l], size, arm, loss, rate, params.estimator)

    bet(state.bets, state.queue, state.drawn, offsets, t, actions[0], rewards[0])


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the level with the smallest estimated loss."""
    argmin_per_factor(state.losses, state.offsets, action)


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """The weights from which each factor was drawn."""
    return split(state.weights, state.offsets)


def p_values(params: Params, state: State) -> list[Floats]:
    """Per factor and level an anytime-valid p-value of its being the best, by propensity."""
    return wealth_p_values(state.bets, state.offsets)
