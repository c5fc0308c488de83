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

            update_evidence(state, ij, ji, rewards_of(state, base + i), rewards_of(state, base + j))

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
def rewards_of(state: State, level: int) -> Floats:
    """The rewards of one arm in the phase."""
    first = state.phase_first[level]
    return state.phase_rewards[first : first + state.phase_plays[level]]


@kernel
def update_evidence(state: State, ij: int, ji: int, of_i: Floats, of_j: Floats) -> None:
    """The comparisons of i with j in one phase: the evidence for both sides, then D and N."""
    # each comparison stands for as many pairs of plays as the arm with more plays has plays
    pairs_per_comparison = max(len(of_i), len(of_j))
    difference = state.D[ij]

    if state.bound[0] == BETTING:
        squares = state.sum_of_squares[ij]
        stake_on_i = stake(difference, squares)
        stake_on_j = stake(-difference, squares)
        state.evidence[ij] += sum_of_logs(stake_on_i, of_i, of_j) / pairs_per_comparison
        state.evidence[ji] += sum_of_logs(stake_on_j, of_j, of_i) / pairs_per_comparison
        state.sum_of_squares[ij] = squares + sum_of_squares(0.0, of_i, of_j) / pairs_per_comparison
    else:
        n = state.N[ij]
        about_i = sum_of_squares(centre(difference, n), of_i, of_j)
        about_j = sum_of_squares(centre(-difference, n), of_j, of_i)
        state.evidence[ij] += about_i / pairs_per_comparison
        state.evidence[ji] += about_j / pairs_per_comparison

    # line 34, line 35
    total = 0.0
    for mine in of_i:
        for theirs in of_j:
            total += mine - theirs
    state.D[ij] = difference + total / pairs_per_comparison
    state.N[ij] += min(len(of_i), len(of_j))


@kernel
def sum_of_logs(staked: float, of_one: Floats, of_other: Floats) -> float:
    """What a stake on one arm adds to log wealth, summed over all pairs of plays."""
    if staked == 0.0:
        return 0.0

    total = 0.0
    product = 1.0
    for mine in of_one:
        for theirs in of_other:
            product *= 1.0 + max(staked * (mine - theirs), LARGEST_LOSS)
            if not SMALL_PRODUCT < product < LARGE_PRODUCT:
                total += math.log(product)
                product = 1.0

    return total + math.log(product)


@kernel
def sum_of_squares(about: float, of_one: Floats, of_other: Floats) -> float:
    """The squares of the differences about a centre, summed over all pairs of plays."""
    total = 0.0
    for mine in of_one:
        for theirs in of_other:
            total += (mine - theirs - about) ** 2
    return total
