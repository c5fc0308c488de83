"""The state of the Temporary Elimination Modules of all factors, and what can be read off it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Code
from factored_bandits.policies.limits import COUNT, HUGE_SUM, SUM, Within, fixed, index, level_index

from .bounds import BETTING, NEVER, PAPER, pairs_plays, threshold

# State.membership
OUTSIDE_B = 0
IN_B = 1
# in B, in every phase so far, and as often as every other member
IN_COHORT = 2

# State.dirty: what was learned since the last getActiveSet
NOTHING_LEARNED = 0
# nothing that can eliminate an active arm
QUIET = 1
# an active arm may have to be eliminated; its tau is up to date
ALARM = 2
# every tau has to be computed anew
STALE = 3


class State(NamedTuple):
    """L modules side by side.

    Factor l occupies `offsets[l]` to `offsets[l + 1]` of an array over levels. Its pair (i, j) is
    at `pair_offsets[l] + i K + j` of an array over pairs.
    """

    offsets: Ints  # (L + 1,)
    pair_offsets: Ints  # (L + 1,)
    bound: Ints  # (1,) PAPER, HOEFFDING, BERNSTEIN or BETTING

    # The globals of Algorithm 3
    active: Bools  # (levels,) K*, as flags
    active_list: Ints  # (levels,) K*, as arms, packed at the beginning of each factor
    active_count: Ints  # (L,) |K*|
    membership: Ints  # (levels,) OUTSIDE_B, IN_B or IN_COHORT
    D: Floats  # (pairs,) i < j, sum of differences of i over j; not inside the cohort
    N: Ints  # (pairs,) i < j, how many comparisons; not inside the cohort
    S: Floats  # (levels,) sum of rewards: D_ij = S_i - S_j inside the cohort
    cohort_N: Ints  # (L,) N of every pair inside the cohort

    # What bernstein and betting know beyond D and N; else empty
    evidence: Floats  # (pairs,) of i over j; bernstein: V; betting: log wealth
    sum_of_squares: Floats  # (pairs,) i < j, of the paired differences; betting only

    # Line 10, solved for log(1 / delta)
    tau: Floats  # (levels,) complete if eliminated, else only terms above log_inv_delta count
    lowest_tau: Floats  # (L,) of the eliminated arms: where the next one re-enters
    log_inv_delta: Floats  # (L,) of the last getActiveSet
    dirty: Ints  # (L,) NOTHING_LEARNED, QUIET, ALARM or STALE
    changes: Ints  # (L,) how often K* has changed

    # One phase, scratch
    phase_arms: Ints  # (levels,) the arms that play, those outside the cohort first
    phase_plays: Ints  # (levels,) N_s of the arms that play, else 0
    phase_sums: Floats  # (levels,) R_s
    phase_means: Floats  # (levels,) R_s / N_s
    phase_first: Ints  # (levels,) where the rewards of an arm begin in phase_rewards
    phase_rewards: Floats  # (largest K,) bernstein and betting: the rewards arm by arm

    def limits(self, params: Any) -> dict[str, Within]:
        """What the arrays may hold."""
        sizes = np.diff(self.offsets)
        return {
            "offsets": fixed(self.offsets),
            "pair_offsets": fixed(self.pair_offsets),
            "bound": fixed(self.bound),
            "active_list": level_index(self.offsets),
            "active_count": Within(1, sizes),
            "membership": Within(OUTSIDE_B, IN_B if pairs_plays(self.bound[0]) else IN_COHORT),
            "D": SUM,
            "N": COUNT,
            "S": SUM,
            "cohort_N": COUNT,
            "tau": Within(NEVER, HUGE_SUM.high),
            "lowest_tau": Within(NEVER, math.inf),
            "log_inv_delta": Within(NEVER, HUGE_SUM.high),
            "sum_of_squares": Within(0.0, HUGE_SUM.high),
            "dirty": Within(NOTHING_LEARNED, STALE),
            "changes": COUNT,
            "phase_arms": level_index(self.offsets),
            "phase_plays": fixed(self.phase_plays),
            "phase_first": index(len(self.phase_rewards)),
        }

    def contradiction(self, params: Any, planned: Ints) -> str | None:
        """The lists of active arms are those flagged, and nothing is known without a comparison."""
        for l in range(len(self.active_count)):
            levels = slice(self.offsets[l], self.offsets[l + 1])
            listed = self.active_list[levels][: self.active_count[l]]
            if not np.array_equal(np.sort(listed), np.flatnonzero(self.active[levels])):
                return "active_list does not hold the arms that are active"

            membership = self.membership[levels]
            if not (membership[listed] != OUTSIDE_B).any():
                return "no active arm is in B"
            in_cohort = self.S[levels][membership == IN_COHORT]
            if self.cohort_N[l] == 0 and len(in_cohort) and np.ptp(in_cohort) > 0.0:
                return "S tells arms apart that were never compared"

        if self.D[self.N == 0].any():
            return "D tells arms apart that were never compared"
        return None


def new_state(sizes: Ints, bound: Code = PAPER) -> State:
    """Lines 1-3, initialize: modules for factors of these sizes, all arms active, nothing known."""
    sizes = np.asarray(sizes, dtype=np.int64)
    factors = len(sizes)
    offsets = offsets_of(sizes)
    pair_offsets = offsets_of(sizes**2)
    levels = int(offsets[-1])
    pairs = int(pair_offsets[-1])
    # evidence is kept pair by pair, so there is no cohort with it
    everyone = IN_B if pairs_plays(bound) else IN_COHORT

    return State(
        offsets=offsets,
        pair_offsets=pair_offsets,
        bound=np.array([bound], dtype=np.int64),
        active=np.ones(levels, dtype=np.bool_),
        active_list=np.concatenate([np.arange(size) for size in sizes]),
        active_count=sizes.copy(),
        membership=np.full(levels, everyone, dtype=np.int64),
        D=np.zeros(pairs),
        N=np.zeros(pairs, dtype=np.int64),
        S=np.zeros(levels),
        cohort_N=np.zeros(factors, dtype=np.int64),
        evidence=np.zeros(pairs if pairs_plays(bound) else 0),
        sum_of_squares=np.zeros(pairs if bound == BETTING else 0),
        tau=np.full(levels, NEVER),
        lowest_tau=np.full(factors, math.inf),
        log_inv_delta=np.full(factors, NEVER),
        dirty=np.full(factors, NOTHING_LEARNED, dtype=np.int64),
        changes=np.zeros(factors, dtype=np.int64),
        phase_arms=np.zeros(levels, dtype=np.int64),
        phase_plays=np.zeros(levels, dtype=np.int64),
        phase_sums=np.zeros(levels),
        phase_means=np.zeros(levels),
        phase_first=np.zeros(levels, dtype=np.int64),
        phase_rewards=np.zeros(int(sizes.max())),
    )


@kernel
def pair_index(state: State, l: int, i: int, j: int) -> int:
    """Where the pair (i, j) of factor l is in the arrays over pairs."""
    size = state.offsets[l + 1] - state.offsets[l]
    return state.pair_offsets[l] + i * size + j


@kernel
def pair(state: State, l: int, i: int, j: int) -> tuple[float, int]:
    """D_ij and N_ij of factor l."""
    base = state.offsets[l]
    if state.membership[base + i] == IN_COHORT and state.membership[base + j] == IN_COHORT:
        return state.S[base + i] - state.S[base + j], state.cohort_N[l]

    at = pair_index(state, l, min(i, j), max(i, j))
    difference = state.D[at]
    return difference if i < j else -difference, state.N[at]


@kernel
def evidence_of(state: State, l: int, i: int, j: int) -> float:
    """The evidence for arm i over arm j of factor l; 0 where the bound keeps none."""
    if pairs_plays(state.bound[0]):
        return state.evidence[pair_index(state, l, i, j)]
    return 0.0


@kernel
def full_tau(state: State, l: int, i: int) -> float:
    """Lines 9-10: the largest log(1 / delta) at which some arm eliminates arm i."""
    size = state.offsets[l + 1] - state.offsets[l]
    tau = NEVER

    for j in range(size):
        if j != i:
            difference, n = pair(state, l, j, i)
            evidence = evidence_of(state, l, j, i)
            tau = max(tau, threshold(state.bound[0], difference, n, size, evidence))

    return tau


@kernel
def leave_cohort(state: State, l: int, i: int) -> None:
    """Write out D and N of arm i; from now on it is compared pair by pair."""
    base = state.offsets[l]
    size = state.offsets[l + 1] - base
    state.membership[base + i] = IN_B

    for j in range(size):
        if state.membership[base + j] == IN_COHORT:
            difference = state.S[base + i] - state.S[base + j]
            at = pair_index(state, l, min(i, j), max(i, j))
            state.D[at] = difference if i < j else -difference
            state.N[at] = state.cohort_N[l]
