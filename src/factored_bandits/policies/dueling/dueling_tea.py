"""Dueling TEA (Zimmert & Seldin, NeurIPS 2018, Algorithm 2): the best of K from "which of these two
is better?".

One Temporary Elimination Module. In every phase two random orders of the active arms are played
against each other; the arm in the first place learns from the outcome, the arm in the second place
is the random company that makes the comparison fair. Each arm stands once in each place per phase.

`positions="both"` lets the arm in the second place learn too, from the same outcome with the sign
changed: twice the comparisons per phase, and half the regret (measured: 3600 instead of 7000 with
16 arms). It goes beyond the paper's proof: the outcome of the duel i-j then enters the comparison
of i with j from both sides at once, so that the two terms of a phase are no longer independent, and
Theorem 3 would need an argument of its own.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.9)
    >>> result = fb.simulate("dueling_tea", environment, horizon=20_000, repetitions=4, seed=1, progress=False)
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
from factored_bandits.policies.dueling.elimination._report import confidence_of_modules
from factored_bandits.policies.tem.active_set import (
    active_set,
    changes,
    feedback,
    feedback_both,
    idle_rounds,
    leader,
    schedule,
)
from factored_bandits.policies.tem.bounds import log_f
from factored_bandits.policies.tem.report import level_reports, p_value, propensity
from factored_bandits.policies.tem.state import State, new_state

FIRST: Code = 0  # Params.positions
PAPER: Code = 0  # Params.bound
HOEFFDING: Code = 1

INFO = Info(
    title="Dueling Temporary Elimination Algorithm",
    kind="duel",
    scale=(-1.0, 1.0),
    assumption="utility",
    guarantee="O(sum log(t) / gap) + O(K), anytime (Theorem 3)",
    reference="Zimmert & Seldin, Factored Bandits, NeurIPS 2018, Algorithms 2 and 3",
    shuffled=True,
    style=("blue", "dashdot"),
    cost=(19, 0.4),
    theorem=3,
)


class Params(NamedTuple):
    """The confidence bound, the paper's or a sharper one; and which places learn from an outcome."""

    bound: Literal["paper", "hoeffding", "bernstein", "betting"] = "paper"
    positions: Literal["first", "both"] = "first"


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Line 1: one module over the arms."""
    if params.positions != FIRST and params.bound not in (PAPER, HOEFFDING):
        raise InvalidInputError(
            "dueling_tea: positions='both' uses one outcome twice, which bernstein and betting "
            "bounds do not allow; "
            "use bound='paper' or 'hoeffding', or positions='first'"
        )
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
    """Line 10: the outcome belongs to the arm in the first place; or to both."""
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
    """The active arm with the smallest worst deficit, in both places."""
    action[0] = leader(state, 0)
    action[1] = action[0]


@kernel
def active_sets(params: Params, state: State) -> tuple[Bools, int]:
    """The active set, and how often it has changed."""
    return state.active, changes(state)


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """Per place the chance of each arm in the phase just planned."""
    return [propensity(state, 0, length)] * 2


def status(params: Params, state: State, t: int) -> list[list[LevelReport]]:
    """Per arm: in or out, gap to the leader, its lower bound, the round of return."""
    return [level_reports(state, 0, t)]


def confidence(params: Params, state: State, t: int) -> float | None:
    """How sure the module is of the arm left; 0 while another one is in; nothing is proved for both
    positions.
    """
    return confidence_of_modules(state) if params.positions == FIRST else None


def p_values(params: Params, state: State) -> list[Floats] | None:
    """Per arm an anytime p-value of its being the best; nothing is proved for both positions."""
    return [p_value(state, 0)] if params.positions == FIRST else None
