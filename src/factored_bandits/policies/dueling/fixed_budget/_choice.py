"""Which duel is next: two draws of the posterior, or the leaders against what is not ruled out."""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import argmax_per_factor, tie_wins
from factored_bandits.policies.blocks.gaussian import draw

from ._state import ASKED, SURE, State

# of one factor, every REST-th duel is no certifying one, however sure the leader is
REST = 4
# levels of which as much is known have the same mean, but for this
ROUNDING = 1e-9


@kernel
def certifying(state: State) -> bool:
    """Whether the next duel is to certify the leaders.

    With one factor those duels begin when its leader is likely to be the best, with several every
    second duel is one: to know the leader of each factor takes longer than to prove most of them.
    """
    if len(state.turn) == 1:
        return state.clock[SURE] == 1 and state.clock[ASKED] % REST != 0
    return state.clock[ASKED] % 2 == 1


@kernel
def random_leaders(mean: Floats, offsets: Ints, rng: np.random.Generator, lead: Ints) -> None:
    """Into `lead`: per factor the level with the largest mean, ties at random."""
    for l in range(len(lead)):
        best = -math.inf
        for k in range(offsets[l], offsets[l + 1]):
            best = max(best, mean[k])

        ties = 0
        for k in range(offsets[l], offsets[l + 1]):
            if mean[k] >= best - ROUNDING:
                ties += 1
                if tie_wins(rng, ties):
                    lead[l] = k - offsets[l]


@kernel
def leaders_and_rivals(state: State, rng: np.random.Generator) -> bool:
    """Into `first` the leaders, into `second` the next levels to be ruled out, in turn.

    A factor of which all other levels are ruled out has its leader on both sides; False if that is
    so of every factor.
    """
    random_leaders(state.mean, state.offsets, rng, state.lead)
    different = False

    for l in range(len(state.lead)):
        lead = state.lead[l]
        start = state.offsets[l]
        levels = state.offsets[l + 1] - start
        state.first[l] = lead
        state.second[l] = lead

        for step in range(levels):
            k = (state.turn[l] + step) % levels
            if k != lead and state.active[start + k]:
                state.second[l] = k
                state.turn[l] = (k + 1) % levels
                different = True
                break

    return different


@kernel
def top_two(state: State, rng: np.random.Generator) -> None:
    """Into `first` and `second`: the best of two draws; never the same twice, where it can be.

    If both draws say the same, one level of the second is changed, that which costs the least by
    the second draw. A duel with itself costs a verdict and tells nothing.
    """
    draw(state.mean, state.factor, 1.0, rng, state.weights)
    argmax_per_factor(state.weights, state.offsets, state.first)
    draw(state.mean, state.factor, 1.0, rng, state.weights)
    argmax_per_factor(state.weights, state.offsets, state.second)

    for l in range(len(state.first)):
        if state.first[l] != state.second[l]:
            return
    change_cheapest(state.weights, state.offsets, state.second)


@kernel
def change_cheapest(weights: Floats, offsets: Ints, action: Ints) -> None:
    """Change the one level whose change costs the least utility; nothing if no factor has two.

    >>> action = np.array([1, 0])
    >>> change_cheapest(np.array([1.0, 3.0, 2.0, 1.5]), np.array([0, 2, 4]), action)
    >>> action.tolist()
    [1, 1]
    """
    least = math.inf
    factor = 0
    level = action[0]

    for l in range(len(action)):
        chosen = weights[offsets[l] + action[l]]
        for k in range(offsets[l], offsets[l + 1]):
            if k - offsets[l] != action[l] and chosen - weights[k] < least:
                least = chosen - weights[k]
                factor = l
                level = k - offsets[l]

    action[factor] = level


@kernel
def seat(state: State, rng: np.random.Generator, action: Ints) -> None:
    """Into `action`: both sides, the two levels of each factor exchanged with probability 1/2.

    With one factor this is a random order of the two. With several it makes the rests of the two
    sides exchangeable given the levels of a factor, on which the bets rest (`_bets`).
    """
    factors = len(state.first)
    for l in range(factors):
        exchanged = state.first[l] != state.second[l] and rng.random() < 0.5
        action[l] = state.second[l] if exchanged else state.first[l]
        action[factors + l] = state.first[l] if exchanged else state.second[l]
