"""Divide and conquer (MergeRUCB, Zoghi 2015; MergeDTS, Li 2020): arms duel in small batches.

Batches take turns. An arm is eliminated when another one of its batch beats it with high
confidence, u_ij < 1/2 with u_ij = q_ij + sqrt(alpha log(t + C) / N_ij); one at a time, so that a
cycle cannot empty a batch. When half of the arms are eliminated, small batches are merged with
large ones, to between 1/2 and 3/2 of the batch size; and so on (`_batches`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import FOREVER
from factored_bandits.policies.blocks.duels import (
    check_positive,
    check_size,
    deficit,
    eliminated_p_values,
    record,
)
from factored_bandits.policies.limits import WINS, Within, fixed, index, slots

# slots of State.counts
BATCHES = 0
LEFT = 1  # active arms
STAGE = 2  # 0 before the first round

LARGEST_LOG_DELAY = 600.0  # floats end at e^709


class Params(NamedTuple):
    """`alpha` under the root; arms in a `batch`; probability of `failure` of the bounds.

    The papers take failure = 1 / T.
    """

    alpha: float = 1.01
    batch: int = 4
    failure: float = 0.01


class State(NamedTuple):
    """Records of all pairs, and the batches; in an array per batch only the first are in use."""

    wins: Floats  # (K, K) of row over column, a tie counts one half
    active: Bools  # (K,) who is not eliminated
    members: Ints  # (K,) the active arms, batch by batch
    offsets: Ints  # (K,) where each batch begins in `members`
    lengths: Ints  # (K,) of the batches
    ranks: Ints  # (K,) scratch: the batches by length
    new_members: Ints  # (K,) scratch: of the batches after merging
    new_lengths: Ints  # (K,) scratch: of the batches after merging
    won: Ints  # (K,) scratch of MergeDTS: duels won in a sample
    counts: Ints  # (3,) BATCHES, LEFT, STAGE
    delay: Floats  # (1,) C, added to the round inside the logarithm

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        arms = len(self.active)
        upto = Within(0, arms)
        return {
            "wins": WINS,
            "members": index(arms),
            "offsets": upto,
            "lengths": upto,
            "ranks": upto,
            "new_members": index(arms),
            "new_lengths": upto,
            "won": upto,
            # the arms halve with each stage
            "counts": slots(Within(1, arms), Within(1, arms), Within(0, 40)),
            "delay": fixed(self.delay),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """The batches hold every active arm once, and none is empty."""
        batches, left, _ = self.counts.tolist()
        lengths = self.lengths[:batches].tolist()
        offsets = self.offsets[:batches].tolist()
        members: list[int] = []
        for offset, length in zip(offsets, lengths, strict=True):
            members += self.members[offset : offset + length].tolist()

        if sorted(members) != np.flatnonzero(self.active).tolist() or left != len(members):
            return "members are not the arms that are active"
        if min(lengths) < 1 or sum(lengths) != left:
            return "lengths do not fit members"
        return None


def check_merge(policy: str, params: Params, arms: int) -> None:
    """Refuse more pairs than fit in memory, and parameters without a meaning."""
    check_size(policy, arms, matrices=1)
    check_positive(policy, batch=params.batch, failure=params.failure)
    if params.alpha <= 0.5:
        raise InvalidInputError(f"{policy}: alpha must exceed 0.5, not {params.alpha!r}")
    if log_delay(params, arms) > LARGEST_LOG_DELAY:
        raise InvalidInputError(
            f"{policy}: alpha={params.alpha!r} is so close to 0.5 that with {arms} arms and "
            f"failure={params.failure!r} nothing would ever be eliminated"
        )


def delay_base(params: Params, arms: int) -> float:
    """(4 alpha - 1) K^2 / ((2 alpha - 1) failure)."""
    power = 2.0 * params.alpha - 1.0
    return (4.0 * params.alpha - 1.0) * arms**2 / (power * params.failure)


def log_delay(params: Params, arms: int) -> float:
    """The logarithm of C."""
    return math.log(delay_base(params, arms)) / (2.0 * params.alpha - 1.0)


def new_state(params: Params, arms: int) -> State:
    """Nothing known. Batches of about the size asked for; they are drawn at the first round."""
    batches = max(1, int(arms / params.batch + 0.5))
    edges = np.arange(batches + 1) * arms // batches
    offsets = np.zeros(arms, dtype=np.int64)
    lengths = np.zeros(arms, dtype=np.int64)
    offsets[:batches] = edges[:-1]
    lengths[:batches] = np.diff(edges)

    # C = ((4 alpha - 1) K^2 / ((2 alpha - 1) failure))^(1 / (2 alpha - 1))
    power = 2.0 * params.alpha - 1.0
    delay = delay_base(params, arms) ** (1.0 / power)

    return State(
        wins=np.zeros((arms, arms)),
        active=np.ones(arms, dtype=np.bool_),
        members=np.arange(arms),
        offsets=offsets,
        lengths=lengths,
        ranks=np.zeros(arms, dtype=np.int64),
        new_members=np.zeros(arms, dtype=np.int64),
        new_lengths=np.zeros(arms, dtype=np.int64),
        won=np.zeros(arms, dtype=np.int64),
        counts=np.array([batches, arms, 0]),
        delay=np.array([delay]),
    )


@kernel
def weakest(wins: Floats, members: Ints, offset: int, length: int, threshold: float) -> int:
    """The index in a batch of an arm i with u_ij < 1/2 for some j of it, or -1.

    That is a deficit above the threshold alpha log(t + C).
    """
    for k in range(length):
        for other in range(length):
            if deficit(wins, members[offset + k], members[offset + other]) > threshold:
                return k

    return -1


@kernel
def remove(state: State, b: int, k: int) -> None:
    """Eliminate the k-th arm of batch b; the last of the batch takes its slot."""
    slot = state.offsets[b] + k
    last = state.offsets[b] + state.lengths[b] - 1
    state.active[state.members[slot]] = False
    state.members[slot] = state.members[last]
    state.lengths[b] -= 1
    state.counts[LEFT] -= 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The record of the pair."""
    if actions[0, 0] != actions[0, 1]:
        record(state.wins, actions[0, 0], actions[0, 1], rewards[0])


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """The last arm duels itself for ever."""
    return FOREVER if state.counts[LEFT] == 1 else 0


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The active arm with the largest share of duels won, in both positions."""
    wins = state.wins
    best = 0
    largest = -1.0

    for i in range(len(state.active)):
        if state.active[i]:
            won = 0.5
            duels = 1.0
            for j in range(len(state.active)):
                won += wins[i, j]
                duels += wins[i, j] + wins[j, i]
            if won / duels > largest:
                best = i
                largest = won / duels

    action[0] = best
    action[1] = best


@kernel
def active_sets(params: Params, state: State) -> tuple[Bools, int]:
    """Who is active, and how many were eliminated."""
    return state.active, len(state.active) - state.counts[LEFT]


def warm_start(params: Params, state: State, wins: Floats) -> None:
    """Past duels count like duels played, for arms that share a batch at some time."""
    state.wins[:] += wins


def p_values(params: Params, state: State) -> list[Floats]:
    """`failure` for an eliminated arm: all bounds of all rounds hold but with this probability."""
    return eliminated_p_values(state.active, params.failure)
