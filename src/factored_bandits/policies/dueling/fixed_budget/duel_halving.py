"""Halving for duels: in each of log2 K rounds the better half of the arms stays.

A budget of N duels is shared equally by ceil(log2 K) rounds. In a round the arms that are left meet
in random pairs, all of them before any meets again. An arm's score is its share of wins over all of
its duels so far, a tie half a win; the better half stays for the next round. Sequential halving
(Karnin, Koren & Somekh, ICML 2013) with duels for pulls, and records that are kept from round to
round.

Verdicts may be late: a round then lasts until as many verdicts have come as it has duels, and what
it takes longer is taken from the rounds to come. So a round may be sent out at once, and no arm is
dropped unheard.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.8)
    >>> options = {"repetitions": 4, "seed": 1, "progress": False}
    >>> result = fb.simulate("duel_halving", environment, 400, **options)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import shuffle
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Info, LevelReport
from factored_bandits.policies.blocks.duel_bets import bet_on_duel
from factored_bandits.policies.blocks.wealth import (
    WEALTH_LIMITS,
    new_wealth,
    wealth_contradiction,
    wealth_p_values,
)
from factored_bandits.policies.limits import COUNT, WINS, Within, fixed, index, rows, slots

# slots of State.clock
ASKED = 0  # duels planned
LEARNED = 1  # verdicts learned
GOAL = 2  # verdicts with which the round ends
ROUNDS = 3  # rounds left, the present one among them
LEFT = 4  # arms left, the first of State.order
MET = 5  # of these, how many have met in the present matching

INFO = Info(
    title="Halving of duels",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="the best arm wins most against those that are left (Condorcet and Borda winner)",
    guarantee="none proved for duels; the p-values are anytime-valid for a Condorcet winner",
    reference=(
        "docs/explanation/fixed-budget.md; sequential halving is that of Karnin, Koren & Somekh, "
        "ICML 2013"
    ),
    needs_horizon=True,
    self_duel="tie",
    style=("sky", "sparse"),
    cost=(60, 0.3),
)


class Params(NamedTuple):
    """No parameters."""


class State(NamedTuple):
    """The records of all arms, and who is left."""

    wins: Floats  # (K,) over all rounds; a tie counts one half
    duels: Ints  # (K,)
    bets: Floats  # (4, K) that an arm is no Condorcet winner, see blocks.wealth
    order: Ints  # (K,) the arms, those that are left first, in the order in which they meet
    active: Bools  # (K,) whether an arm is left
    budget: Ints  # (1,) the horizon
    clock: Ints  # (6,) ASKED, LEARNED, GOAL, ROUNDS, LEFT, MET

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        arms = len(self.wins)
        rounds = Within(0, self.clock[ROUNDS])
        return {
            "wins": WINS,
            "duels": COUNT,
            "bets": rows(*WEALTH_LIMITS),
            "order": index(arms),
            "budget": fixed(self.budget),
            "clock": slots(COUNT, COUNT, COUNT, rounds, Within(1, arms), Within(0, arms)),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """Every arm stands once in `order`, those first that are left."""
        if len(np.unique(self.order)) != len(self.order):
            return "an arm stands twice in order"
        left = int(self.clock[LEFT])
        if not self.active[self.order[:left]].all() or self.active[self.order[left:]].any():
            return "active does not fit the order"
        return wealth_contradiction(self.bets)


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse an unknown horizon: it is what is shared among the rounds."""
    if horizon == 0:
        raise InvalidInputError(
            "duel_halving shares the budget of duels among its rounds: say how many there are "
            "(the horizon)"
        )


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """All arms are left; the first round takes its share of the budget."""
    arms = int(sizes[0])
    rounds = (arms - 1).bit_length()  # ceil(log2 K)
    goal = horizon // max(rounds, 1)
    return State(
        wins=np.zeros(arms),
        duels=np.zeros(arms, dtype=np.int64),
        bets=new_wealth(arms),
        order=np.arange(arms),
        active=np.ones(arms, dtype=np.bool_),
        budget=np.array([horizon]),
        # the first matching is drawn when it is needed
        clock=np.array([0, 0, goal, rounds, arms, arms]),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The next pair of a random matching of the arms that are left."""
    clock = state.clock
    # two arms are left in the last round, and go on until the end
    while clock[ROUNDS] > 1 and clock[LEARNED] >= clock[GOAL]:
        halve(state, rng)

    # if the number is odd, one arm sits out
    if clock[MET] + 1 >= clock[LEFT]:
        shuffle(rng, state.order, clock[LEFT])
        clock[MET] = 0

    actions[0, 0] = state.order[clock[MET]]
    actions[0, 1] = state.order[min(clock[MET] + 1, clock[LEFT] - 1)]
    clock[MET] += 2
    clock[ASKED] += 1
    return 1


@kernel
def halve(state: State, rng: np.random.Generator) -> None:
    """The better half stays, ties at random; the next round takes its share of what is left."""
    clock = state.clock
    order = state.order
    left = clock[LEFT]
    kept = (left + 1) // 2

    # a random order first: of equal scores the earlier one stays
    shuffle(rng, order, left)
    for slot in range(kept):
        best = slot
        for i in range(slot + 1, left):
            if score(state, order[i]) > score(state, order[best]):
                best = i
        arm = order[best]
        order[best] = order[slot]
        order[slot] = arm

    for i in range(kept, left):
        state.active[order[i]] = False

    clock[LEFT] = kept
    clock[MET] = kept
    clock[ROUNDS] -= 1
    rest = max(state.budget[0] - clock[ASKED], 0)
    clock[GOAL] = clock[ASKED] + rest // clock[ROUNDS]


@kernel
def score(state: State, arm: int) -> float:
    """The share of duels won, over all rounds; one half before the first."""
    if state.duels[arm] == 0:
        return 0.5
    return float(state.wins[arm] / state.duels[arm])


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Shares of wins, also of an arm that is not left: a late verdict counts against its rival."""
    state.clock[LEARNED] += 1
    first = actions[0, 0]
    second = actions[0, 1]
    if first != second:
        bet_on_duel(state.bets, first, second, rewards[0])
        state.wins[first] += rewards[0]
        state.wins[second] += 1.0 - rewards[0]
        state.duels[first] += 1
        state.duels[second] += 1


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The best score among the arms that are left."""
    best = state.order[0]
    for i in range(1, state.clock[LEFT]):
        arm = state.order[i]
        if score(state, arm) > score(state, best):
            best = arm

    action[0] = best
    action[1] = best


@kernel
def active_sets(params: Params, state: State) -> tuple[Bools, int]:
    """The arms that are left, and a number that changes with them."""
    return state.active, state.clock[ROUNDS]


def status(params: Params, state: State, t: int) -> list[list[LevelReport]]:
    """Per arm: left or not, and by how much its score trails that of the best that is left."""
    scores = np.array([score(state, arm) for arm in range(len(state.wins))])
    best = scores[state.active].max()
    reports = []
    for arm in range(len(scores)):
        gap = float(best - scores[arm]) if state.duels[arm] else math.nan
        reports.append(LevelReport(bool(state.active[arm]), gap, math.nan, None))
    return [reports]


def p_values(params: Params, state: State) -> list[Floats]:
    """Per arm an anytime p-value of its being a Condorcet winner."""
    return wealth_p_values(state.bets, np.array([0, len(state.wins)]))
