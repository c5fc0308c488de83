"""What Exp3 and ComBand share: exponential weights of importance-weighted losses.

The state of either has `offsets`, `losses`, `probabilities` and `remembered`, and what bets need.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, offsets_of, split, uniform_probabilities
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import argmin_per_factor, categorical
from factored_bandits.policies.blocks.exponential import exponential_weights
from factored_bandits.policies.blocks.propensities import (
    no_propensities,
    recall,
    remember,
    remembered_limits,
)
from factored_bandits.policies.blocks.propensity_bets import (
    bet,
    bet_limits,
    new_bets,
    new_drawn,
    new_queue,
)
from factored_bandits.policies.blocks.wealth import wealth_p_values
from factored_bandits.policies.limits import HUGE_SUM, SHARE, Within, fixed


def new_arrays(sizes: Ints) -> dict[str, Any]:
    """The arrays that both states have, with nothing known."""
    levels = int(sum(sizes))
    return {
        "offsets": offsets_of(sizes),
        "losses": np.zeros(levels),
        "probabilities": uniform_probabilities(sizes),
        "remembered": no_propensities(len(sizes)),
        "bets": new_bets(levels),
        "queue": new_queue(),
        "drawn": new_drawn(levels),
    }


def array_limits(state: Any) -> dict[str, Within]:
    """What these arrays may hold."""
    return {
        "offsets": fixed(state.offsets),
        "losses": HUGE_SUM,
        "probabilities": SHARE,
        "remembered": remembered_limits(state.remembered),
        **bet_limits(int(state.offsets[-1])),
    }


@kernel
def draw_level(
    state: Any,
    l: int,
    t: int,
    rate: float,
    uniform: float,
    rng: np.random.Generator,
    actions: Ints,
) -> None:
    """Weigh the levels of factor l by exp(-rate * losses), mix in uniform play, and draw one."""
    probabilities = state.probabilities
    first = state.offsets[l]
    size = state.offsets[l + 1] - first
    exponential_weights(state.losses, probabilities, first, size, rate, uniform)

    actions[0, l] = categorical(rng, probabilities, first, size)
    remember(state.remembered, t, l, probabilities[first + actions[0, l]])


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
