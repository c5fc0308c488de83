"""Lines 33-35 of Algorithm 3 play by play, for the bounds `bernstein` and `betting`.

Two arms that play m and k times in a phase are compared min(m, k) times, as in line 35. Which play
is compared with which must not depend on their order: rewards that drift within the phase would
give all comparisons one sign. So a comparison is averaged over all m k pairs of a play of one arm
with a play of the other. What was known before the phase decides how it is weighed.
"""

from __future__ import annotations

import math

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel

from .bounds import BETTING, LARGEST_LOSS, centre, stake, threshold
from .state import State

# products of factors are turned into a logarithm before they come near the ends of floats
SMALL_PRODUCT = 1e-100
LARGE_PRODUCT = 1e100


@kernel
def sort_rewards(state: State, l: int, count: int, actions: Ints, rewards: Floats) -> None:
    """The rewards of the phase arm by arm."""
    base = state.offsets[l]
    first = 0
    for position in range(count):
        arm = state.phase_arms[base + position]
        state.phase_first[base + arm] = first
        first += state.phase_plays[base + arm]

    for row in range(len(rewards)):
        arm = actions[row, l]
        state.phase_rewards[state.phase_first[base + arm]] = rewards[row]
        state.phase_first[base + arm] += 1

    # back from behind the last reward of each arm to its first
    for position in range(count):
        arm = state.phase_arms[base + position]
        state.phase_first[base + arm] -= state.phase_plays[base + arm]


@kernel
def update_paired_plays(state: State, l: int, count: int) -> bool:
    """Lines 33-35 for all pairs that play, and every term of tau that matters.

    Returns whether some term exceeds log(1 / delta) of the last getActiveSet.
    """
    base = state.offsets[l]
    size = state.offsets[l + 1] - base
    bound = state.bound[0]
    log_inv_delta = state.log_inv_delta[l]
    alarm = False

    for position in range(count):
        for other in range(position + 1, count):
            one = state.phase_arms[base + position]
            two = state.phase_arms[base + other]
            i = min(one, two)
            j = max(one, two)
            ij = state.pair_offsets[l] + i * size + j
            ji = state.pair_offsets[l] + j * size + i

            update_evidence(state, ij, ji, base + i, base + j)

            difference = state.D[ij]
            n = state.N[ij]
            tau = threshold(bound, difference, n, size, state.evidence[ij])
            if tau > log_inv_delta:
                state.tau[base + j] = max(state.tau[base + j], tau)
                alarm = True
            tau = threshold(bound, -difference, n, size, state.evidence[ji])
            if tau > log_inv_delta:
                state.tau[base + i] = max(state.tau[base + i], tau)
                alarm = True

    return alarm


@kernel
def update_evidence(state: State, ij: int, ji: int, i: int, j: int) -> None:
    """The comparisons of i with j in one phase: the evidence for both sides, then D and N."""
    betting = state.bound[0] == BETTING
    total = bet(state, ij, ji, i, j) if betting else widen(state, ij, ji, i, j)

    # line 34, line 35
    state.D[ij] += total / pairs_per_comparison(state, i, j)
    state.N[ij] += min(state.phase_plays[i], state.phase_plays[j])


@kernel
def bet(state: State, ij: int, ji: int, i: int, j: int) -> float:
    """What the phase adds to the log wealth of who bets on the lead; returns the sum of y."""
    difference = state.D[ij]
    squares = state.sum_of_squares[ij]
    # who leads is bet on: a negative stake is one on j
    staked = stake(difference, squares) - stake(-difference, squares)

    total = 0.0
    total_squares = 0.0
    logs = 0.0
    product = 1.0
    for p in range(state.phase_first[i], end(state, i)):
        for q in range(state.phase_first[j], end(state, j)):
            y = state.phase_rewards[p] - state.phase_rewards[q]
            total += y
            total_squares += y * y
            product *= 1.0 + max(staked * y, LARGEST_LOSS)
            if not SMALL_PRODUCT < product < LARGE_PRODUCT:
                logs += math.log(product)
                product = 1.0

    n = pairs_per_comparison(state, i, j)
    state.sum_of_squares[ij] = squares + total_squares / n
    if staked != 0.0:
        state.evidence[ij if staked > 0.0 else ji] += (logs + math.log(product)) / n
    return total


@kernel
def widen(state: State, ij: int, ji: int, i: int, j: int) -> float:
    """What the phase adds to V of bernstein, for both sides; returns the sum of y."""
    centre_of_i = centre(state.D[ij], state.N[ij])
    centre_of_j = centre(-state.D[ij], state.N[ij])

    total = 0.0
    spread_of_i = 0.0
    spread_of_j = 0.0
    for p in range(state.phase_first[i], end(state, i)):
        for q in range(state.phase_first[j], end(state, j)):
            y = state.phase_rewards[p] - state.phase_rewards[q]
            total += y
            spread_of_i += (y - centre_of_i) ** 2
            spread_of_j += (y + centre_of_j) ** 2

    n = pairs_per_comparison(state, i, j)
    state.evidence[ij] += spread_of_i / n
    state.evidence[ji] += spread_of_j / n
    return total


@kernel
def end(state: State, arm: int) -> int:
    """Where the rewards of an arm (an index over levels) end in phase_rewards."""
    return state.phase_first[arm] + state.phase_plays[arm]


@kernel
def pairs_per_comparison(state: State, i: int, j: int) -> int:
    """A comparison stands for as many pairs of plays as the arm with more plays has plays."""
    return max(state.phase_plays[i], state.phase_plays[j])
