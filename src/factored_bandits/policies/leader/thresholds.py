"""From which round on a level is a candidate again: threshold <= log t.

Rule WEALTH: until the bets against a level of K have multiplied their stake by more than

    f(t) = max(min(t / K, ENOUGH L), t / (REST C)),     L factors, C levels in all.

If it is the best, it is eliminated in round t with probability at most 1 / f(t) (Ville). What is
asked for grows with t / K until all statements together err with probability 1 / ENOUGH at most,
rests there, and grows with t again, later. Rule LIKELIHOOD: until the evidence of pairs, with its
price, exceeds log t; nothing is proved about that. Rule GUARDED: by likelihood, too, but a level
that f(t) would not eliminate is due for a test again after PAUSE t^(2/3) rounds, so that a lucky
streak of others cannot lock the best one out.
"""

from __future__ import annotations

import math

from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import FOREVER, Code

from .evidence import evidence_behind, likelihood_ratio
from .state import ALWAYS, GUARDED, NOBODY, WEALTH, State, pair_index

# rule WEALTH: the wealth, per factor, that is enough for a while
ENOUGH = 20.0
# and for how long: a level with more rests for so many rounds, times its wealth, per level
REST = 24.0
# rules LIKELIHOOD and GUARDED: what is added to the evidence, per log of the number of blocks
PRICE = 1.25
# rule GUARDED: rounds between two tests of a level that likelihood alone would eliminate
PAUSE = 10.0
PAUSE_POWER = 2.0 / 3.0
# exp of it is 2^62
LARGEST_EXPONENT = 62.0 * math.log(2.0)


@kernel
def record_era(state: State, l: int, k: int, leader: int) -> None:
    """Add the block to what is known of level k against the present leaders."""
    base = state.offsets[l]
    inverse = 1.0 / state.block_plays[base + k]
    leader_inverse = 1.0 / state.block_plays[base + leader]

    state.era_blocks[base + k] += 1.0
    state.era_means[base + k] += state.block_sums[base + k] * inverse
    state.era_leader_means[base + k] += state.block_sums[base + leader] * leader_inverse
    state.era_inverse_plays[base + k] += inverse
    state.era_leader_inverse_plays[base + k] += leader_inverse


@kernel
def begin_era(state: State) -> None:
    """A leader has changed: what was known against the leaders of before is no longer current."""
    for k in range(len(state.era_blocks)):
        state.era_blocks[k] = 0.0
        state.era_means[k] = 0.0
        state.era_leader_means[k] = 0.0
        state.era_inverse_plays[k] = 0.0
        state.era_leader_inverse_plays[k] = 0.0


@kernel
def likelihood_threshold(state: State, l: int, i: int) -> float:
    """The evidence against level i by all blocks or by those of this era, each with its price."""
    at = state.offsets[l] + i
    threshold = ALWAYS

    evidence = state.behind[at]
    if evidence > 0.0:
        blocks = state.blocks[pair_index(state, l, i, state.leader[l])]
        threshold = evidence + PRICE * math.log(blocks)

    recent = likelihood_ratio(
        state.era_blocks[at],
        state.era_means[at],
        state.era_inverse_plays[at],
        state.era_leader_means[at],
        state.era_leader_inverse_plays[at],
    )
    if recent > 0.0:
        threshold = max(threshold, recent + PRICE * math.log(state.era_blocks[at]))

    return threshold


@kernel
def wealth_threshold(state: State, l: int, i: int) -> float:
    """The log of the first round t whose f(t) is the wealth of the bets against level i."""
    base = state.offsets[l]
    log_wealth = state.log_wealth[base + i]
    if log_wealth > math.log(ENOUGH * len(state.leader)):
        return log_wealth + math.log(REST * len(state.log_wealth))
    return log_wealth + math.log(float(state.offsets[l + 1] - base))


@kernel
def note_test(state: State, l: int, i: int, t: int) -> None:
    """Level i was tested in the block that began at round t: when it is due again."""
    state.due[state.offsets[l] + i] = t + PAUSE * float(t) ** PAUSE_POWER


@kernel
def guarded_threshold(state: State, l: int, i: int) -> float:
    """By likelihood, but at most until it is due, unless its bets eliminate it, too."""
    due = math.log(state.due[state.offsets[l] + i])
    guard = max(due, wealth_threshold(state, l, i))
    return min(guard, likelihood_threshold(state, l, i))


@kernel
def update_thresholds(rule: Code, state: State, l: int) -> None:
    """How far every level of factor l is behind the leader, and its threshold."""
    base = state.offsets[l]
    lowest = math.inf
    for i in range(state.offsets[l + 1] - base):
        state.behind[base + i] = evidence_behind(state, l, i, state.leader[l])
        if rule == WEALTH:
            state.threshold[base + i] = wealth_threshold(state, l, i)
        elif rule == GUARDED:
            state.threshold[base + i] = guarded_threshold(state, l, i)
        else:
            state.threshold[base + i] = likelihood_threshold(state, l, i)
        if i != state.leader[l]:
            lowest = min(lowest, state.threshold[base + i])
    state.lowest_threshold[l] = lowest


@kernel
def first_round_at(threshold: float) -> int:
    """The first round t with log t >= threshold (at most FOREVER).

    >>> first_round_at(-1.0), first_round_at(math.log(1000.0)), first_round_at(1e9) == FOREVER
    (1, 1000, True)
    """
    if threshold <= 0.0:
        return 1
    if threshold >= LARGEST_EXPONENT:
        return FOREVER

    # bisect for the exact round: log low < threshold <= log high
    t = math.exp(threshold)
    low = int(t * (1.0 - 1e-12)) - 1
    high = int(t * (1.0 + 1e-12)) + 2
    while high - low > 1:
        middle = (low + high) // 2
        if middle < 1 or math.log(float(middle)) < threshold:
            low = middle
        else:
            high = middle

    return high


@kernel
def is_alone(state: State, l: int) -> bool:
    """Whether the leader of factor l was its only active level in the last plan."""
    leader = state.leader[l]
    if leader == NOBODY or state.active_count[l] > 1:
        return False
    return bool(state.active[state.offsets[l] + leader])


@kernel
def idle_rounds(state: State, t: int) -> int:
    """For how many rounds from t no level is a candidate; 0 if one was in the last plan."""
    lowest = math.inf
    for l in range(len(state.leader)):
        if not is_alone(state, l):
            return 0
        lowest = min(lowest, state.lowest_threshold[l])
    return max(0, first_round_at(lowest) - t)
