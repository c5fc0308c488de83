"""What the modules know, told to people: probabilities of a phase, and a report on every level."""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.policies.base import LevelReport

from .active_set import leader
from .bounds import first_round_at, log_f, radius, spent
from .state import OUTSIDE_B, State, evidence_of, full_tau, pair


def propensity(state: State, l: int, length: int) -> Floats:
    """The probability of each level of factor l in any round of a phase of `length` plays.

    Seen from before the phase was drawn.
    """
    levels = slice(state.offsets[l], state.offsets[l + 1])
    active = state.active[levels]
    in_B = state.membership[levels] != OUTSIDE_B

    # expected plays beyond the first, for each level of B
    extra = (length - np.count_nonzero(active)) / np.count_nonzero(in_B)
    return np.asarray((active + extra * in_B) / length)


def level_reports(state: State, l: int, t: int) -> list[LevelReport]:
    """What the module of factor l knows of each level at round t."""
    size = int(state.offsets[l + 1] - state.offsets[l])
    best = int(leader(state, l))
    return [_level_report(state, l, i, best, t) for i in range(size)]


def _level_report(state: State, l: int, i: int, best: int, t: int) -> LevelReport:
    size = int(state.offsets[l + 1] - state.offsets[l])
    active = bool(state.active[state.offsets[l] + i])
    reentry = None if active else max(t, first_round_at(full_tau(state, l, i)))
    if i == best:
        return LevelReport(active, 0.0, 0.0, reentry)

    difference, n = pair(state, l, best, i)
    if n == 0:
        return LevelReport(active, math.nan, math.nan, reentry)

    gap = float(difference / n)
    evidence = float(evidence_of(state, l, best, i))
    lower = gap - radius(n, size, log_f(float(t)), int(state.bound[0]), evidence)
    return LevelReport(active, gap, lower, reentry)


def p_value(state: State, l: int) -> Floats:
    """Per level of factor l an anytime p-value of the hypothesis that it is the best.

    If a level is the best, its p-value ever falls to alpha with probability at most alpha
    (docs/explanation/certificates.md).
    """
    size = int(state.offsets[l + 1] - state.offsets[l])
    if size == 1:
        return np.ones(1)

    log_spent = math.log(spent(size, int(state.bound[0])))
    taus = [full_tau(state, l, i) for i in range(size)]
    return np.array([math.exp(min(0.0, log_spent - tau)) for tau in taus])
