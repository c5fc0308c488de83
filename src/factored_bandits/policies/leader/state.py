"""The state of `leader_tea`: what is known of levels and of pairs of levels, and one block."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Code
from factored_bandits.policies.limits import COUNT, NOT_NEGATIVE, SUM, Within, fixed, level_index

from .tilts import GRID

# the choices of `Params.rule`, in their order
WEALTH: Code = 0
LIKELIHOOD: Code = 1
GUARDED: Code = 2

# State.leader before anything is learned
NOBODY = -1
# State.threshold of a level that is a candidate in every round
ALWAYS = -math.inf
# of every weight of the posterior before anything is learned
PRIOR_VARIANCE = 10.0


class State(NamedTuple):
    """All factors side by side.

    Factor l occupies `offsets[l]` to `offsets[l + 1]` of an array over levels. Its ordered pair
    (i, j) is at `pair_offsets[l] + i K + j` of an array over pairs.
    """

    offsets: Ints  # (L + 1,)
    pair_offsets: Ints  # (L + 1,)

    # What is played
    leader: Ints  # (L,) NOBODY before the first block is learned
    active: Bools  # (levels,) the leader and the candidates of the last plan
    active_count: Ints  # (L,) how many flags are up
    changes: Ints  # (1,) how often a flag of `active` has changed
    planned: Ints  # (levels,) the candidates in the last block, packed at the front of each factor
    planned_count: Ints  # (L,) how many these are
    needed: Ints  # (L,) how many plays that takes; scratch
    taking_turns: Bools  # (1,) whether a block holds the candidates of one factor only
    turn: Ints  # (1,) the factor whose candidates stood in the last such block

    # Evidence against each level
    log_wealth: Floats  # (levels,) of the bets against "this level is the best"
    peak: Floats  # (levels,) the largest log wealth so far
    threshold: Floats  # (levels,) the level is a candidate in rounds t with threshold <= log t
    lowest_threshold: Floats  # (L,) of the levels that do not lead
    behind: Floats  # (levels,) the likelihood ratio by which it is behind the leader

    # The posterior of log-odds, by which a leader is chosen
    constant: Floats  # (1,) mean of what all combinations have in common
    constant_variance: Floats  # (1,)
    weight: Floats  # (levels,) mean of what the level adds
    weight_variance: Floats  # (levels,)

    # Pairs, from the blocks in which both levels stood
    blocks: Floats  # (pairs,) how many these are
    means: Floats  # (pairs,) sum over these blocks of the mean reward of i
    inverse_plays: Floats  # (pairs,) sum over these blocks of 1 / plays of i
    recent_blocks: Floats  # (pairs,) as `blocks`, shortened when another factor's leader changes
    recent_means: Floats  # (pairs,) as `means`, shortened with it

    # All leaders together, since one of them changed
    leaders_plays: Floats  # (1,) at most MOST_REMEMBERED of them
    leaders_sum: Floats  # (1,) of their rewards

    # Since a leader changed or turns began, against the leader; empty where the rule is WEALTH
    era_blocks: Floats  # (levels,)
    era_means: Floats  # (levels,) of the level
    era_leader_means: Floats  # (levels,) of the leader in the same blocks
    era_inverse_plays: Floats  # (levels,) of the level
    era_leader_inverse_plays: Floats  # (levels,) of the leader

    due: Floats  # (levels,) the round from which it must be tested again; empty unless GUARDED

    # One block, scratch
    block_levels: Ints  # (levels,) the levels that stand in it
    block_plays: Ints  # (levels,) how often each does, else 0
    block_sums: Floats  # (levels,) the sum of the rewards of each
    log_weights: Floats  # (GRID,) of the tilts in one bet

    def limits(self, params: Any) -> dict[str, Within]:
        """What the arrays may hold."""
        sizes = np.diff(self.offsets)
        lone = np.where(sizes == 1, 0, NOBODY)
        return {
            "offsets": fixed(self.offsets),
            "pair_offsets": fixed(self.pair_offsets),
            "leader": Within(lone, sizes - 1),
            "active_count": Within(1, sizes),
            "changes": COUNT,
            "planned": level_index(self.offsets),
            "planned_count": Within(0, sizes),
            "needed": COUNT,
            "turn": Within(0, len(sizes) - 1),
            "log_wealth": SUM,
            "peak": NOT_NEGATIVE,
            "threshold": Within(ALWAYS, SUM.high),
            "lowest_threshold": Within(ALWAYS, math.inf),
            "behind": NOT_NEGATIVE,
            "constant": SUM,
            "constant_variance": Within(0.0, PRIOR_VARIANCE),
            "weight": SUM,
            "weight_variance": Within(0.0, PRIOR_VARIANCE),
            "blocks": COUNT,
            "means": NOT_NEGATIVE,
            "inverse_plays": NOT_NEGATIVE,
            "recent_blocks": COUNT,
            "recent_means": NOT_NEGATIVE,
            "leaders_plays": COUNT,
            "leaders_sum": NOT_NEGATIVE,
            "era_blocks": COUNT,
            "era_means": NOT_NEGATIVE,
            "era_leader_means": NOT_NEGATIVE,
            "era_inverse_plays": NOT_NEGATIVE,
            "era_leader_inverse_plays": NOT_NEGATIVE,
            "due": Within(1.0, SUM.high),
            "block_levels": level_index(self.offsets),
            "block_plays": fixed(self.block_plays),
        }

    def contradiction(self, params: Any, planned: Ints) -> str | None:
        """What is counted twice agrees, and means of blocks lie between 0 and 1."""
        for l, leader in enumerate(self.leader):
            levels = slice(self.offsets[l], self.offsets[l + 1])
            if self.active[levels].sum() != self.active_count[l]:
                return "active_count does not count the levels that are active"
            others = np.delete(self.threshold[levels], leader if leader != NOBODY else [])
            if self.lowest_threshold[l] != others.min(initial=math.inf):
                return "lowest_threshold is not that of a level"

        if (self.peak < self.log_wealth).any():
            return "log_wealth lies above its peak"

        counted = (
            (self.blocks, self.means, self.inverse_plays),
            (self.recent_blocks, self.recent_means, self.recent_blocks),
            (self.leaders_plays, self.leaders_sum, self.leaders_plays),
            (self.era_blocks, self.era_means, self.era_inverse_plays),
            (self.era_blocks, self.era_leader_means, self.era_leader_inverse_plays),
        )
        for blocks, means, inverse_plays in counted:
            # rounding, of sums of many fractions
            slack = 1e-9 * (1.0 + blocks)
            if (means > blocks + slack).any() or (inverse_plays > blocks + slack).any():
                return "the sums over blocks do not fit the number of blocks"
            if ((blocks > 0.0) & (inverse_plays <= 0.0)).any():
                return "there are blocks without plays"
        return None


def new_state(sizes: Ints, rule: Code) -> State:
    """Nothing known; a factor with one level is led by it."""
    sizes = np.asarray(sizes, dtype=np.int64)
    offsets = offsets_of(sizes)
    pair_offsets = offsets_of(sizes**2)
    levels = int(offsets[-1])
    pairs = int(pair_offsets[-1])
    in_era = levels if rule != WEALTH else 0

    return State(
        offsets=offsets,
        pair_offsets=pair_offsets,
        leader=np.where(sizes == 1, 0, NOBODY),
        active=np.ones(levels, dtype=np.bool_),
        active_count=sizes.copy(),
        changes=np.zeros(1, dtype=np.int64),
        planned=np.zeros(levels, dtype=np.int64),
        planned_count=np.zeros(len(sizes), dtype=np.int64),
        needed=np.zeros(len(sizes), dtype=np.int64),
        taking_turns=np.zeros(1, dtype=np.bool_),
        turn=np.zeros(1, dtype=np.int64),
        log_wealth=np.zeros(levels),
        peak=np.zeros(levels),
        threshold=np.full(levels, ALWAYS),
        lowest_threshold=np.where(sizes == 1, math.inf, ALWAYS),
        behind=np.zeros(levels),
        constant=np.zeros(1),
        constant_variance=np.full(1, PRIOR_VARIANCE),
        weight=np.zeros(levels),
        weight_variance=np.full(levels, PRIOR_VARIANCE),
        blocks=np.zeros(pairs),
        means=np.zeros(pairs),
        inverse_plays=np.zeros(pairs),
        recent_blocks=np.zeros(pairs),
        recent_means=np.zeros(pairs),
        leaders_plays=np.zeros(1),
        leaders_sum=np.zeros(1),
        era_blocks=np.zeros(in_era),
        era_means=np.zeros(in_era),
        era_leader_means=np.zeros(in_era),
        era_inverse_plays=np.zeros(in_era),
        era_leader_inverse_plays=np.zeros(in_era),
        due=np.ones(levels if rule == GUARDED else 0),
        block_levels=np.zeros(levels, dtype=np.int64),
        block_plays=np.zeros(levels, dtype=np.int64),
        block_sums=np.zeros(levels),
        log_weights=np.zeros(GRID),
    )


@kernel
def pair_index(state: State, l: int, i: int, j: int) -> int:
    """Where the ordered pair (i, j) of factor l is in the arrays over pairs."""
    size = state.offsets[l + 1] - state.offsets[l]
    return state.pair_offsets[l] + i * size + j
