"""Beat the Mean (Yue & Joachims, ICML 2011): whoever does worst against random opponents goes out,
again and again.

The arm with the fewest duels meets a random other arm; only the first of the two learns. The arm
with the smallest share of wins leaves as soon as it is clearly below the largest, and every duel
against it is struck from the records of those who stay: their shares are again taken against
opponents who are still there.

    >>> import factored_bandits as fb
    >>> environment, policy = fb.environments.identical_gap(4, 0.9), fb.policies.make("beat_the_mean")
    >>> result = fb.simulate(policy, environment, horizon=30_000, repetitions=4, seed=1, progress=False)
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
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import FOREVER, Code, Info, LevelReport
from factored_bandits.policies.blocks.duels import check_size

from ._report import level_reports

PAPER: Code = 0  # Params.constant
WON, PLAYED = 0, 1  # rows of State.totals; first index of State.pairs
LEFT, CHANGES = 0, 1  # places in State.clock

INFO = Info(
    title="Beat the Mean",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="total order, relaxed stochastic transitivity, stochastic triangle inequality",
    guarantee="O(K log(T) / smallest gap) for horizon T, with probability 1 - 1/T",
    reference="Yue & Joachims, Beat the Mean Bandit, ICML 2011, Algorithm 1",
    needs_horizon=True,
    cost=(110, 1),
    slowdown=(15, 90),
)


class Params(NamedTuple):
    """The radius is c sqrt(ln(2 T K) / n): `paper` c = 3 gamma^2, `komiyama` c = 1.2^2 (Komiyama et
    al. 2015).

    `gamma`, at least 1, is how much the transitivity of the duels is relaxed.
    """

    constant: Literal["paper", "komiyama"] = "paper"
    gamma: float = 1.0


class State(NamedTuple):
    """What each arm has won in its own duels, those in which it stood first."""

    totals: Floats  # (2, K) won and played, against arms that are left
    pairs: Floats  # (2, K, K) won and played by the row against the column
    active_list: Ints  # (K,) the arms left, packed
    active: Bools  # (K,) the same as flags
    clock: Ints  # (2,) how many are left; how often one went out
    bar: Floats  # (1,) the squared distance of shares that counts, times n


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """All arms are left."""
    arms = int(sizes[0])
    if horizon == 0:
        raise InvalidInputError(
            "beat_the_mean sets its confidence by the horizon: say for how many rounds it will play"
        )

    check_size("beat_the_mean", arms, matrices=2)
    if params.gamma < 1.0:
        raise InvalidInputError(
            f"beat_the_mean: gamma is at least 1 (1 = strong transitivity), not {params.gamma:g}"
        )

    constant = factor(params)
    return State(
        totals=np.zeros((2, arms)),
        pairs=np.zeros((2, arms, arms)),
        active_list=np.arange(arms),
        active=np.ones(arms, dtype=np.bool_),
        clock=np.array([arms, 0]),
        bar=np.array([4.0 * constant**2 * math.log(2.0 * horizon * arms)]),
    )


def factor(params: Params) -> float:
    """c in the radius."""
    return 3.0 * params.gamma**2 if params.constant == PAPER else 1.2**2


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The arm with the fewest duels against a random other one."""
    sift(state, rng)
    left = state.clock[LEFT]
    place = 0
    fewest = math.inf
    ties = 0

    for row in range(left):
        n = state.totals[PLAYED, state.active_list[row]]
        if n < fewest:
            place = row
            fewest = n
            ties = 1
        elif n == fewest:
            ties += 1
            if randint(rng, ties) == 0:
                place = row

    other = place
    if left > 1:
        other = randint(rng, left - 1)
        if other >= place:
            other += 1

    actions[0, 0], actions[0, 1] = state.active_list[place], state.active_list[other]
    return 1


@kernel
def sift(state: State, rng: np.random.Generator) -> None:
    """Remove the arm with the smallest share if even its upper bound is below the lower bound of
    the largest.
    """
    worst = 0
    lowest = math.inf
    highest = -math.inf
    fewest = math.inf
    ties = 0

    for row in range(state.clock[LEFT]):
        arm = state.active_list[row]
        n = state.totals[PLAYED, arm]
        if n == 0.0:
            return
        share = state.totals[WON, arm] / n
        fewest = min(fewest, n)
        highest = max(highest, share)
        if share < lowest:
            worst = row
            lowest = share
            ties = 1
        elif share == lowest:
            ties += 1
            if randint(rng, ties) == 0:
                worst = row

    if highest > lowest and (highest - lowest) * (highest - lowest) * fewest >= state.bar[0]:
        remove(state, worst)


@kernel
def remove(state: State, row: int) -> None:
    """An arm goes out, and with it all duels against it."""
    gone = state.active_list[row]
    state.clock[LEFT] -= 1
    state.clock[CHANGES] += 1
    state.active_list[row] = state.active_list[state.clock[LEFT]]
    state.active[gone] = False

    for place in range(state.clock[LEFT]):
        arm = state.active_list[place]
        state.totals[WON, arm] -= state.pairs[WON, arm, gone]
        state.totals[PLAYED, arm] -= state.pairs[PLAYED, arm, gone]


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The first arm learns; a duel with an arm that is out by now would be struck anyway."""
    first = actions[0, 0]
    second = actions[0, 1]
    if first != second and state.active[first] and state.active[second]:
        state.totals[WON, first] += rewards[0]
        state.totals[PLAYED, first] += 1.0
        state.pairs[WON, first, second] += rewards[0]
        state.pairs[PLAYED, first, second] += 1.0


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """Once one arm is left, to the end."""
    return FOREVER if state.clock[LEFT] == 1 else 0


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The arm left with the largest share of wins."""
    best = state.active_list[0]
    highest = -1.0

    for row in range(state.clock[LEFT]):
        arm = state.active_list[row]
        if (
            state.totals[PLAYED, arm] > 0.0
            and state.totals[WON, arm] / state.totals[PLAYED, arm] > highest
        ):
            best = arm
            highest = state.totals[WON, arm] / state.totals[PLAYED, arm]

    action[0] = best
    action[1] = best


@kernel
def active_sets(params: Params, state: State) -> tuple[Bools, int]:
    """The arms left, and how often one went out."""
    return state.active, state.clock[CHANGES]


def status(params: Params, state: State, t: int) -> list[list[LevelReport]]:
    """Per arm: in or out, and how far its share of wins is below the largest."""
    action = np.zeros(2, dtype=np.int64)
    recommend(params, state, action)
    won, played = state.totals
    shares = won / np.maximum(played, 1.0)
    fewest = np.minimum(played[state.active].min(), played)

    return level_reports(
        state.active, int(action[0]), (shares[action[0]] - shares) * fewest, fewest, state.bar[0]
    )


def confidence(params: Params, state: State, t: int) -> float | None:
    """1 - 1 / T once one arm is left, with the constant of the proof."""
    if params.constant != PAPER:
        return None
    p_value = 2.0 * len(state.active) * math.exp(-0.25 * state.bar[0] / factor(params) ** 2)
    return 1.0 - p_value if state.clock[LEFT] == 1 else 0.0
