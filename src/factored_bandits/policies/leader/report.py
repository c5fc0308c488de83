"""What is known, told to people: probabilities of a block, and a report on every level."""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.policies.base import LevelReport

from .state import NOBODY, State, pair_index
from .thresholds import first_round_at


def propensity(state: State, l: int, length: int) -> Floats:
    """The probability of each level of factor l in any round of the block just planned.

    Given the candidates that stand in it: every order of the column is equally likely.
    """
    base = int(state.offsets[l])
    size = int(state.offsets[l + 1]) - base
    count = int(state.planned_count[l])
    plays = np.zeros(size)
    plays[state.planned[base : base + count]] = 1.0

    if state.leader[l] == NOBODY:
        plays += (length - count) / size
    else:
        plays[state.leader[l]] += length - count
    return np.asarray(plays / length)


def level_reports(state: State, l: int, t: int) -> list[LevelReport]:
    """What is known of each level of factor l at round t."""
    size = int(state.offsets[l + 1] - state.offsets[l])
    return [_level_report(state, l, i, t) for i in range(size)]


def _level_report(state: State, l: int, i: int, t: int) -> LevelReport:
    at = int(state.offsets[l]) + i
    leader = int(state.leader[l])
    active = bool(state.active[at])
    if i == leader:
        return LevelReport(active, 0.0, 0.0, None)

    reentry = None if active else max(t, int(first_round_at(float(state.threshold[at]))))
    own = pair_index(state, l, i, leader)
    blocks = float(state.blocks[own]) if leader != NOBODY else 0.0
    if blocks == 0.0:
        return LevelReport(active, math.nan, math.nan, reentry)

    # bets decide between "ahead" and "not ahead" and bound no distance
    gap = float(state.means[pair_index(state, l, leader, i)] - state.means[own]) / blocks
    return LevelReport(active, gap, math.nan, reentry)


def p_value(state: State, l: int) -> Floats:
    """Per level of factor l an anytime p-value of its being the best: 1 / its largest wealth."""
    levels = slice(state.offsets[l], state.offsets[l + 1])
    return np.asarray(np.exp(-state.peak[levels]))
