"""What `duel_top_two` knows: a belief about the utilities of all levels, and bets on each.

A duel has two sides, and each side a level of every one of L factors; with one factor the levels
are the arms. An action has 2 L columns: the levels of the first side, then those of the second. In
arrays over levels, factor l occupies offsets[l] to offsets[l + 1].
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints, offsets_of
from factored_bandits.policies.blocks.gaussian import covariance_limits
from factored_bandits.policies.limits import (
    COUNT,
    LARGEST_SUM,
    SUM,
    Within,
    fixed,
    index,
    slots,
)

# slots of State.clock
ASKED = 0  # duels planned
LEARNED = 1  # verdicts learned
SURE = 2  # 1 if the leaders are likely enough to be the best

# no p-value is smaller than exp(-LARGEST_LOG)
LARGEST_LOG = 690.0


class Params(NamedTuple):
    """`delta`, the error of the certificate that is aimed at, and the prior.

    `variance` is that of the utility of a combination before anything is known, shared equally by
    the factors.
    """

    delta: float = 0.05
    variance: float = 1.0


class State(NamedTuple):
    """The posterior of d utilities, and what was won by betting that a level is not the best."""

    offsets: Ints  # (L + 1,) first level of each factor
    mean: Floats  # (d,)
    factor: Floats  # (d, d) F with F'F the covariance
    wealth: Floats  # (d,) log
    peak: Floats  # (d,) log of the most ever owned, at least 0
    active: Bools  # (d,) not ruled out with probability of error delta / L
    changes: Ints  # (1,) how often `active` changed
    turn: Ints  # (L,) the level with which the search for the next certifying duel begins
    clock: Ints  # (3,) ASKED, LEARNED, SURE

    # scratch
    lead: Ints  # (L,)
    first: Ints  # (L,) one side of a duel
    second: Ints  # (L,) the other
    weights: Floats  # (d,) drawn utilities
    work: Floats  # (d,)
    phi: Floats  # (d,) F x

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        levels = index(np.diff(self.offsets))
        return {
            "offsets": fixed(self.offsets),
            "mean": SUM,
            "factor": covariance_limits(self.factor),
            "wealth": Within(-LARGEST_SUM, LARGEST_LOG),
            "peak": Within(0.0, LARGEST_LOG),
            "changes": Within(0, len(self.mean)),
            "turn": levels,
            "clock": slots(COUNT, COUNT, Within(0, 1)),
            "lead": levels,
            "first": levels,
            "second": levels,
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """No wealth is above its peak, and every factor has an active level."""
        above = np.flatnonzero(self.wealth > self.peak)
        if len(above):
            return f"the wealth of level {above[0]} is above its peak"
        if not np.logical_or.reduceat(self.active, self.offsets[:-1]).all():
            return "a factor has no active level"
        return None


def new_state(params: Params, sizes: Ints) -> State:
    """Nothing known; `sizes` are those of one side."""
    factors = len(sizes)
    d = int(np.sum(sizes))
    return State(
        offsets=offsets_of(sizes),
        mean=np.zeros(d),
        factor=np.eye(d) * math.sqrt(params.variance / factors),
        wealth=np.zeros(d),
        peak=np.zeros(d),
        active=np.ones(d, dtype=np.bool_),
        changes=np.zeros(1, dtype=np.int64),
        turn=np.zeros(factors, dtype=np.int64),
        clock=np.zeros(3, dtype=np.int64),
        lead=np.zeros(factors, dtype=np.int64),
        first=np.zeros(factors, dtype=np.int64),
        second=np.zeros(factors, dtype=np.int64),
        weights=np.zeros(d),
        work=np.zeros(d),
        phi=np.zeros(d),
    )
