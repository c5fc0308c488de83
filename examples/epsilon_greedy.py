"""Epsilon-greedy, factor by factor: a complete policy in one file, by the contract of
docs/explanation/contract.md.

With chance epsilon every factor is played at random; otherwise each factor plays the level with the
best mean so far. Simple and quick, and without any guarantee: a level that was unlucky early is
looked at again only by chance.
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
    """The chance of a random play."""

    epsilon: float = 0.05


class State(NamedTuple):
    """What each level has brought."""

    start: np.ndarray  # (L + 1,) first level of each factor
    # (levels,) sum of rewards; begins at 1 for one imagined success, so that every level gets a try
    total: np.ndarray
    plays: np.ndarray  # (levels,) begins at 1 likewise


def init(params, sizes, horizon):
    start = np.concatenate([[0], np.cumsum(sizes)])
    return State(start, np.ones(start[-1]), np.ones(start[-1], dtype=np.int64))


@kernel
def plan(params, state, t, rng, actions):
    if rng.random() >= params.epsilon:
        recommend(params, state, actions[0])
    else:
        for l in range(actions.shape[1]):
            actions[0, l] = int(rng.random() * (state.start[l + 1] - state.start[l]))
    return 1  # a block of one play


@kernel
def learn(params, state, t, actions, rewards):
    for l in range(actions.shape[1]):
        state.total[state.start[l] + actions[0, l]] += rewards[0]
        state.plays[state.start[l] + actions[0, l]] += 1


@kernel
def recommend(params, state, action):
    for l in range(len(action)):
        first = best = state.start[l]
        for i in range(first, state.start[l + 1]):
            if state.total[i] * state.plays[best] > state.total[best] * state.plays[i]:
                best = i
        action[l] = best - first


if __name__ == "__main__":
    import epsilon_greedy  # this very file, under its own name

    problem = fb.environments.spiked(levels=4, best=0.81, gap=0.3)
    for policy in (epsilon_greedy, fb.policies.make(epsilon_greedy, epsilon=0.2), "tea", "uniform"):
        print(fb.simulate(policy, problem, horizon=20_000, repetitions=10, seed=1).summary())
