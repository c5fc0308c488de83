"""Dueling TEA: the best of K from "which of these two is better?" (Algorithm 2 of the paper).

Zimmert & Seldin, Factored Bandits, NeurIPS 2018. One Temporary Elimination Module. In every phase
two random orders of the active arms are played against each other. The arm in the first position
learns from the outcome; the arm in the second position is the random reference that makes the
comparison fair. Each arm is once in each position per phase.

`positions="both"` lets the arm in the second position learn too, from the same outcome with the
sign changed: twice the comparisons per phase, and half the regret (measured: 3600 instead of 7000
with 16 arms). It goes beyond the paper's proof: the outcome of the duel i-j then enters the
comparison of i with j from both sides at once, so that the two terms of a phase are no longer
independent, and Theorem 3 would need an argument of its own.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.9)
    >>> result = fb.simulate(
    ...     "dueling_tea", environment, 20_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import shuffle_column
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Code, Info, LevelReport
from factored_bandits.policies.tem.active_set import (
    active_set,
    idle_rounds,
    leader,
    number_of_changes,
)
from factored_bandits.policies.tem.bounds import log_f, pairs_plays
from factored_bandits.policies.tem.phase import feedback, feedback_both, schedule
from factored_bandits.policies.tem.report import level_reports, p_value, propensity
from factored_bandits.policies.tem.state import State, new_state

# Params.positions
FIRST: Code = 0

INFO = Info(
    title="Dueling Temporary Elimination Algorithm",
    kind="duel",
    scale=(-1.0, 1.0),
    assumption="utility",
    guarantee="O(sum log(t) / gap) + O(K), anytime (Theorem 3)",
    reference="Zimmert & Seldin, Factored Bandits, NeurIPS 2018, Algorithms 2 and 3",
    self_duel="tie",
    shuffled=True,
    style=("blue", "dashdot"),
    cost=(19, 0.4),
    theorem=3,
)


class Params(NamedTuple):
    """The confidence bound, the paper's or a sharper one; which positions learn from an outcome."""

    bound: Literal["paper", "hoeffding", "bernstein", "betting"] = "paper"
    positions: Literal["first", "both"] = "first"


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse the bounds that compare play with play if both positions learn."""
    if params.positions != FIRST and pairs_plays(params.bound):
        raise InvalidInputError(
            "dueling_tea: positions='both' uses one outcome twice, which bernstein and betting "
            "bounds do not allow; use bound='paper' or 'hoeffding', or positions='first'"
        )


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Line 1: one module over the arms."""
    return new_state(np.asarray(sizes[:1]), params.bound)


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Lines 4-7: the active arms in two random orders."""
    length = active_set(state, 0, log_f(float(t)))
    schedule(state, 0, length, rng, actions)
    for row in range(length):
        actions[row, 1] = state.active_list[row]
    shuffle_column(rng, actions, 1, length)
    return length


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Line 10: the outcome belongs to the arm in the first position; or to both."""
    if params.positions == FIRST:
        feedback(state, 0, actions, rewards)
    else:
        feedback_both(state, actions, rewards)


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """One active arm duels itself until log f(t) reaches the smallest tau."""
    return idle_rounds(state, t)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The active arm with the smallest worst deficit, in both positions."""
    action[0] = leader(state, 0)
    action[1] = action[0]


@kernel
def active_sets(params: Params, state: State) -> tuple[Bools, int]:
    """The active set, and how often it has changed."""
    return state.active, number_of_changes(state)


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """Per position the probability of each arm in any round of the phase just planned."""
    return [propensity(state, 0, length)] * 2


def status(params: Params, state: State, t: int) -> list[list[LevelReport]]:
    """Per arm: active or not, gap to the leader, its lower bound, re-entry round."""
    return [level_reports(state, 0, t)]


def p_values(params: Params, state: State) -> list[Floats] | None:
    """Per arm an anytime p-value of its being the best; nothing is proved for both positions."""
    return [p_value(state, 0)] if params.positions == FIRST else None
