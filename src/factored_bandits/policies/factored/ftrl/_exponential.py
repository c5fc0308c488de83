"""What Exp3 and ComBand share: importance-weighted losses.

The state of either has `offsets`, `losses`, `probabilities` and `remembered`, and what bets need.
"""

from __future__ import annotations

from typing import Any

from factored_bandits.core.arrays import Floats, Ints, split
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import argmin_per_factor
from factored_bandits.policies.blocks.propensities import recall
from factored_bandits.policies.blocks.propensity_bets import bet
from factored_bandits.policies.blocks.wealth import wealth_p_values


@kernel
def learn(params: Any, state: Any, t: int, actions: Ints, rewards: Floats) -> None:
    """The loss 1 - reward of each level played, divided by its probability when it was played."""
    for l in range(len(state.offsets) - 1):
        level = state.offsets[l] + actions[0, l]
        probability = recall(state.remembered, t, l, state.probabilities[level])
        state.losses[level] += (1.0 - rewards[0]) / probability

    bet(state.bets, state.queue, state.drawn, state.offsets, t, actions[0], rewards[0])


@kernel
def recommend(params: Any, state: Any, action: Ints) -> None:
    """Per factor the level with the smallest estimated loss."""
    argmin_per_factor(state.losses, state.offsets, action)


def propensities(params: Any, state: Any, length: int) -> list[Floats]:
    """The probabilities from which each factor was drawn."""
    return split(state.probabilities, state.offsets)


def p_values(params: Any, state: Any) -> list[Floats]:
    """Per factor and level an anytime-valid p-value of its being the best, by propensity."""
    return wealth_p_values(state.bets, state.offsets)
