"""Epsilon-greedy, factor by factor: a complete policy in one file.

With probability epsilon every factor plays a random level. Otherwise each factor plays the level
with the best mean so far. Simple and quick, but without a guarantee: a level that was unlucky early
is tried again only by a random play. docs/explanation/contract.md explains the parts.
"""

from typing import NamedTuple

import numpy as np

import factored_bandits as fb
from factored_bandits.core.kernel import kernel
from factored_bandits.policies import Info

INFO = Info(
    title="Epsilon-greedy, factor by factor",
    kind="factored",
    scale=(0.0, 1.0),  # bounded rewards are mapped onto this before the policy sees them
    assumption="the best level of a factor is best whatever the others play",
    guarantee="none: regret grows linearly, with a small slope",
    reference="folklore",
)


class Params(NamedTuple):
    """The probability of a random play."""

    epsilon: float = 0.05


class State(NamedTuple):
    """What each level has brought."""

    offsets: np.ndarray  # (L + 1,) index of the first level of each factor
    total: np.ndarray  # (levels,) sum of rewards, from one imagined success each
    plays: np.ndarray  # (levels,) number of plays, the imagined one included


def init(params, sizes, horizon):
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    levels = offsets[-1]
    return State(offsets, np.ones(levels), np.ones(levels, dtype=np.int64))


@kernel
def plan(params, state, t, rng, actions):
    if rng.random() >= params.epsilon:
        recommend(params, state, actions[0])
    else:
        for l in range(actions.shape[1]):
            size = state.offsets[l + 1] - state.offsets[l]
            actions[0, l] = int(rng.random() * size)
    return 1  # a block of one play


@kernel
def learn(params, state, t, actions, rewards):
    for l in range(actions.shape[1]):
        level = state.offsets[l] + actions[0, l]
        state.total[level] += rewards[0]
        state.plays[level] += 1


@kernel
def recommend(params, state, action):
    for l in range(len(action)):
        first = best = state.offsets[l]
        for i in range(first, state.offsets[l + 1]):
            # the larger mean, without dividing
            if state.total[i] * state.plays[best] > state.total[best] * state.plays[i]:
                best = i
        action[l] = best - first


if __name__ == "__main__":
    import epsilon_greedy  # this file, imported under its own name

    problem = fb.environments.spiked(levels=4, best=0.81, gap=0.3)
    for policy in (epsilon_greedy, fb.policies.make(epsilon_greedy, epsilon=0.2), "tea", "uniform"):
        print(fb.simulate(policy, problem, horizon=20_000, repetitions=10, seed=1).summary())
