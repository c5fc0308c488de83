"""TEA, the Temporary Elimination Algorithm for factored bandits (Algorithm 1 of the paper).

Zimmert & Seldin, Factored Bandits, NeurIPS 2018. One Temporary Elimination Module per factor. In
every phase each module plays each of its active levels at least once, in random order, and compares
levels that met the same random reference set. A level is eliminated while another one leads it with
high confidence, and re-enters when the confidence asked for has grown. TEA needs neither the
horizon nor the form in which the factors combine.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("rank1", factors=[[0.9, 0.3, 0.2], [0.9, 0.4]])
    >>> result = fb.simulate("tea", environment, 20_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Info, LevelReport
from factored_bandits.policies.tem.active_set import (
    idle_rounds,
    leader,
    number_of_changes,
    refresh_active_sets,
)
from factored_bandits.policies.tem.bounds import log_f
from factored_bandits.policies.tem.phase import feedback, schedule
from factored_bandits.policies.tem.report import level_reports, p_value, propensity
from factored_bandits.policies.tem.state import State, new_state

INFO = Info(
    title="Temporary Elimination Algorithm",
    kind="factored",
    scale=(-1.0, 1.0),
    assumption="uniform identifiability",
    guarantee="O(kappa sum log(t) / gap) + O(max K sum log K), anytime (Theorem 2)",
    reference="Zimmert & Seldin, Factored Bandits, NeurIPS 2018, Algorithms 1 and 3",
    shuffled=True,
    style=("blue", "solid"),
    cost=(40, 1),
    narrow=True,
    theorem=2,
)


class Params(NamedTuple):
    """The confidence bound that eliminates levels: the paper's, or a sharper one."""

    bound: Literal["paper", "hoeffding", "bernstein", "betting"] = "paper"


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Line 1: a new module per factor."""
    return new_state(sizes, params.bound)


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Lines 4-7: a phase as long as the largest active set, scheduled by each module on its own."""
    # delta = 1 / f(t)
    longest = refresh_active_sets(state, log_f(float(t)))
    for l in range(len(state.active_count)):
        schedule(state, l, longest, rng, actions)
    return longest


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Lines 10-11: every module gets the rewards of the phase."""
    for l in range(len(state.active_count)):
        feedback(state, l, actions, rewards)


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """One active level per factor: nothing changes until log f(t) reaches the smallest tau."""
    return idle_rounds(state, t)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor, the active level with the smallest worst deficit."""
    for l in range(len(state.active_count)):
        action[l] = leader(state, l)


@kernel
def active_sets(params: Params, state: State) -> tuple[Bools, int]:
    """The active sets, and how often they have changed."""
    return state.active, number_of_changes(state)


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """Per factor the probability of each level in any round of the phase just planned."""
    return [propensity(state, l, length) for l in range(len(state.active_count))]


def status(params: Params, state: State, t: int) -> list[list[LevelReport]]:
    """Per factor and level: active or not, gap to the leader, its lower bound, re-entry round."""
    return [level_reports(state, l, t) for l in range(len(state.active_count))]


def p_values(params: Params, state: State) -> list[Floats]:
    """Per factor and level an anytime p-value of its being the best."""
    return [p_value(state, l) for l in range(len(state.active_count))]
