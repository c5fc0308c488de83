"""The Temporary Elimination Module (Algorithm 3 of the paper), exact and fast; one State holds all factors' modules.

Three facts make it fast without changing a single decision:

- *Time-free thresholds.* Arm i is out at confidence delta iff log(1/delta) < tau_i, where
  tau_i = max over j with D_ji > 0 of D_ji^2 / (12 N_ji) - log(2 K f(N_ji)). We call log(1/delta) the `level`.
- *Nothing new, nothing to do.* In TEA the level only grows. An active arm had every term below the level at the last
  look, so only pairs played since then can throw it out; an arm that is away keeps its tau until it plays again.
- *Cohort.* Arms that were in every phase so far, equally often, share one N, and D_ij = S_i - S_j with a running sum S
  per arm: a phase costs O(active). Pairs with an arm that was away live in matrices (upper triangle).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..kernel import kernel
from ..randomness import below, shuffle_column
from ._contract import Standing

CONSTANT = 12.0  # in the confidence radius of line 10: sqrt(12 log(2 K f(N) / delta) / N)
NEVER = -math.inf
AWAY, LOYAL, COHORT = 0, 1, 2  # the bond of an arm; B of the paper is everyone with a bond of at least LOYAL
ACTIVE_COUNT, COHORT_N, NEWS, CHANGES = 0, 1, 2, 3  # columns of State.counts
NOTHING_LEARNED, QUIET, ALARM, STALE = 0, 1, 2, 3  # values of NEWS
LEVEL, LOWEST = 0, 1  # columns of State.levels
ARMS, TIMES = 0, 1  # rows of State.phase


class State(NamedTuple):
    """L modules side by side; `start[l]` is where factor l begins in the arrays over levels.

    Few arrays with named columns rather than many: each array in a tuple costs compile time in every kernel.
    """

    start: Ints  # (L + 1,) first level of each factor
    pair_start: Ints  # (L + 1,) first pair of each factor: pair (i, j), i < j, at pair_start + i K + j
    active: Bools  # (levels,) K*
    bond: Ints  # (levels,) AWAY: has been out; LOYAL: in B; COHORT: in B, in every phase, and equally often
    roster: Ints  # (levels,) the active arms of each factor, packed at its start
    total: Floats  # (levels,) S: sum of rewards, meaningful inside the cohort
    tau: Floats  # (levels,) complete for arms that are away; for active ones only terms above LEVEL count
    difference: Floats  # (pairs,) D, for pairs not inside the cohort
    comparisons: Ints  # (pairs,) N, likewise
    counts: Ints  # (L, 4) |K*|; N of every pair inside the cohort; what is new since the last look; changes of K*
    levels: Floats  # (L, 2) the level of the last look; the level at which the next arm comes back
    phase: Ints  # (2, levels) scratch: the arms of a phase, those outside the cohort first; their plays, else zero
    mean: Floats  # (levels,) scratch: mean rewards in the phase


def init(sizes: Ints) -> State:
    """Modules for factors of these sizes: all arms active, nothing known."""
    sizes = np.asarray(sizes, dtype=np.int64)
    factors, start = len(sizes), np.concatenate([[0], np.cumsum(sizes)])
    pair_start = np.concatenate([[0], np.cumsum(sizes**2)])
    levels, pairs = int(start[-1]), int(pair_start[-1])
    counts = np.zeros((factors, 4), dtype=np.int64)
    counts[:, ACTIVE_COUNT] = sizes
    return State(
        start=start,
        pair_start=pair_start,
        active=np.ones(levels, dtype=np.bool_),
        bond=np.full(levels, COHORT, dtype=np.int64),
        roster=np.concatenate([np.arange(size) for size in sizes]),
        total=np.zeros(levels),
        tau=np.full(levels, NEVER),
        difference=np.zeros(pairs),
        comparisons=np.zeros(pairs, dtype=np.int64),
        counts=counts,
        levels=np.tile([NEVER, math.inf], (factors, 1)),
        phase=np.zeros((2, levels), dtype=np.int64),
        mean=np.zeros(levels),
    )


@kernel
def log_f(t: float) -> float:
    """log f(t), f(t) = (t + 1) log^2(t + 1)."""
    log_t = math.log(t + 1.0)
    return log_t + 2.0 * math.log(log_t)


@kernel
def first_round_at(level: float) -> int:
    """The first round t with log f(t) >= level (at most 2^62)."""
    if level <= log_f(1.0):
        return 1
    if level > log_f(2.0**62):
        return 2**62
    x, step = 0.7, 1.0  # solve x + 2 log x = level, x = log(t + 1); Newton climbs to the root from below
    while step > 1e-14 * x:
        step = (level - x - 2.0 * math.log(x)) / (1.0 + 2.0 / x)
        x += step
    t = math.exp(x)
    low, high = int(t * (1.0 - 1e-12)) - 3, int(t * (1.0 + 1e-12)) + 3  # log f(low) < level <= log f(high)
    while high - low > 1:
        middle = (low + high) // 2
        if middle < 1 or log_f(float(middle)) < level:
            low = middle
        else:
            high = middle
    return high


@kernel
def threshold(difference: float, n: int, size: int) -> float:
    """The level below which a deficit `difference` > 0 over n comparisons puts an arm out: one term of tau."""
    return difference * difference / (CONSTANT * n) - math.log(2.0 * size) - log_f(float(n))


@kernel
def pair(state: State, l: int, i: int, j: int) -> tuple[float, int]:
    """D_ij and N_ij of factor l."""
    s = state.start[l]
    if state.bond[s + i] == COHORT and state.bond[s + j] == COHORT:
        return state.total[s + i] - state.total[s + j], state.counts[l, COHORT_N]
    at = state.pair_start[l] + min(i, j) * (state.start[l + 1] - s) + max(i, j)
    difference = state.difference[at]
    return difference if i < j else -difference, state.comparisons[at]


@kernel
def full_tau(state: State, l: int, i: int) -> float:
    """tau_i over all opponents (line 10, solved for the level)."""
    tau, size = NEVER, state.start[l + 1] - state.start[l]
    for j in range(size):
        if j != i:
            difference, n = pair(state, l, j, i)
            if difference > 0.0:
                tau = max(tau, threshold(difference, n, size))
    return tau


@kernel
def leave_cohort(state: State, l: int, i: int) -> None:
    """Write the pairs of arm i into the matrices; from now on it is compared pair by pair."""
    s, size = state.start[l], state.start[l + 1] - state.start[l]
    state.bond[s + i] = LOYAL
    for j in range(size):
        if state.bond[s + j] == COHORT:
            at = state.pair_start[l] + min(i, j) * size + max(i, j)
            difference = state.total[s + i] - state.total[s + j]
            state.difference[at] = difference if i < j else -difference
            state.comparisons[at] = state.counts[l, COHORT_N]


@kernel
def active_set(state: State, l: int, level: float) -> int:
    """Algorithm 3, getActiveSet with log(1/delta) = level: updates K* and B of factor l, returns |K*|."""
    news = state.counts[l, NEWS]
    if news == NOTHING_LEARNED:  # lines 6-7: some N_ij = 0
        return state.counts[l, ACTIVE_COUNT]
    if news == STALE or level < state.levels[l, LEVEL]:
        for i in range(state.start[l + 1] - state.start[l]):
            state.tau[state.start[l] + i] = full_tau(state, l, i)
        reconsider(state, l, level)
        state.levels[l, LEVEL] = level
    elif news == ALARM or state.levels[l, LOWEST] <= level:
        reconsider(state, l, level)
    if state.counts[l, ACTIVE_COUNT] > 1:  # with one arm the state stands still, which is what `idle` promises
        state.levels[l, LEVEL] = level
    return state.counts[l, ACTIVE_COUNT]


@kernel
def look(state: State, level: float) -> int:
    """The active sets of all factors; returns the largest size (Algorithm 1, line 4, prints argmax but means max)."""
    longest = 1
    for l in range(len(state.counts)):
        longest = max(longest, active_set(state, l, level))
    return longest


@kernel
def reconsider(state: State, l: int, level: float) -> None:
    """Lines 9-16: who is in K* now?"""
    s, size = state.start[l], state.start[l + 1] - state.start[l]
    empty = True
    for i in range(size):
        empty = empty and state.tau[s + i] > level
    for i in range(size):
        if not empty and state.tau[s + i] > level and state.bond[s + i] == COHORT:
            leave_cohort(state, l, i)
    count, loyal, changed, lowest = 0, 0, 0, math.inf
    for i in range(size):
        keep = empty or state.tau[s + i] <= level  # lines 12-13: an empty set means all come back
        if state.active[s + i] != keep:
            changed = 1
        if keep:
            state.roster[s + count] = i
            count += 1
            if state.bond[s + i] != AWAY:
                loyal += 1
        else:
            if state.active[s + i]:
                state.tau[s + i] = full_tau(state, l, i)
            lowest = min(lowest, state.tau[s + i])
            state.bond[s + i] = AWAY  # line 14: B <- B n K*
        state.active[s + i] = keep
    if loyal == 0:  # lines 15-16: B <- K*
        for position in range(count):
            state.bond[s + state.roster[s + position]] = LOYAL
    state.counts[l, ACTIVE_COUNT] = count
    state.counts[l, NEWS] = ALARM if empty else QUIET
    state.counts[l, CHANGES] += changed
    state.levels[l, LOWEST] = lowest


@kernel
def schedule(state: State, l: int, length: int, rng: np.random.Generator, actions: Ints) -> None:
    """Algorithm 3, scheduleNext: fill column l of the first `length` rows; every active arm once, the rest from B."""
    s, count = state.start[l], state.counts[l, ACTIVE_COUNT]
    for row in range(count):  # lines 20-22
        actions[row, l] = state.roster[s + row]
    if count < length:  # lines 23-26: rounds over B, the last one over a random part of it
        loyal = 0
        for row in range(count):
            if state.bond[s + state.roster[s + row]] != AWAY:
                state.phase[ARMS, s + loyal] = state.roster[s + row]
                loyal += 1
        whole = (length - count) // loyal * loyal
        for row in range(whole):
            actions[count + row, l] = state.phase[ARMS, s + row % loyal]
        for row in range(length - count - whole):
            pick = row + below(rng, loyal - row)
            arm = state.phase[ARMS, s + pick]
            state.phase[ARMS, s + pick] = state.phase[ARMS, s + row]
            state.phase[ARMS, s + row] = arm
            actions[count + whole + row, l] = arm
    if count > 1:
        shuffle_column(rng, actions, l, length)


@kernel
def feedback(state: State, l: int, actions: Ints, rewards: Floats) -> None:
    """Algorithm 3, feedback: D and N of factor l, from one phase.

    As long as phases hold exactly the active arms, each renews every term that can matter, and the next look needs tau
    only where a term exceeds the last level. A phase planned for another active set (rewards came late) makes the state
    stale: the next look computes every tau anew.
    """
    count = 0
    if len(rewards) > 1:  # else one arm, no pair, nothing to learn
        count = gather(state, l, l, 1.0, 0, actions, rewards)
    compare(state, l, count)


@kernel
def feedback_both(state: State, actions: Ints, rewards: Floats) -> None:
    """Duels: the arm in the first place gets the reward, the arm in the second place what is left of it, its negative.

    Every arm of the phase plays once in each place, so all play twice: D grows by a sum of two, N by two.
    """
    count = 0
    if len(rewards) > 1:
        count = gather(state, 0, 0, 1.0, 0, actions, rewards)
        count = gather(state, 0, 1, -1.0, count, actions, rewards)
    compare(state, 0, count)


@kernel
def compare(state: State, l: int, count: int) -> None:
    """Lines 33-35 for the `count` arms gathered."""
    s, news = state.start[l], state.counts[l, NEWS]
    state.counts[l, NEWS] = max(news, QUIET)
    if count > 1:
        fresh = news != STALE and count == state.counts[l, ACTIVE_COUNT]
        for position in range(count):
            fresh = fresh and state.active[s + state.phase[ARMS, s + position]]
        if news == ALARM:
            for position in range(count):
                state.tau[s + state.phase[ARMS, s + position]] = NEVER
        strays = update_cohort(state, l, count)
        alarm = update_pairs(state, l, strays, count)
        state.counts[l, NEWS] = (ALARM if alarm else QUIET) if fresh else STALE
    for position in range(count):
        state.phase[TIMES, s + state.phase[ARMS, s + position]] = 0


@kernel
def gather(state: State, l: int, column: int, sign: float, count: int, actions: Ints, rewards: Floats) -> int:
    """Lines 29-32: plays and sum of rewards of each arm in a column, `count` arms seen before; returns how many now."""
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
    """Add the phase to the running sums if all of the cohort played equally often, else dissolve the cohort.

    Puts the arms outside the cohort first and returns how many they are.
    """
    s, strays = state.start[l], 0
    for position in range(count):
        arm = state.phase[ARMS, s + position]
        if state.bond[s + arm] != COHORT:
            state.phase[ARMS, s + position] = state.phase[ARMS, s + strays]
            state.phase[ARMS, s + strays] = arm
            strays += 1
    if strays == count:
        return count
    times = state.phase[TIMES, s + state.phase[ARMS, s + strays]]
    for position in range(strays, count):
        if state.phase[TIMES, s + state.phase[ARMS, s + position]] != times:
            for other in range(strays, count):
                leave_cohort(state, l, state.phase[ARMS, s + other])
            return count
    for position in range(strays, count):
        arm = state.phase[ARMS, s + position]
        state.total[s + arm] += state.mean[s + arm]
    state.counts[l, COHORT_N] += times
    return strays


@kernel
def update_pairs(state: State, l: int, strays: int, count: int) -> bool:
    """Lines 33-35 for pairs with an arm outside the cohort, and every term of tau above the last level."""
    s, size, alarm = state.start[l], state.start[l + 1] - state.start[l], False
    bar = CONSTANT * state.levels[l, LEVEL]  # a term of tau exceeds the level only if D^2 > 12 N level
    if strays < count:
        best, worst, n = NEVER, math.inf, state.counts[l, COHORT_N]
        for position in range(strays, count):
            total = state.total[s + state.phase[ARMS, s + position]]
            best, worst = max(best, total), min(worst, total)
        if (best - worst) * (best - worst) > bar * n:
            for position in range(strays, count):
                arm = state.phase[ARMS, s + position]
                if state.total[s + arm] < best:
                    tau = threshold(best - state.total[s + arm], n, size)
                    state.tau[s + arm] = max(state.tau[s + arm], tau)
                    alarm = True
    if strays == 0:
        return alarm
    for position in range(count):
        arm = state.phase[ARMS, s + position]
        state.mean[s + arm] /= state.phase[TIMES, s + arm]
    for position in range(strays):
        i = state.phase[ARMS, s + position]
        mean, times = state.mean[s + i], state.phase[TIMES, s + i]
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
                state.tau[s + loser] = max(state.tau[s + loser], threshold(abs(difference), n, size))
                alarm = True
    return alarm


@kernel
def changes(state: State) -> int:
    """How often an active set has changed."""
    number = 0
    for l in range(len(state.counts)):
        number += state.counts[l, CHANGES]
    return number


@kernel
def rest(state: State, t: int) -> int:
    """For how many rounds from t every factor keeps its single active arm; 0 where one has several."""
    lowest = math.inf
    for l in range(len(state.counts)):
        if state.counts[l, ACTIVE_COUNT] > 1 or state.counts[l, NEWS] in (NOTHING_LEARNED, STALE):
            return 0
        lowest = min(lowest, state.levels[l, LOWEST])
    return max(0, first_round_at(lowest) - t)


@kernel
def leader(state: State, l: int) -> int:
    """The active arm whose largest estimated deficit against another active arm is smallest."""
    s, count = state.start[l], state.counts[l, ACTIVE_COUNT]
    strays, best = 0, state.roster[s]
    for position in range(count):
        arm = state.roster[s + position]
        if state.bond[s + arm] != COHORT:
            strays += 1
        elif state.bond[s + best] != COHORT or state.total[s + arm] > state.total[s + best]:
            best = arm
    if strays == 0:
        return best
    smallest = math.inf
    for position in range(count):
        i, deficit = state.roster[s + position], NEVER
        for other in range(count):
            j = state.roster[s + other]
            if j != i:
                difference, n = pair(state, l, j, i)
                deficit = max(deficit, difference / n)
        if deficit < smallest:
            smallest, best = deficit, i
    return best


def propensity(state: State, l: int, length: int) -> Floats:
    """The chance of each level of factor l at any place of a phase of `length` plays, before the phase was drawn."""
    s = slice(state.start[l], state.start[l + 1])
    active, loyal = state.active[s], state.bond[s] != AWAY
    extra = (length - active.sum()) / loyal.sum()  # expected plays beyond the first, for each level of B
    return np.asarray((active + extra * loyal) / length)


def standings(state: State, l: int, t: int) -> list[Standing]:
    """What the module of factor l knows of each level at round t."""
    size, best = int(state.start[l + 1] - state.start[l]), int(leader(state, l))
    rows = []
    for i in range(size):
        active = bool(state.active[state.start[l] + i])
        difference, n = pair(state, l, best, i)
        gap = lower = math.nan
        if n > 0 and i != best:
            gap = float(difference / n)
            lower = gap - radius(n, size, log_f(t))
        tau = full_tau(state, l, i)
        reentry = None if active else max(t, first_round_at(tau))
        rows.append(Standing(active, 0.0 if i == best else gap, 0.0 if i == best else lower, reentry))
    return rows


def radius(n: int, size: int, level: float) -> float:
    """The confidence radius of line 10 at log(1/delta) = level."""
    return math.sqrt(CONSTANT * (math.log(2.0 * size) + log_f(n) + level) / n)
