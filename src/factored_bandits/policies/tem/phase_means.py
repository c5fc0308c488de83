"""Lines 33-35 of Algorithm 3 as printed, from the means of a phase: `paper` and `hoeffding`."""

from __future__ import annotations

import math

from factored_bandits.core.kernel import kernel

from .bounds import NEVER, constant_of, hoeffding_threshold
from .state import IN_COHORT, State, leave_cohort


@kernel
def update_cohort(state: State, l: int, count: int) -> int:
    """Add the phase to S if all of the cohort played equally often, else dissolve the cohort.

    Puts the arms outside the cohort first and returns how many they are.
    """
    base = state.offsets[l]
    outside_cohort = 0
    for position in range(count):
        arm = state.phase_arms[base + position]
        if state.membership[base + arm] != IN_COHORT:
            state.phase_arms[base + position] = state.phase_arms[base + outside_cohort]
            state.phase_arms[base + outside_cohort] = arm
            outside_cohort += 1

    if outside_cohort == count:
        return count

    plays = state.phase_plays[base + state.phase_arms[base + outside_cohort]]
    for position in range(outside_cohort, count):
        if state.phase_plays[base + state.phase_arms[base + position]] != plays:
            for other in range(outside_cohort, count):
                leave_cohort(state, l, state.phase_arms[base + other])
            return count

    # lines 34-35: with equal N_s, S_i - S_j grows by N_s (R_s^i / N_s - R_s^j / N_s)
    for position in range(outside_cohort, count):
        arm = state.phase_arms[base + position]
        state.S[base + arm] += state.phase_sums[base + arm]
    state.cohort_N[l] += plays

    return outside_cohort


@kernel
def update_pairs(state: State, l: int, outside_cohort: int, count: int) -> bool:
    """Lines 33-35 for pairs with an arm outside the cohort, and every term of tau that can matter.

    Returns whether some term may exceed log(1 / delta) of the last getActiveSet.
    """
    base = state.offsets[l]
    size = state.offsets[l + 1] - base
    alarm = False
    constant = constant_of(state.bound[0])
    # a term of tau exceeds log_inv_delta only if D^2 > constant N log_inv_delta
    bar = constant * state.log_inv_delta[l]

    # with equal N only the leader of the cohort can eliminate a member
    if outside_cohort < count:
        best = NEVER
        worst = math.inf
        n = state.cohort_N[l]
        for position in range(outside_cohort, count):
            total = state.S[base + state.phase_arms[base + position]]
            best = max(best, total)
            worst = min(worst, total)

        if (best - worst) * (best - worst) > bar * n:
            for position in range(outside_cohort, count):
                arm = state.phase_arms[base + position]
                if state.S[base + arm] < best:
                    tau = hoeffding_threshold(best - state.S[base + arm], n, size, constant)
                    state.tau[base + arm] = max(state.tau[base + arm], tau)
                    alarm = True

    if outside_cohort == 0:
        return alarm

    for position in range(count):
        arm = state.phase_arms[base + position]
        state.phase_means[base + arm] = state.phase_sums[base + arm] / state.phase_plays[base + arm]

    for position in range(outside_cohort):
        i = state.phase_arms[base + position]
        mean = state.phase_means[base + i]
        plays = state.phase_plays[base + i]
        for other in range(position + 1, count):
            j = state.phase_arms[base + other]
            weight = min(plays, state.phase_plays[base + j])
            gain = weight * (mean - state.phase_means[base + j])

            # line 34, line 35
            at = state.pair_offsets[l] + min(i, j) * size + max(i, j)
            difference = state.D[at] + (gain if i < j else -gain)
            n = state.N[at] + weight
            state.D[at] = difference
            state.N[at] = n

            if difference * difference > bar * n:
                loser = max(i, j) if difference > 0.0 else min(i, j)
                tau = hoeffding_threshold(abs(difference), n, size, constant)
                state.tau[base + loser] = max(state.tau[base + loser], tau)
                alarm = True

    return alarm
