"""Every order of a block with every outcome, and its probability: expectations without sampling.

Levels are listed by number. `laws[level][slot]` is what a level brings in a slot: pairs of a reward
and its probability.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from factored_bandits.policies.factored import leader_tea


def bernoulli(mean):
    return ((0.0, 1.0 - mean), (1.0, mean))


def orders(levels):
    """The different orders of a column; all are equally likely."""
    return sorted(set(itertools.permutations(levels)))


def outcomes(laws):
    """Every list of rewards with its probability, for slots with these laws."""
    for drawn in itertools.product(*laws):
        rewards = [reward for reward, _ in drawn]
        yield rewards, math.prod(probability for _, probability in drawn)


def copied(state):
    return type(state)(*(array.copy() for array in state))


def grown(params, state, actions, rewards):
    """By which factor each wealth grows when the block is learned."""
    after = copied(state)
    leader_tea.learn(params, after, 1, np.array(actions), np.array(rewards))
    return np.exp(after.log_wealth - state.log_wealth)


def mean_growth(params, state, columns, law):
    """The expected growth of every wealth over all orders of all columns and all outcomes.

    `law(action, slot)` is what an action brings in a slot.
    """
    total = np.zeros_like(state.log_wealth)
    every = list(itertools.product(*(orders(column) for column in columns)))
    for order in every:
        actions = list(zip(*order, strict=True))
        laws = [law(action, slot) for slot, action in enumerate(actions)]
        for rewards, probability in outcomes(laws):
            total += probability * grown(params, state, actions, rewards)
    return total / len(every)
