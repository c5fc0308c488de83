"""Beat the Mean (Yue & Joachims, ICML 2011): eliminate whoever does worst against random opponents.

The arm with the fewest duels meets a random other arm; only the first of the two learns. The arm
with the smallest share of wins is eliminated as soon as it is clearly below the largest, and every
duel against it is struck from the records of the others: their shares are again taken against
active opponents.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(4, 0.9)
    >>> policy = "beat_the_mean"
    >>> result = fb.simulate(policy, environment, 30_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.core.select import tie_wins
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import FOREVER, Code, Info, LevelReport
from factored_bandits.policies.blocks.duels import (
    check_horizon,
    check_size,
    eliminated_p_values,
)
from factored_bandits.policies.limits import COUNT, WINS, Within, fixed, index

from ._report import level_reports

PAPER: Code = 0  # Params.constant

INFO = Info(
    title="Beat the Mean",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="total order, relaxed stochastic transitivity, stochastic triangle inequality",
    guarantee="O(K log(T) / smallest gap) for horizon T, with probability 1 - 1/T",
    reference="Yue & Joachims, Beat the Mean Bandit, ICML 2011, Algorithm 1",
    self_duel="tie",
    needs_horizon=True,
    cost=(110, 1),
    slowdown=(15, 90),
)


class Params(NamedTuple):
    """The constant c in the radius c sqrt(log(2 T K) / n).

    `paper`: c = 3 gamma^2; `komiyama`: c = 1.2^2 (Komiyama et al. 2015). `gamma`, at least 1, is
    how much the transitivity of the duels is relaxed.
    """

    constant: Literal["paper", "komiyama"] = "paper"
    gamma: float = 1.0


class State(NamedTuple):
    """What each arm has won in its own duels, those in which it stood first."""

    won: Floats  # (K,) w_b, against active arms
    played: Floats  # (K,) n_b, against active arms
    won_against: Floats  # (K, K) by the row against the column
    played_against: Floats  # (K, K) by the row against the column
    active_list: Ints  # (K,) the active arms first
    active: Bools  # (K,) the same as flags
    left: Ints  # (1,) how many are active
    bar: Floats  # (1,) the squared distance of shares that counts, times n

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {
            "won": WINS,
            "played": COUNT,
            "won_against": WINS,
            "played_against": COUNT,
            "active_list": index(len(self.won)),
            "left": Within(1, len(self.won)),
            "bar": fixed(self.bar),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """The list of active arms is that of the flags, and sums are those over active arms."""
        listed = self.active_list[: self.left[0]]
        if not np.array_equal(np.sort(listed), np.flatnonzero(self.active)):
            return "active_list does not hold the arms that are active"

        won = self.won_against[:, self.active].sum(axis=1)
        played = self.played_against[:, self.active].sum(axis=1)
        if (won != self.won)[self.active].any() or (played != self.played)[self.active].any():
            return "won and played are not the sums over active arms"
        return None


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse an unknown horizon, more pairs than fit in memory, and a gamma below 1."""
    check_horizon("beat_the_mean", horizon)
    check_size("beat_the_mean", int(sizes[0]), matrices=2)
    if params.gamma < 1.0:
        raise InvalidInputError(
            f"beat_the_mean: gamma is at least 1 (1 = strong transitivity), not {params.gamma:g}"
        )


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """All arms are active."""
    arms = int(sizes[0])
    # Algorithm 1: c = 3 gamma^2 sqrt(log(1 / delta) / n*), delta = 1 / (2 T K); twice that squared
    bar = 4.0 * factor(params) ** 2 * math.log(2.0 * horizon * arms)
    return State(
        won=np.zeros(arms),
        played=np.zeros(arms),
        won_against=np.zeros((arms, arms)),
        played_against=np.zeros((arms, arms)),
        active_list=np.arange(arms),
        active=np.ones(arms, dtype=np.bool_),
        left=np.array([arms]),
        bar=np.array([bar]),
    )


