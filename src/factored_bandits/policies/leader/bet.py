"""The bet against "level k is the best", block by block (docs/explanation/leader.md).

In a block k stands once and the leader r times, in random order. If k is the best, the slot of k is
not more likely to fail than any other of these r + 1. A bet with tilt d says that it is, by odds of
e^d. Its factor is that of the lemma: for rewards of 0 and 1

    e^(d (1 - x)) / (1 + F (e^d - 1) / (r + 1)),     F the failures among the r + 1 plays,

and between 0 and 1 linear in the reward x of k. Nobody knows the best tilt, so the bet is a mixture
over a grid, with weights from what was known before the block.
"""

from __future__ import annotations

import math

from factored_bandits.core.kernel import kernel

from .state import State, pair_index
from .tilts import GRID, INVERSE_ODDS, ODDS, TILTS
from .turns import leaders_rate


@kernel
def factor(odds: float, reward: float, failures: float, plays: float) -> float:
    """The factor of one tilt, odds = e^d - 1; failures are those of the leader in `plays` plays.

    Rewards of 0 and 1 give the formula above; others the chord between, and the failures count with
    their fractions.

    >>> factor(1.0, 0.0, 1.0, 3.0), factor(1.0, 1.0, 1.0, 3.0), factor(1.0, 0.5, 1.0, 3.0)
    (1.3333333333333333, 0.8, 1.0666666666666667)
    """
    slots = plays + 1.0
    if_success = slots / (slots + failures * odds)
    if_failure = slots * (1.0 + odds) / (slots + (failures + 1.0) * odds)
    return reward * if_success + (1.0 - reward) * if_failure


@kernel
def log_weight(step: int, blocks: float, own: float, rate: float) -> float:
    """The log-likelihood of a tilt from `blocks` blocks, in which the level's means sum to `own`.

    With tilt d the odds of a success are those of the leader, whose mean is `rate`, times e^-d. A
    constant is left out.
    """
    return -TILTS[step] * own - blocks * math.log1p(rate * INVERSE_ODDS[step])


@kernel
def bet(state: State, l: int, k: int, leader: int) -> None:
    """Bet against level k of factor l, which stands once in the block, the leader at least once."""
    base = state.offsets[l]
    own_record = pair_index(state, l, k, leader)
    blocks = state.recent_blocks[own_record]
    own = state.recent_means[own_record]
    rate = (state.recent_means[pair_index(state, l, leader, k)] + 0.5) / (blocks + 1.0)
    if state.taking_turns[0]:
        rate = leaders_rate(state)

    plays = float(state.block_plays[base + leader])
    failures = plays - state.block_sums[base + leader]
    reward = state.block_sums[base + k]

    # of tilt 0 the weight is 1 and the factor 1; the others relative to it, without overflow
    largest = 0.0
    for step in range(1, GRID):
        state.log_weights[step] = log_weight(step, blocks, own, rate)
        largest = max(largest, state.log_weights[step])

    total_weight = math.exp(-largest)
    total = total_weight
    for step in range(1, GRID):
        weight = math.exp(state.log_weights[step] - largest)
        total_weight += weight
        total += weight * factor(ODDS[step], reward, failures, plays)

    state.log_wealth[base + k] += math.log(total / total_weight)
    state.peak[base + k] = max(state.peak[base + k], state.log_wealth[base + k])
