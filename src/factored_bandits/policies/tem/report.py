"""What the modules know, told to people: chances of a phase, and where every level stands."""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.policies.base import LevelReport

from .active_set import leader
from .bounds import first_round_at, log_f, radius, spent
from .state import AWAY, CONSTANT, State, full_tau, pair


def propensity(state: State, l: int, length: int) -> Floats:
    """The chance of each level of factor l at any place of a phase of `length` plays, before the
    phase was drawn.
    """
    s = slice(state.start[l], state.start[l + 1])
    active = state.active[s]
    loyal = state.membership[s] != AWAY
    extra = (
        length - active.sum()
    ) / loyal.sum()  # expected plays beyond the first, for each level of B
    return np.asarray((active + extra * loyal) / length)


def level_reports(state: State, l: int, t: int) -> list[LevelReport]:
    """What the module of factor l knows of each level at round t."""
    size = int(state.start[l + 1] - state.start[l])
    best = int(leader(state, l))
    rows = []

    for i in range(size):
        active = bool(state.active[state.start[l] + i])
        difference, n = pair(state, l, best, i)
        gap = lower = math.nan
        if n > 0 and i != best:
            gap = float(difference / n)
            lower = gap - radius(n, size, log_f(float(t)), *evidence_of(state, l, best, i))
        tau = full_tau(state, l, i)
        reentry = None if active else max(t, first_round_at(tau))
        rows.append(
            LevelReport(active, 0.0 if i == best else gap, 0.0 if i == best else lower, reentry)
        )

    return rows


def p_value(state: State, l: int) -> Floats:
    """Per level of factor l what is left of the hypothesis that it is the best: an anytime p-value.

    If a level is the best, its p_value ever falls to alpha with chance at most alpha
    (docs/explanation/certificates.md).
    """
    size = int(state.start[l + 1] - state.start[l])
    constant = float(state.levels[l, CONSTANT])
    if size == 1:
        return np.ones(1)
    most = math.log(spent(size, constant))
    return np.array([math.exp(min(0.0, most - full_tau(state, l, i))) for i in range(size)])


def evidence_of(state: State, l: int, i: int, j: int) -> tuple[float, float]:
    """The constant of the bound, and the evidence for arm i over arm j where the bound keeps some."""
    constant = float(state.levels[l, CONSTANT])
    size = int(state.start[l + 1] - state.start[l])
    return constant, 0.0 if constant > 0.0 else float(
        state.evidence[state.pair_start[l] + i * size + j]
    )
