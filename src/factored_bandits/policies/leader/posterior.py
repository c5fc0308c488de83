"""A posterior of what levels add to the log-odds: a guess at who leads, which no proof rests on.

The log-odds of a reward are taken for a constant plus a weight per level. All of these are Gaussian
and independent, also after they were updated (mean field): the Laplace step of one play, with the
variances of the L + 1 weights that it adds up. A step costs L operations, where
`logistic_thompson`, with the covariance of all weights, needs a square of the number of levels.

The leader of a block may be any function of the blocks before it (Lemma 4 of
docs/explanation/leader.md). So a model that is wrong costs regret and no validity.
"""

from __future__ import annotations

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import sigmoid

from .evidence import choose_leader, worst_evidence
from .state import NOBODY, State

# so much evidence of pairs against the level with the largest weight, and pairs choose the leader
GUARD = 1.0


@kernel
def update_posterior(state: State, actions: Ints, rewards: Floats) -> None:
    """Add every play of a block; unbounded rewards are clipped onto [0, 1]."""
    for row in range(len(rewards)):
        add_play(state, actions, row, min(1.0, max(0.0, rewards[row])))


@kernel
def add_play(state: State, actions: Ints, row: int, reward: float) -> None:
    """One Laplace step, with the variance that the L + 1 weights have together."""
    columns = len(state.leader)
    log_odds = state.constant[0]
    variance = state.constant_variance[0]
    for l in range(columns):
        at = state.offsets[l] + actions[row, l]
        log_odds += state.weight[at]
        variance += state.weight_variance[at]

    rate = sigmoid(log_odds)
    information = rate * (1.0 - rate)
    shrink = 1.0 / (1.0 + information * variance)
    step = (reward - rate) * shrink
    gain = information * shrink

    state.constant[0] += state.constant_variance[0] * step
    state.constant_variance[0] *= 1.0 - gain * state.constant_variance[0]
    for l in range(columns):
        at = state.offsets[l] + actions[row, l]
        state.weight[at] += state.weight_variance[at] * step
        state.weight_variance[at] *= 1.0 - gain * state.weight_variance[at]


@kernel
def largest_weight(state: State, l: int) -> int:
    """The level of factor l with the largest weight; the leader among equals."""
    base = state.offsets[l]
    best = state.leader[l]
    if best == NOBODY:
        best = 0
    for i in range(state.offsets[l + 1] - base):
        if state.weight[base + i] > state.weight[base + best]:
            best = i
    return best


@kernel
def follow_posterior(state: State, l: int) -> int:
    """The next leader of factor l: the largest weight, unless the pairs object."""
    favourite = largest_weight(state, l)
    if worst_evidence(state, l, favourite, favourite, GUARD) < GUARD:
        return favourite
    return choose_leader(state, l)
