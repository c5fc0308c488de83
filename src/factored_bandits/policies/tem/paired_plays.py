"""Lines 33-35 of Algorithm 3 play by play, for the bounds `bernstein` and `betting`.

The first plays of two arms are compared, then their second plays, and so on: as many comparisons as
in line 35, each of which can be weighed by what was known before it.
"""

from __future__ import annotations

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel

from .bounds import BETTING, bernstein_gain, betting_gain, threshold
from .state import State


@kernel
def sort_rewards(state: State, l: int, count: int, actions: Ints, rewards: Floats) -> None:
    """The rewards of the phase arm by arm, in the order of play."""
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

            first_of_i = state.phase_first[base + i]
            first_of_j = state.phase_first[base + j]
            for r in range(min(state.phase_plays[base + i], state.phase_plays[base + j])):
                y = state.phase_rewards[first_of_i + r] - state.phase_rewards[first_of_j + r]
                update_evidence(state, ij, ji, y)

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
def update_evidence(state: State, ij: int, ji: int, y: float) -> None:
    """One comparison of i with j: the evidence for both sides, then D and N."""
    difference = state.D[ij]
    n = state.N[ij]

    if state.bound[0] == BETTING:
        squares = state.sum_of_squares[ij]
        state.evidence[ij] += betting_gain(y, difference, squares)
        state.evidence[ji] += betting_gain(-y, -difference, squares)
        state.sum_of_squares[ij] = squares + y * y
    else:
        state.evidence[ij] += bernstein_gain(y, difference, n)
        state.evidence[ji] += bernstein_gain(-y, -difference, n)

    state.D[ij] = difference + y
    state.N[ij] = n + 1
