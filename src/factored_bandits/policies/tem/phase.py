"""What one phase teaches a Temporary Elimination Module: D, N, the evidence, and every term of tau
that can matter.
"""

from __future__ import annotations

import math

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel

from .bounds import CENTRE, NEVER, PRIOR, STAKE, threshold
from .state import ARMS, COHORT, COHORT_N, CONSTANT, FIRST, LEVEL, TIMES, State, leave_cohort


@kernel
def accumulate(
    state: State, l: int, column: int, sign: float, count: int, actions: Ints, rewards: Floats
) -> int:
    """Lines 29-32: plays and sum of rewards of each arm in a column, `count` arms seen before;
    returns how many now.
    """
    s = state.start[l]
    for row in range(len(rewards)):
        arm = actions[row, column]
        if state.phase[TIMES, s + arm] == 0:
            state.phase[ARMS, s + count] = arm
            state.mean[s + arm] = 0.0
            count += 1
        state.phase[TIMES, s + arm] += 1
        state.mean[s + arm] += sign * rewards[row]

    return count


@kernel
def update_cohort(state: State, l: int, count: int) -> int:
    """Add the phase to the running sums if all of the cohort played equally often, else dissolve
    the cohort.

    Puts the arms outside the cohort first and returns how many they are.
    """
    s = state.start[l]
    outside_cohort = 0

    for position in range(count):
        arm = state.phase[ARMS, s + position]
        if state.membership[s + arm] != COHORT:
            state.phase[ARMS, s + position] = state.phase[ARMS, s + outside_cohort]
            state.phase[ARMS, s + outside_cohort] = arm
            outside_cohort += 1

    if outside_cohort == count:
        return count
    times = state.phase[TIMES, s + state.phase[ARMS, s + outside_cohort]]
    for position in range(outside_cohort, count):
        if state.phase[TIMES, s + state.phase[ARMS, s + position]] != times:
            for other in range(outside_cohort, count):
                leave_cohort(state, l, state.phase[ARMS, s + other])
            return count

    for position in range(outside_cohort, count):
        arm = state.phase[ARMS, s + position]
        state.total[s + arm] += state.mean[s + arm]

    state.counts[l, COHORT_N] += times
    return outside_cohort


@kernel
def update_pairs(state: State, l: int, outside_cohort: int, count: int) -> bool:
    """Lines 33-35 for pairs with an arm outside the cohort, and every term of tau above the last
    level.
    """
    s = state.start[l]
    size = state.start[l + 1] - state.start[l]
    alarm = False
    constant = state.levels[l, CONSTANT]
    bar = (
        constant * state.levels[l, LEVEL]
    )  # a term of tau exceeds the level only if D^2 > constant N level

    if outside_cohort < count:
        best = NEVER
        worst = math.inf
        n = state.counts[l, COHORT_N]
        for position in range(outside_cohort, count):
            total = state.total[s + state.phase[ARMS, s + position]]
            best = max(best, total)
            worst = min(worst, total)
        if (best - worst) * (best - worst) > bar * n:
            for position in range(outside_cohort, count):
                arm = state.phase[ARMS, s + position]
                if state.total[s + arm] < best:
                    tau = threshold(best - state.total[s + arm], n, size, constant, 0.0)
                    state.tau[s + arm] = max(state.tau[s + arm], tau)
                    alarm = True

    if outside_cohort == 0:
        return alarm
    for position in range(count):
        arm = state.phase[ARMS, s + position]
        state.mean[s + arm] /= state.phase[TIMES, s + arm]

    for position in range(outside_cohort):
        i = state.phase[ARMS, s + position]
        mean = state.mean[s + i]
        times = state.phase[TIMES, s + i]
        for other in range(position + 1, count):
            j = state.phase[ARMS, s + other]
            weight = min(times, state.phase[TIMES, s + j])
            gain = weight * (mean - state.mean[s + j])
            at = state.pair_start[l] + min(i, j) * size + max(i, j)
            difference = state.difference[at] + (gain if i < j else -gain)
            n = state.comparisons[at] + weight
            state.difference[at] = difference
            state.comparisons[at] = n
            if difference * difference > bar * n:
                loser = max(i, j) if difference > 0.0 else min(i, j)
                tau = threshold(abs(difference), n, size, constant, 0.0)
                state.tau[s + loser] = max(state.tau[s + loser], tau)
                alarm = True

    return alarm


@kernel
def sort_rewards(state: State, l: int, count: int, actions: Ints, rewards: Floats) -> None:
    """Bernstein and betting: the rewards of the phase arm by arm, in the order of play."""
    s = state.start[l]
    place = 0

    for position in range(count):
        arm = state.phase[ARMS, s + position]
        state.phase[FIRST, s + arm] = place
        place += state.phase[TIMES, s + arm]

    for row in range(len(rewards)):
        arm = actions[row, l]
        state.ordered[state.phase[FIRST, s + arm]] = rewards[row]
        state.phase[FIRST, s + arm] += 1

    for position in range(count):
        arm = state.phase[ARMS, s + position]
        state.phase[FIRST, s + arm] -= state.phase[TIMES, s + arm]


@kernel
def update_paired_plays(state: State, l: int, count: int) -> bool:
    """Bernstein and betting: compare the first plays of two arms, the second plays, and so on; tau
    where it matters.
    """
    s = state.start[l]
    size = state.start[l + 1] - state.start[l]
    alarm = False
    constant = state.levels[l, CONSTANT]
    level = state.levels[l, LEVEL]

    for position in range(count):
        for other in range(position + 1, count):
            one = state.phase[ARMS, s + position]
            two = state.phase[ARMS, s + other]
            i = min(one, two)
            j = max(one, two)
            up = state.pair_start[l] + i * size + j
            down = state.pair_start[l] + j * size + i
            first = state.phase[FIRST, s + i]
            second = state.phase[FIRST, s + j]
            for r in range(min(state.phase[TIMES, s + i], state.phase[TIMES, s + j])):
                update_evidence(
                    state, up, down, state.ordered[first + r] - state.ordered[second + r]
                )
            difference = state.difference[up]
            n = state.comparisons[up]
            if difference > 0.0 or constant < 0.0:
                tau = threshold(difference, n, size, constant, state.evidence[up])
                if tau > level:
                    state.tau[s + j] = max(state.tau[s + j], tau)
                    alarm = True
            if difference < 0.0 or constant < 0.0:
                tau = threshold(-difference, n, size, constant, state.evidence[down])
                if tau > level:
                    state.tau[s + i] = max(state.tau[s + i], tau)
                    alarm = True

    return alarm


@kernel
def update_evidence(state: State, up: int, down: int, y: float) -> None:
    """Take one paired difference y of the pair (i, j) at `up` into account; its reverse is at
    `down`.
    """
    total = state.difference[up]
    n = state.comparisons[up]

    if state.levels[0, CONSTANT] < 0.0:
        stake = total / (
            state.difference[down] + PRIOR
        )  # Kelly's stake for small leads: mean over mean square
        if stake > 0.0:
            state.evidence[up] += math.log1p(min(stake, STAKE) * y)
        else:
            state.evidence[down] += math.log1p(max(stake, -STAKE) * y)
        state.difference[down] += y * y
    else:
        centre = total / n if n > 0 else 0.0
        state.evidence[up] += (y - min(CENTRE, centre)) ** 2
        state.evidence[down] += (y - max(-CENTRE, centre)) ** 2

    state.difference[up] = total + y
    state.comparisons[up] = n + 1
