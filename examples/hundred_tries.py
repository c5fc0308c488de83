"""A first algorithm of one's own: a hundred random plays per level, then the best mean of each
factor for ever.
"""

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
    return State(
        np.zeros((len(sizes), max(sizes))), np.zeros((len(sizes), max(sizes))), np.array(sizes)
    )


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
        action[l] = 0
        for i in range(1, state.sizes[l]):
            if (
                state.total[l, i] * state.plays[l, action[l]]
                > state.total[l, action[l]] * state.plays[l, i]
            ):
                action[l] = i


if __name__ == "__main__":
    import hundred_tries  # this very file, under its own name

    for step in (1.5, 0.15):  # how much the best levels add to the log-odds
        page = fb.environments.make(
            "logistic", effects=[[0.0] * 11 + [step], [0.0] * 7 + [step]], base=-1.0
        )
        print(
            fb.compare(
                [hundred_tries, "tea(bound=betting)", "flat_ucb1"],
                page,
                1_000_000,
                20,
                seed=1,
                progress=False,
            )
        )
