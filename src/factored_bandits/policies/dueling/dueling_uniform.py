"""Uniform duels: both positions drawn at random, always.

The floor of every comparison of dueling algorithms. Keeps the share of duels won by each arm (its
Borda score) and recommends the best. Of combinations of several factors it does so for every level
of each factor.

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

from factored_bandits.core.arrays import Floats, Ints, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.policies.base import Info
from factored_bandits.policies.limits import COUNT, WINS, Within, fixed

INFO = Info(
    title="Uniform duels",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="none",
    guarantee="none: regret grows linearly",
    reference="the usual randomised test",
    self_duel="tie",
    combinations=True,
    style=("black", "dotted"),
    cost=(49, 0),
)


class Params(NamedTuple):
    """No parameters."""


class State(NamedTuple):
    """What each level has won; of a single factor the levels are the arms."""

    offsets: Ints  # (L + 1,) first level of each factor
    wins: Floats  # (d,) a tie counts one half
    plays: Ints  # (d,) on either side; duels of a level with itself do not count

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {"offsets": fixed(self.offsets), "wins": WINS, "plays": COUNT}


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    offsets = offsets_of(sizes[: len(sizes) // 2])
    levels = int(offsets[-1])
    return State(offsets, wins=np.zeros(levels), plays=np.zeros(levels, dtype=np.int64))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """One duel, every level of both sides drawn uniformly."""
    factors = len(state.offsets) - 1
    for column in range(2 * factors):
        l = column % factors
        actions[0, column] = randint(rng, state.offsets[l + 1] - state.offsets[l])
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Shares of wins."""
    factors = len(state.offsets) - 1
    for l in range(factors):
        first = state.offsets[l] + actions[0, l]
        second = state.offsets[l] + actions[0, factors + l]
        if first != second:
            state.wins[first] += rewards[0]
            state.wins[second] += 1.0 - rewards[0]
            state.plays[first] += 1
            state.plays[second] += 1


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the level with the largest share of wins."""
    factors = len(state.offsets) - 1
    for l in range(factors):
        best = state.offsets[l]
        best_share = -np.inf

        for i in range(state.offsets[l], state.offsets[l + 1]):
            if state.plays[i] > 0 and state.wins[i] / state.plays[i] > best_share:
                best = i
                best_share = state.wins[i] / state.plays[i]

        action[l] = best - state.offsets[l]
        action[factors + l] = action[l]


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """One over the number of levels, on both sides."""
    return [np.full(size, 1.0 / size) for size in np.diff(state.offsets).tolist()] * 2


def warm_start(params: Params, state: State, wins: Floats) -> None:
    """Past duels count like duels played."""
    state.wins[:] += wins.sum(axis=1)
    state.plays[:] += (wins + wins.T).sum(axis=1).astype(np.int64)
