"""Uniform duels: both positions drawn at random, always.

The floor of every comparison of dueling algorithms. Keeps the share of duels won by each arm (its
Borda score) and recommends the best.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(4, 0.8)
    >>> policy = "dueling_uniform"
    >>> result = fb.simulate(policy, environment, 1_000, repetitions=4, seed=1, progress=False)
    >>> bool(210 < result.regret[:, -1].mean() < 240)
    True
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.policies.base import Info
from factored_bandits.policies.limits import COUNT, WINS, Within

INFO = Info(
    title="Uniform duels",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="none",
    guarantee="none: regret grows linearly",
    reference="the usual randomised test",
    self_duel="tie",
    style=("black", "dotted"),
    cost=(49, 0),
)


class Params(NamedTuple):
    """No parameters."""


class State(NamedTuple):
    """What each arm has won."""

    wins: Floats  # (K,) a tie counts one half
    plays: Ints  # (K,) in either position; duels of an arm with itself do not count

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {"wins": WINS, "plays": COUNT}


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    arms = int(sizes[0])
    return State(wins=np.zeros(arms), plays=np.zeros(arms, dtype=np.int64))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """One duel of two arms, each drawn uniformly."""
    actions[0, 0] = randint(rng, len(state.wins))
    actions[0, 1] = randint(rng, len(state.wins))
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Shares of wins."""
    first = actions[0, 0]
    second = actions[0, 1]
    if first != second:
        state.wins[first] += rewards[0]
        state.wins[second] += 1.0 - rewards[0]
        state.plays[first] += 1
        state.plays[second] += 1


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The arm with the largest share of wins."""
    best = 0
    best_share = -np.inf

    for i in range(len(state.wins)):
        if state.plays[i] > 0 and state.wins[i] / state.plays[i] > best_share:
            best = i
            best_share = state.wins[i] / state.plays[i]

    action[0] = best
    action[1] = best


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """One over the number of arms, in both positions."""
    return [np.full(len(state.wins), 1.0 / len(state.wins))] * 2


def warm_start(params: Params, state: State, wins: Floats) -> None:
    """Past duels count like duels played."""
    state.wins[:] += wins.sum(axis=1)
    state.plays[:] += (wins + wins.T).sum(axis=1).astype(np.int64)
