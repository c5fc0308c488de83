"""SAVAGE for Condorcet winners (Urvoy, Clerot, Feraud & Naamane, ICML 2013): duel whom it could
still be.

Of the pairs of arms that are left, one with the fewest duels is played. An arm leaves when another
one beats it with high confidence, and all its pairs leave with it. The last arm is played to the end.
Every pair is duelled once per pass, in random order, which finds the pair with the fewest duels
without looking for it.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(4, 0.9)
    >>> result = fb.simulate("savage", environment, horizon=10_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import FOREVER, Info, LevelReport
from factored_bandits.policies.blocks.duels import check_size

from ._report import level_reports

LEAD, DUELS = 0, 1  # last index of State.pairs
DEAD, NEXT, EDGE, LEVEL, LEFT, WINNER = 0, 1, 2, 3, 4, 5  # places in State.clock

INFO = Info(
    title="SAVAGE, Condorcet",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Condorcet winner",
    guarantee="O(K^2 log(T) / smallest gap^2) for horizon T",
    reference="Urvoy, Clerot, Feraud & Naamane, Generic Exploration and K-armed Voting Bandits, ICML 2013",
    needs_horizon=True,
    cost=(20, 0.9),
    slowdown=(3, 3),
)


class Params(NamedTuple):
    """No parameters: the error allowed is delta = 1 / T."""


class State(NamedTuple):
    """What is known of every pair, and which pair comes next.

    The list of pairs has four parts: up to DEAD those with an arm that is out, up to NEXT those
    played in this pass, up to EDGE those to be played in it, and behind them pairs that have more
    duels already, fewest first.
    """

    order: Ints  # (pairs, 2) the list, smaller arm first
    # (K, K, 2) row < column: wins of the row over the column less half of their duels; their duels
    pairs: Floats
    active: Bools  # (K,) the arms left
    # (6,) three places in the list; duels per pair before this pass; arms left; the last arm or -1
    clock: Ints
    bar: Floats  # (1,) a lead counts once its square exceeds this times the duels


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """All arms and pairs are left."""
    arms = int(sizes[0])
    if horizon == 0:
        raise InvalidInputError(
            "savage sets its confidence by the horizon: say for how many rounds it will play"
        )

    check_size("savage", arms, matrices=3)
    order = np.stack(np.triu_indices(arms, 1), axis=1)

    return State(
        order=order,
        pairs=np.zeros((arms, arms, 2)),
        active=np.ones(arms, dtype=np.bool_),
        clock=np.array([0, 0, len(order), 0, arms, -1]),
        bar=np.array(
            [0.5 * math.log(arms * (arms - 1) * float(horizon) ** 2)]
        ),  # q + c < 1/2, c^2 = bar / n
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """A random one of the pairs with the fewest duels."""
    clock = state.clock
    order = state.order
    actions[0, 0], actions[0, 1] = clock[WINNER], clock[WINNER]

    while clock[LEFT] > 1:
        if clock[NEXT] == clock[EDGE]:
            new_pass(state)
        place = clock[NEXT] + randint(rng, clock[EDGE] - clock[NEXT])
        i = order[place, 0]
        j = order[place, 1]
        move(order, clock[NEXT], place)
        if state.active[i] and state.active[j]:
            order[clock[NEXT], 0] = i
            order[clock[NEXT], 1] = j
            clock[NEXT] += 1
            actions[0, 0] = i
            actions[0, 1] = j
            break
        move(order, clock[DEAD], clock[NEXT])
        order[clock[DEAD], 0] = i
        order[clock[DEAD], 1] = j
        clock[DEAD] += 1
        clock[NEXT] += 1

    return 1


@kernel
def move(order: Ints, source: int, target: int) -> None:
    """Copy a pair of the list."""
    order[target, 0], order[target, 1] = order[source, 0], order[source, 1]


@kernel
def new_pass(state: State) -> None:
    """All pairs with the fewest duels are to be played once more."""
    clock = state.clock
    order = state.order
    clock[NEXT] = clock[DEAD]
    clock[LEVEL] += 1
    if clock[DEAD] == clock[EDGE]:
        clock[LEVEL] = int(state.pairs[order[clock[EDGE], 0], order[clock[EDGE], 1], DUELS])
    while (
        clock[EDGE] < len(order)
        and state.pairs[order[clock[EDGE], 0], order[clock[EDGE], 1], DUELS] <= clock[LEVEL]
    ):
        clock[EDGE] += 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The pair's lead; the arm behind goes out when the lead is with high confidence."""
    i = actions[0, 0]
    j = actions[0, 1]
    if i == j:
        return
    state.pairs[i, j, LEAD] += rewards[0] - 0.5
    state.pairs[i, j, DUELS] += 1.0
    judge(state, i, j)


@kernel
def judge(state: State, i: int, j: int) -> None:
    """Is one of the two out?"""
    lead = state.pairs[i, j, LEAD]
    loser = j if lead > 0.0 else i

    if (
        lead * lead > state.bar[0] * state.pairs[i, j, DUELS]
        and state.active[i]
        and state.active[j]
    ):
        state.active[loser] = False
        state.clock[LEFT] -= 1
        if state.clock[LEFT] == 1:
            for arm in range(len(state.active)):
                if state.active[arm]:
                    state.clock[WINNER] = arm


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """Once one arm is left, to the end."""
    return FOREVER if state.clock[LEFT] == 1 else 0


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The arm left whose worst record against another one left is best."""
    best = 0
    highest = -math.inf

    for i in range(len(state.active)):
        worst = math.inf
        for j in range(len(state.active)):
            if state.active[i] and state.active[j] and i != j:
                pair = state.pairs[min(i, j), max(i, j)]
                lead = pair[LEAD] / max(pair[DUELS], 1.0)
                worst = min(worst, lead if i < j else -lead)
        if state.active[i] and worst > highest:
            best = i
            highest = worst

    action[0] = best
    action[1] = best


@kernel
def active_sets(params: Params, state: State) -> tuple[Bools, int]:
    """The arms left, and how many are out."""
    return state.active, len(state.active) - state.clock[LEFT]


def status(params: Params, state: State, t: int) -> list[list[LevelReport]]:
    """Per arm: in or out, and its record against the leader."""
    action = np.zeros(2, dtype=np.int64)
    recommend(params, state, action)
    lead, duels = np.moveaxis(state.pairs - state.pairs.swapaxes(0, 1) * (1.0, -1.0), 2, 0)[
        :, action[0]
    ]
    return level_reports(state.active, int(action[0]), lead, duels, state.bar[0])


def warm_start(params: Params, state: State, wins: Floats) -> None:
    """Past duels count like duels played; pairs with fewer of them come first."""
    counts = wins + wins.T
    state.pairs[:, :, LEAD] = np.triu(wins - 0.5 * counts, 1)
    state.pairs[:, :, DUELS] = np.triu(counts, 1)
    duels = state.pairs[state.order[:, 0], state.order[:, 1], DUELS]
    state.order[:] = state.order[np.argsort(duels, kind="stable")]
    state.clock[[EDGE, LEVEL]] = (duels == duels.min()).sum(), duels.min()
    for i, j in state.order:
        judge(state, i, j)


def confidence(params: Params, state: State, t: int) -> float:
    """1 - 1 / T once one arm is left."""
    arms = len(state.active)
    return (
        1.0 - math.sqrt(arms * (arms - 1) * math.exp(-2.0 * state.bar[0]))
        if state.clock[LEFT] == 1
        else 0.0
    )
