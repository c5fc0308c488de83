"""RUCB, Relative Upper Confidence Bound (Zoghi, Whiteson, Munos & de Rijke, ICML 2014).

The champion is an arm that nobody beats with high confidence; the one that was alone in this is
taken with probability one half. Its opponent is the arm with the largest upper confidence bound of
beating it. Once the champion beats all others with high confidence it duels itself, until log t has
grown enough to make another arm a possible champion. An arm is one at round t iff its largest
deficit (a number without time) is at most alpha log t: K comparisons instead of K^2 bounds.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.9)
    >>> result = fb.simulate("rucb", environment, 20_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.duels import (
    check_positive,
    check_size,
    deficit,
    first_round,
    met,
    record,
    strongest_rival,
    update_bounds,
)
from factored_bandits.policies.limits import NOT_NEGATIVE, WINS, Within, index, slots

NOBODY = -1

# slots of State.memory
FAVOURITE = 0  # the only member of B, or NOBODY
ALONE = 1  # 1 if the champion duelled itself at the last plan

INFO = Info(
    title="Relative Upper Confidence Bound",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Condorcet winner",
    guarantee="O(K log(t) / gap^2) + O(K^2), anytime, in expectation and with high probability",
    reference="Zoghi, Whiteson, Munos & de Rijke, ICML 2014, Algorithm 1",
    self_duel="tie",
    style=("sky", "dashdot"),
    cost=(5, 1.6),
    slowdown=(10, 60),
)


class Params(NamedTuple):
    """`alpha` under the root; the bound of a pair that has not met.

    That bound is 1, or 2 as the paper's 0/0 + 1/0 = 1 + 1.
    """

    alpha: float = 0.51
    unplayed: Literal[1, 2] = 1


class State(NamedTuple):
    """Who beat whom, ready to be compared with alpha log t."""

    wins: Floats  # (K, K) of row over column, a tie counts one half
    rate: Floats  # (K, K) q_jc at [c, j]
    width: Floats  # (K, K) 1 / sqrt(N_jc) at [c, j], 0 for a pair that has not met
    worst: Floats  # (K,) the largest deficit of each arm
    memory: Ints  # (2,) FAVOURITE, ALONE

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        arms = len(self.worst)
        return {
            "wins": WINS,
            "rate": Within(0.0, 2.0),
            "width": Within(0.0, 1.0),
            "worst": NOT_NEGATIVE,
            "memory": slots(index(arms, nobody=True), Within(0, 1)),
        }


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse an alpha that is not positive, and more pairs than fit in memory."""
    check_positive("rucb", alpha=params.alpha)
    check_size("rucb", int(sizes[0]), matrices=3)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Lines 1-2: nothing known, B is empty."""
    arms = int(sizes[0])
    return State(
        wins=np.zeros((arms, arms)),
        rate=np.full((arms, arms), float(params.unplayed)),
        width=np.zeros((arms, arms)),
        worst=np.zeros(arms),
        memory=np.array([NOBODY, 0]),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Lines 4-10: the champion c and its opponent d."""
    threshold = params.alpha * math.log(t)
    champion = pick_champion(state, threshold, rng)

    # Line 10: d = argmax_j u_jc
    opponent = strongest_rival(state.rate, state.width, champion, math.sqrt(threshold), rng)

    state.memory[ALONE] = 1 if opponent == champion else 0
    actions[0, 0] = champion
    actions[0, 1] = opponent
    return 1


@kernel
def pick_champion(state: State, threshold: float, rng: np.random.Generator) -> int:
    """Lines 5-9: C = {i: u_ij >= 1/2 for all j}, in which c is drawn with a preference for B."""
    worst = state.worst
    memory = state.memory
    arms = len(worst)
    possible = 0
    last = NOBODY

    for i in range(arms):
        if worst[i] <= threshold:
            possible += 1
            last = i

    # C is empty: any arm
    if possible == 0:
        memory[FAVOURITE] = NOBODY
        return randint(rng, arms)

    # |C| = 1: B <- C
    if possible == 1:
        memory[FAVOURITE] = last
        return last

    # B <- B intersected with C
    favourite = memory[FAVOURITE]
    if favourite != NOBODY and worst[favourite] > threshold:
        memory[FAVOURITE] = NOBODY
        favourite = NOBODY

    # |C| > 1: the member of B with probability 1/2, else uniformly from C without B
    if favourite != NOBODY:
        if rng.random() < 0.5:
            return favourite
        possible -= 1

    left = randint(rng, possible)
    for i in range(arms):
        if worst[i] <= threshold and i != favourite:
            if left == 0:
                return i
            left -= 1

    return last


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Line 11, and the numbers that depend on the pair."""
    first = actions[0, 0]
    second = actions[0, 1]

    if first != second:
        first_before = deficit(state.wins, first, second)
        second_before = deficit(state.wins, second, first)
        record(state.wins, first, second, rewards[0])
        update_bounds(state.wins, state.rate, state.width, first, second)
        update_worst(state, first, second, first_before)
        update_worst(state, second, first, second_before)


@kernel
def update_worst(state: State, i: int, j: int, before: float) -> None:
    """The largest deficit of arm i after a duel with j; `before` is that of the pair before it."""
    now = deficit(state.wins, i, j)
    if now >= state.worst[i]:
        state.worst[i] = now
    elif before == state.worst[i]:
        # only here it may have become smaller: a search over the row
        state.worst[i] = 0.0
        for k in range(len(state.worst)):
            state.worst[i] = max(state.worst[i], deficit(state.wins, i, k))


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """A champion duels itself until alpha log t reaches the smallest deficit of the others."""
    champion = state.memory[FAVOURITE]
    if champion == NOBODY or state.memory[ALONE] == 0:
        return 0

    lowest = math.inf
    for j in range(len(state.worst)):
        if j != champion:
            lowest = min(lowest, deficit(state.wins, j, champion))

    if state.worst[champion] > params.alpha * math.log(t):
        return 0
    return max(0, first_round(lowest / params.alpha) - t)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The member of B, else the arm with the smallest largest deficit."""
    best = state.memory[FAVOURITE]
    if best == NOBODY:
        best = 0
        for i in range(len(state.worst)):
            if state.worst[i] < state.worst[best]:
                best = i

    action[0] = best
    action[1] = best


def warm_start(params: Params, state: State, wins: Floats) -> None:
    """Past duels count like duels played."""
    state.wins[:] += wins
    for i, j in met(state.wins):
        update_bounds(state.wins, state.rate, state.width, i, j)
    for i in range(len(wins)):
        state.worst[i] = max(deficit(state.wins, i, j) for j in range(len(wins)))
