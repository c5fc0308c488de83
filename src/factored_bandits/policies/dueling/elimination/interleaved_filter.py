"""Interleaved Filter (Yue, Broder, Kleinberg & Joachims 2012): a candidate duels all others until
somebody beats it.

A random candidate duels every arm left, once per pass. Arms that it beats with high confidence go out; if
an arm beats the candidate with high confidence, that arm becomes the candidate, the old one goes out, and
so does every arm that it was ahead of (the pruning of IF2). Exploration ends with one arm left,
which is played to the end. A pass is a block.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(4, 0.9)
    >>> result = fb.simulate("interleaved_filter", environment, horizon=10_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint, shuffle_column
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import FOREVER, Info, LevelReport

from ._report import level_reports

CANDIDATE, LEFT, CHANGES = 0, 1, 2  # places in State.clock

INFO = Info(
    title="Interleaved Filter",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="total order, strong stochastic transitivity, stochastic triangle inequality",
    guarantee="O(K log(T) / smallest gap) in expectation for horizon T",
    reference="Yue, Broder, Kleinberg & Joachims, The K-armed Dueling Bandits Problem, JCSS 78, 2012, Algorithm 2",
    needs_horizon=True,
    cost=(11, 0.4),
    slowdown=(3, 3),
)


class Params(NamedTuple):
    """No parameters: the error of a comparison is 1 / (T K^2)."""


class State(NamedTuple):
    """The candidate against everyone left."""

    lead: Floats  # (K,) the candidate's wins over each arm, less half of their duels
    plays: Ints  # (K,) duels of the candidate with each arm
    rivals: Ints  # (K, 1) the arms left besides the candidate, packed
    active: Bools  # (K,) the candidate and its rivals
    # (3,) the candidate, -1 before the first pass; how many rivals; how often arms went out
    clock: Ints
    bar: Floats  # (1,) 4 ln(1 / delta): a lead counts once its square exceeds this times the duels


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """All arms are left, no candidate is chosen."""
    if horizon == 0:
        raise InvalidInputError(
            "interleaved_filter sets its confidence by the horizon: say for how many rounds it "
            "will play"
        )

    arms = int(sizes[0])
    return State(
        lead=np.zeros(arms),
        plays=np.zeros(arms, dtype=np.int64),
        rivals=np.arange(arms).reshape(-1, 1),
        active=np.ones(arms, dtype=np.bool_),
        clock=np.array([-1, arms - 1, 0]),
        bar=np.array([4.0 * math.log(horizon * arms**2)]),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """A pass: the candidate against everyone left; against itself if nobody is."""
    if state.clock[CANDIDATE] < 0:
        shuffle_column(rng, state.rivals, 0, len(state.rivals))
        state.clock[CANDIDATE] = state.rivals[state.clock[LEFT], 0]

    sift(state, rng)
    candidate = state.clock[CANDIDATE]
    left = state.clock[LEFT]

    for row in range(left):
        actions[row, 0] = candidate
        actions[row, 1] = state.rivals[row, 0]

    if left == 0:
        actions[0, 0] = candidate
        actions[0, 1] = candidate

    return max(left, 1)


@kernel
def decided(state: State, arm: int) -> bool:
    """Is 1/2 outside the interval q +- sqrt(4 ln(1 / delta) / n)?"""
    return state.lead[arm] * state.lead[arm] > state.bar[0] * state.plays[arm]


@kernel
def sift(state: State, rng: np.random.Generator) -> None:
    """Drop whom the candidate has beaten; if it was beaten itself, the winner (one of them) takes
    its place.
    """
    winner = -1
    winners = 0

    for row in range(state.clock[LEFT]):
        rival = state.rivals[row, 0]
        if state.lead[rival] < 0.0 and decided(state, rival):
            winners += 1
            if randint(rng, winners) == 0:
                winner = rival

    row = 0
    while row < state.clock[LEFT]:
        rival = state.rivals[row, 0]
        if rival == winner:
            leave(state, row)
        elif state.lead[rival] > 0.0 and (winner >= 0 or decided(state, rival)):
            leave(state, row)
            state.active[rival] = False
        else:
            row += 1

    if winner >= 0:
        state.active[state.clock[CANDIDATE]] = False
        state.clock[CANDIDATE] = winner
        for arm in range(len(state.lead)):
            state.lead[arm] = 0.0
            state.plays[arm] = 0


@kernel
def leave(state: State, row: int) -> None:
    """One rival fewer."""
    state.clock[LEFT] -= 1
    state.clock[CHANGES] += 1
    state.rivals[row, 0] = state.rivals[state.clock[LEFT], 0]


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Who leads; duels of a former candidate came too late to matter."""
    for row in range(len(rewards)):
        rival = actions[row, 1]
        if actions[row, 0] == state.clock[CANDIDATE] and rival != state.clock[CANDIDATE]:
            state.lead[rival] += rewards[row] - 0.5
            state.plays[rival] += 1


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """Once nobody else is left, to the end."""
    return FOREVER if state.clock[LEFT] == 0 else 0


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The candidate, or the rival that is furthest ahead of it."""
    best = max(state.clock[CANDIDATE], 0)
    lead = 0.0

    for row in range(state.clock[LEFT]):
        if state.lead[state.rivals[row, 0]] < lead:
            best = state.rivals[row, 0]
            lead = state.lead[best]

    action[0] = best
    action[1] = best


@kernel
def active_sets(params: Params, state: State) -> tuple[Bools, int]:
    """The candidate and its rivals, and how often arms went out."""
    return state.active, state.clock[CHANGES]


def status(params: Params, state: State, t: int) -> list[list[LevelReport]]:
    """Per arm: in or out, and its record against the candidate."""
    return level_reports(
        state.active, int(state.clock[CANDIDATE]), state.lead, state.plays, state.bar[0]
    )


def confidence(params: Params, state: State, t: int) -> float:
    """1 - 1 / T once nobody else is left."""
    return (
        1.0 - len(state.lead) ** 2 * math.exp(-0.25 * state.bar[0])
        if state.clock[LEFT] == 0
        else 0.0
    )
