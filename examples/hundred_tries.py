"""A first algorithm of your own: 100 random plays per level, then the best mean of each factor."""

from typing import NamedTuple

import numpy as np

import factored_bandits as fb
from factored_bandits.core.kernel import kernel
from factored_bandits.policies import Info

INFO = Info("Explore, then commit", "factored", (0.0, 1.0), "identifiability", "none", "folklore")


class Params(NamedTuple):
    tries: int = 100  # random plays per level


class State(NamedTuple):
    total: np.ndarray  # (L, largest factor) sum of rewards
    plays: np.ndarray  # (L, largest factor)
    sizes: np.ndarray  # (L,)


def init(params, sizes, horizon):
    shape = (len(sizes), max(sizes))
    return State(np.zeros(shape), np.zeros(shape), np.array(sizes))


@kernel
def plan(params, state, t, rng, actions):
    recommend(params, state, actions[0])
    if t <= params.tries * state.total.shape[1]:
        for l in range(len(state.sizes)):
            actions[0, l] = int(rng.random() * state.sizes[l])
    return 1


@kernel
def learn(params, state, t, actions, rewards):
    for l in range(len(state.sizes)):
        state.total[l, actions[0, l]] += rewards[0]
        state.plays[l, actions[0, l]] += 1.0


@kernel
def recommend(params, state, action):
    for l in range(len(action)):
        best = 0
        for i in range(1, state.sizes[l]):
            # the larger mean, without dividing
            if state.total[l, i] * state.plays[l, best] > state.total[l, best] * state.plays[l, i]:
                best = i
        action[l] = best


if __name__ == "__main__":
    import hundred_tries  # this file, imported under its own name

    policies = [hundred_tries, "tea(bound=betting)", "flat_ucb1"]
    for step in (1.5, 0.15):  # how much the best levels add to the log-odds
        effects = [[0.0] * 11 + [step], [0.0] * 7 + [step]]
        page = fb.environments.make("logistic", effects=effects, base=-1.0)
        print(fb.compare(policies, page, 1_000_000, 8, seed=1, progress=False))