def factor(params: Params) -> float:
    """c in the radius."""
    return 3.0 * params.gamma**2 if params.constant == PAPER else 1.2**2


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Algorithm 1: b = argmin n_b, ties at random, against a uniformly random other arm."""
    eliminate_worst(state, rng)
    left = state.left[0]
    slot = 0
    fewest = math.inf
    ties = 0

    for k in range(left):
        n = state.played[state.active_list[k]]
        if n < fewest:
            slot = k
            fewest = n
            ties = 1
        elif n == fewest:
            ties += 1
            if tie_wins(rng, ties):
                slot = k

    other = slot
    if left > 1:
        other = randint(rng, left - 1)
        if other >= slot:
            other += 1

    actions[0, 0] = state.active_list[slot]
    actions[0, 1] = state.active_list[other]
    return 1


@kernel
def eliminate_worst(state: State, rng: np.random.Generator) -> None:
    """Algorithm 1: if min P_b + c <= max P_b - c, eliminate the worst arm."""
    worst = 0
    lowest = math.inf
    highest = -math.inf
    fewest = math.inf
    ties = 0

    for k in range(state.left[0]):
        arm = state.active_list[k]
        n = state.played[arm]
        if n == 0.0:
            return
        share = state.won[arm] / n
        fewest = min(fewest, n)
        highest = max(highest, share)
        if share < lowest:
            worst = k
            lowest = share
            ties = 1
        elif share == lowest:
            ties += 1
            if tie_wins(rng, ties):
                worst = k

    # bar = (2 c)^2 n*, n* the fewest duels
    gap = highest - lowest
    if gap > 0.0 and gap * gap * fewest >= state.bar[0]:
        remove(state, worst)


@kernel
def remove(state: State, slot: int) -> None:
    """Eliminate an arm, and strike all duels against it."""
    gone = state.active_list[slot]
    state.left[0] -= 1
    state.active_list[slot] = state.active_list[state.left[0]]
    state.active[gone] = False

    for k in range(state.left[0]):
        arm = state.active_list[k]
        state.won[arm] -= state.won_against[arm, gone]
        state.played[arm] -= state.played_against[arm, gone]


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The first arm learns; a late duel with an eliminated arm would be struck anyway."""
    first = actions[0, 0]
    second = actions[0, 1]
    if first != second and state.active[first] and state.active[second]:
        state.won[first] += rewards[0]
        state.played[first] += 1.0
        state.won_against[first, second] += rewards[0]
        state.played_against[first, second] += 1.0


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """Once one arm is active, to the end."""
    return FOREVER if state.left[0] == 1 else 0


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The active arm with the largest share of wins."""
    best = state.active_list[0]
    highest = -1.0

    for k in range(state.left[0]):
        arm = state.active_list[k]
        if state.played[arm] > 0.0:
            share = state.won[arm] / state.played[arm]
            if share > highest:
                best = arm
                highest = share

    action[0] = best
    action[1] = best


@kernel
def active_sets(params: Params, state: State) -> tuple[Bools, int]:
    """The active arms, and how many were eliminated."""
    return state.active, len(state.active) - state.left[0]


def status(params: Params, state: State, t: int) -> list[list[LevelReport]]:
    """Per arm: whether it is active, and how far its share of wins is below the largest."""
    action = np.zeros(2, dtype=np.int64)
    recommend(params, state, action)
    leader = int(action[0])

    shares = state.won / np.maximum(state.played, 1.0)
    fewest = np.minimum(state.played[state.active].min(), state.played)
    lead = (shares[leader] - shares) * fewest
    return level_reports(state.active, leader, lead, fewest, state.bar[0])


def p_values(params: Params, state: State) -> list[Floats] | None:
    """1 / T for an eliminated arm, with the constant of the proof; within the horizon."""
    if params.constant != PAPER:
        return None
    # 2 K delta, delta = 1 / (2 T K)
    failure = 2.0 * len(state.active) * math.exp(-0.25 * state.bar[0] / factor(params) ** 2)
    return eliminated_p_values(state.active, failure)
