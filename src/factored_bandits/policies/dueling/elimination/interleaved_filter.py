"""Interleaved Filter (Yue, Broder, Kleinberg & Joachims 2012): a candidate duels all other arms.

A random candidate duels every active arm, once per pass. Arms that it beats with high confidence
are eliminated; if an arm beats the candidate with high confidence, that arm becomes the candidate,
the old one is eliminated, and so is every arm that it was ahead of (the pruning of IF2).
Exploration ends with one active arm, which is played to the end. A pass is a block.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(4, 0.9)
    >>> policy = "interleaved_filter"
    >>> result = fb.simulate(policy, environment, 10_000, repetitions=4, seed=1, progress=False)
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
from factored_bandits.core.rng import randint, shuffle
from factored_bandits.policies.base import FOREVER, Info, LevelReport
from factored_bandits.policies.blocks.duels import check_horizon, eliminated_p_values
from factored_bandits.policies.limits import COUNT, Within, fixed, index, slots

from ._report import level_reports

NOBODY = -1

# slots of State.clock
CANDIDATE = 0  # NOBODY before the first pass
LEFT = 1  # active rivals of the candidate

INFO = Info(
    title="Interleaved Filter",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="total order, strong stochastic transitivity, stochastic triangle inequality",
    guarantee="O(K log(T) / smallest gap) in expectation for horizon T",
    reference=(
        "Yue, Broder, Kleinberg & Joachims, The K-armed Dueling Bandits Problem, JCSS 78, 2012, "
        "Algorithm 2"
    ),
    self_duel="tie",
    needs_horizon=True,
    cost=(11, 0.4),
    slowdown=(3, 3),
)


class Params(NamedTuple):
    """No parameters: the error of a comparison is 1 / (T K^2)."""


class State(NamedTuple):
    """The candidate against every active rival."""

    lead: Floats  # (K,) the candidate's wins over each arm, less half of their duels
    plays: Ints  # (K,) duels of the candidate with each arm
    rivals: Ints  # (K,) the active arms besides the candidate first
    active: Bools  # (K,) the candidate and its rivals
    clock: Ints  # (2,) CANDIDATE, LEFT
    bar: Floats  # (1,) 4 log(1 / delta): a lead counts once its square exceeds this times the duels

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        arms = len(self.lead)
        return {
            "lead": Within(-MOST_ROUNDS, MOST_ROUNDS, 0.5),
            "plays": COUNT,
            "rivals": index(arms),
            "clock": slots(index(arms, nobody=True), index(arms)),
            "bar": fixed(self.bar),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """The active arms are the candidate and its rivals; without a candidate, all."""
        candidate, left = self.clock.tolist()
        listed = self.rivals.tolist()
        if candidate != NOBODY:
            listed = [candidate, *listed[:left]]
        if sorted(listed) != np.flatnonzero(self.active).tolist():
            return "rivals and the candidate are not the arms that are active"
        if candidate == NOBODY and left != len(listed) - 1:
            return "there is no candidate, and an arm was eliminated"
        return None


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse an unknown horizon."""
    check_horizon("interleaved_filter", horizon)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """All arms are active, no candidate is chosen."""
    arms = int(sizes[0])
    return State(
        lead=np.zeros(arms),
        plays=np.zeros(arms, dtype=np.int64),
        rivals=np.arange(arms),
        active=np.ones(arms, dtype=np.bool_),
        clock=np.array([NOBODY, arms - 1]),
        # Algorithm 2: delta = 1 / (T K^2)
        bar=np.array([4.0 * math.log(horizon * arms**2)]),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """A pass: the candidate against every active rival; against itself if there is none."""
    # Algorithm 2: a random first candidate
    if state.clock[CANDIDATE] == NOBODY:
        shuffle(rng, state.rivals, len(state.rivals))
        state.clock[CANDIDATE] = state.rivals[state.clock[LEFT]]

    eliminate(state, rng)
    candidate = state.clock[CANDIDATE]
    left = state.clock[LEFT]

    for row in range(left):
        actions[row, 0] = candidate
        actions[row, 1] = state.rivals[row]

    if left == 0:
        actions[0, 0] = candidate
        actions[0, 1] = candidate

    return max(left, 1)


@kernel
def decided(state: State, arm: int) -> bool:
    """Whether 1/2 is outside the interval q +- c, c = sqrt(4 log(1 / delta) / n)."""
    return state.lead[arm] * state.lead[arm] > state.bar[0] * state.plays[arm]


@kernel
def eliminate(state: State, rng: np.random.Generator) -> None:
    """Drop whom the candidate has beaten; if it was beaten itself, the winner replaces it."""
    # Algorithm 2: some w' with q_bw' + c < 1/2, one of them at random
    winner = NOBODY
    winners = 0
    for k in range(state.clock[LEFT]):
        rival = state.rivals[k]
        if state.lead[rival] < 0.0 and decided(state, rival):
            winners += 1
            if randint(rng, winners) == 0:
                winner = rival

    # Algorithm 2: drop w with q_bw - c > 1/2; with a winner (pruning) every w with q_bw > 1/2
    k = 0
    while k < state.clock[LEFT]:
        rival = state.rivals[k]
        if rival == winner:
            remove_rival(state, k)
        elif state.lead[rival] > 0.0 and (winner != NOBODY or decided(state, rival)):
            remove_rival(state, k)
            state.active[rival] = False
        else:
            k += 1

    # Algorithm 2: b <- w', with fresh statistics
    if winner != NOBODY:
        state.active[state.clock[CANDIDATE]] = False
        state.clock[CANDIDATE] = winner
        for arm in range(len(state.lead)):
            state.lead[arm] = 0.0
            state.plays[arm] = 0


@kernel
def remove_rival(state: State, k: int) -> None:
    """One rival fewer."""
    state.clock[LEFT] -= 1
    state.rivals[k] = state.rivals[state.clock[LEFT]]


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Who leads; late duels of a former candidate do not matter."""
    for row in range(len(rewards)):
        rival = actions[row, 1]
        if actions[row, 0] == state.clock[CANDIDATE] and rival != state.clock[CANDIDATE]:
            state.lead[rival] += rewards[row] - 0.5
            state.plays[rival] += 1


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """Once no rival is left, to the end."""
    return FOREVER if state.clock[LEFT] == 0 else 0


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The candidate, or the rival that is furthest ahead of it."""
    best = max(state.clock[CANDIDATE], 0)
    lead = 0.0

    for k in range(state.clock[LEFT]):
        rival = state.rivals[k]
        if state.lead[rival] < lead:
            best = rival
            lead = state.lead[rival]

    action[0] = best
    action[1] = best


@kernel
def active_sets(params: Params, state: State) -> tuple[Bools, int]:
    """The candidate and its rivals, and how many arms were eliminated."""
    return state.active, len(state.active) - 1 - state.clock[LEFT]


def status(params: Params, state: State, t: int) -> list[list[LevelReport]]:
    """Per arm: whether it is active, and its record against the candidate."""
    candidate = int(state.clock[CANDIDATE])
    return level_reports(state.active, candidate, state.lead, state.plays, state.bar[0])


def p_values(params: Params, state: State) -> list[Floats]:
    """1 / T for an eliminated arm, within the horizon."""
    # K^2 delta, delta = 1 / (T K^2)
    failure = len(state.lead) ** 2 * math.exp(-0.25 * state.bar[0])
    return eliminated_p_values(state.active, failure)
