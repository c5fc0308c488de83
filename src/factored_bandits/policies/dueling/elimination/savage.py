"""SAVAGE for Condorcet winners (Urvoy, Clerot, Feraud & Naamane, ICML 2013).

Of the pairs of active arms, one with the fewest duels is played. An arm is eliminated when another
one beats it with high confidence, and all its pairs with it. The last arm is played to the end.
Every pair is duelled once per pass, in random order, which finds the pair with the fewest duels
without looking for it.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(4, 0.9)
    >>> result = fb.simulate("savage", environment, 10_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.limits import MOST_ROUNDS
from factored_bandits.core.rng import randint
from factored_bandits.policies.base import FOREVER, Info, LevelReport
from factored_bandits.policies.blocks.duels import (
    check_horizon,
    check_size,
    eliminated_p_values,
)
from factored_bandits.policies.limits import COUNT, Within, fixed, index, slots

from ._report import level_reports

NOBODY = -1

# slots of State.clock; the first three are positions in the list of pairs
DEAD = 0  # before it: pairs with an eliminated arm
NEXT = 1  # before it: pairs played in this pass
EDGE = 2  # before it: pairs to be played in this pass
DONE = 3  # duels of every pair before this pass
LEFT = 4  # active arms
WINNER = 5  # the last active arm, or NOBODY

INFO = Info(
    title="SAVAGE, Condorcet",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Condorcet winner",
    guarantee="O(K^2 log(T) / smallest gap^2) for horizon T",
    reference=(
        "Urvoy, Clerot, Feraud & Naamane, Generic Exploration and K-armed Voting Bandits, ICML 2013"
    ),
    self_duel="tie",
    needs_horizon=True,
    cost=(20, 0.9),
    slowdown=(3, 3),
)


class Params(NamedTuple):
    """No parameters: the error allowed is delta = 1 / T."""


class State(NamedTuple):
    """What is known of every pair, and which pair comes next.

    The list of pairs has four parts: up to DEAD those with an eliminated arm, up to NEXT those
    played in this pass, up to EDGE those to be played in it, and behind them pairs that have more
    duels already, fewest first.
    """

    order: Ints  # (pairs, 2) the list, smaller arm first
    lead: Floats  # (K, K) row < column: wins of the row over the column less half of their duels
    duels: Floats  # (K, K) row < column
    active: Bools  # (K,) the arms that may be the best
    clock: Ints  # (6,) DEAD, NEXT, EDGE, DONE, LEFT, WINNER
    bar: Floats  # (1,) a lead counts once its square exceeds this times the duels

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        arms = len(self.active)
        position = Within(0, len(self.order))
        clock = slots(position, position, position, COUNT, Within(1, arms), index(arms, True))
        return {
            "order": index(arms),
            "lead": Within(-MOST_ROUNDS, MOST_ROUNDS, 0.5),
            "duels": COUNT,
            "clock": clock,
            "bar": fixed(self.bar),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """The list holds every pair once, in its four parts, and the winner is the last arm."""
        arms = len(self.active)
        pairs = self.order[:, 0] * arms + self.order[:, 1]
        first, second = np.triu_indices(arms, 1)
        if not np.array_equal(np.sort(pairs), first * arms + second):
            return "order does not hold every pair once"

        dead, played, edge, _, left, winner = self.clock.tolist()
        if not dead <= played <= edge or self.active[self.order[:dead]].all(axis=1).any():
            return "clock does not divide order into its four parts"
        last = int(np.argmax(self.active)) if left == 1 else NOBODY
        if (left, winner) != (int(self.active.sum()), last):
            return "clock does not fit the arms that are active"
        return None


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse an unknown horizon, and more pairs than fit in memory."""
    check_horizon("savage", horizon)
    check_size("savage", int(sizes[0]), matrices=3)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """All arms and pairs are active."""
    arms = int(sizes[0])
    order = np.stack(np.triu_indices(arms, 1), axis=1)
    # q + c < 1/2 with c^2 = log(K (K - 1) T / delta) / (2 n) = bar / n, delta = 1 / T
    bar = 0.5 * math.log(arms * (arms - 1) * float(horizon) ** 2)

    return State(
        order=order,
        lead=np.zeros((arms, arms)),
        duels=np.zeros((arms, arms)),
        active=np.ones(arms, dtype=np.bool_),
        clock=np.array([0, 0, len(order), 0, arms, NOBODY]),
        bar=np.array([bar]),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """A random one of the active pairs with the fewest duels (the paper's sampling rule)."""
    clock = state.clock
    order = state.order
    actions[0, 0] = clock[WINNER]
    actions[0, 1] = clock[WINNER]

    while clock[LEFT] > 1:
        if clock[NEXT] == clock[EDGE]:
            new_pass(state)
        drawn = clock[NEXT] + randint(rng, clock[EDGE] - clock[NEXT])
        i = order[drawn, 0]
        j = order[drawn, 1]
        put(order, drawn, order[clock[NEXT], 0], order[clock[NEXT], 1])

        if state.active[i] and state.active[j]:
            put(order, clock[NEXT], i, j)
            clock[NEXT] += 1
            actions[0, 0] = i
            actions[0, 1] = j
            break

        # an arm of the pair was eliminated: to the first part of the list
        put(order, clock[NEXT], order[clock[DEAD], 0], order[clock[DEAD], 1])
        put(order, clock[DEAD], i, j)
        clock[DEAD] += 1
        clock[NEXT] += 1

    return 1


@kernel
def put(order: Ints, k: int, i: int, j: int) -> None:
    """The pair (i, j) into position k of the list."""
    order[k, 0] = i
    order[k, 1] = j


@kernel
def new_pass(state: State) -> None:
    """All pairs with the fewest duels are to be played once more."""
    clock = state.clock
    order = state.order
    duels = state.duels
    clock[NEXT] = clock[DEAD]
    clock[DONE] += 1

    if clock[DEAD] == clock[EDGE]:
        clock[DONE] = int(duels[order[clock[EDGE], 0], order[clock[EDGE], 1]])

    while clock[EDGE] < len(order):
        if duels[order[clock[EDGE], 0], order[clock[EDGE], 1]] > clock[DONE]:
            break
        clock[EDGE] += 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The pair's lead; the arm behind is eliminated when the lead is large enough."""
    i = actions[0, 0]
    j = actions[0, 1]
    if i == j:
        return
    state.lead[i, j] += rewards[0] - 0.5
    state.duels[i, j] += 1.0
    eliminate(state, i, j)


@kernel
def eliminate(state: State, i: int, j: int) -> None:
    """Eliminate i if q_ij + c < 1/2, or j if q_ji + c < 1/2."""
    lead = state.lead[i, j]
    loser = j if lead > 0.0 else i
    certain = lead * lead > state.bar[0] * state.duels[i, j]

    if certain and state.active[i] and state.active[j]:
        state.active[loser] = False
        state.clock[LEFT] -= 1
        if state.clock[LEFT] == 1:
            for arm in range(len(state.active)):
                if state.active[arm]:
                    state.clock[WINNER] = arm


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """Once one arm is active, to the end."""
    return FOREVER if state.clock[LEFT] == 1 else 0


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The active arm whose worst record against another active one is best."""
    best = 0
    highest = -math.inf

    for i in range(len(state.active)):
        worst = math.inf
        for j in range(len(state.active)):
            if state.active[i] and state.active[j] and i != j:
                row = min(i, j)
                column = max(i, j)
                lead = state.lead[row, column] / max(state.duels[row, column], 1.0)
                worst = min(worst, lead if i < j else -lead)
        if state.active[i] and worst > highest:
            best = i
            highest = worst

    action[0] = best
    action[1] = best


@kernel
def active_sets(params: Params, state: State) -> tuple[Bools, int]:
    """The active arms, and how many were eliminated."""
    return state.active, len(state.active) - state.clock[LEFT]


def status(params: Params, state: State, t: int) -> list[list[LevelReport]]:
    """Per arm: whether it is active, and its record against the leader."""
    action = np.zeros(2, dtype=np.int64)
    recommend(params, state, action)
    leader = int(action[0])

    lead = (state.lead - state.lead.T)[leader]
    duels = (state.duels + state.duels.T)[leader]
    return level_reports(state.active, leader, lead, duels, state.bar[0])


def warm_start(params: Params, state: State, wins: Floats) -> None:
    """Past duels count like duels played; pairs with fewer of them come first."""
    counts = wins + wins.T
    state.lead[:] = np.triu(wins - 0.5 * counts, 1)
    state.duels[:] = np.triu(counts, 1)

    duels = state.duels[state.order[:, 0], state.order[:, 1]]
    state.order[:] = state.order[np.argsort(duels, kind="stable")]
    state.clock[EDGE] = (duels == duels.min()).sum()
    state.clock[DONE] = duels.min()

    for i, j in state.order:
        eliminate(state, i, j)


def p_values(params: Params, state: State) -> list[Floats]:
    """1 / T for an eliminated arm, within the horizon."""
    arms = len(state.active)
    # delta = 1 / T, from bar = log(K (K - 1) T^2) / 2
    failure = math.sqrt(arms * (arms - 1) * math.exp(-2.0 * state.bar[0]))
    return eliminated_p_values(state.active, failure)
