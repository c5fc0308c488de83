"""RMED (Komiyama, Honda, Kashima & Nakagawa, COLT 2015): the evidence against each arm.

I_i = sum over j with q_ij < 1/2 of N_ij d(q_ij) is the evidence against arm i being the best, i* =
argmin I. A duel changes I for the two arms played only, and only through one pair: what the pair
gave before is taken off, what it gives now is added. Both follow from N and q, so they are not
kept. They are multiples of 2^-34, and sums of those up to 2^19 are exact: in any order, with
nothing left of what was taken off. Sums within `ROUNDING` count as ties.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.blocks.duels import divergence, met
from factored_bandits.policies.limits import (
    COUNT,
    NOT_NEGATIVE,
    SHARE,
    WINS,
    Within,
    fixed,
    index,
    slots,
)

NOBODY = -1
MOST_ALPHA = 100
ROUNDING = 1e-9  # sums of evidence that differ by less are equal
# added and taken off again, it leaves a multiple of 2^-34: the last of the 53 bits of the sum
GRID = 2.0**18

# slots of State.clock: the passes over all pairs
SWEPT = 0  # duels that all pairs had
CURSOR = 1  # the next pair of the pass
BEGIN = 2  # the round in which the last passes began
END = 3  # the round after their end
# the loop over L_C
LENGTH = 4  # |L_C|
POSITION = 5  # of the next arm in L_C
NEXT_LENGTH = 6  # |L_N|
# with a known horizon
GOAL = 7  # duels of every pair in the initial phase
OPEN = 8  # 1 until the b_l are fixed
LEARNED = 9  # while they are not: the last round learned


class State(NamedTuple):
    """Records of all pairs, the evidence, and the lists of the loop."""

    wins: Floats  # (K, K) of row over column, a tie counts one half
    share: Floats  # (K, K) q_ij; 1 on the diagonal: an arm is not its own opponent
    divergences: (
        Floats  # (K, K) d(q_ij) where q_ij < 1/2, else 0; equal for equal q; empty in RMED1
    )
    total: Floats  # (K,) I
    slack: Floats  # (1,) f(K)
    order: Ints  # (K,) of the arms in a pass over the pairs
    current: Ints  # (K,) L_C
    following: Ints  # (K,) L_N
    remaining: Bools  # (K,) is the arm in L_R?
    chosen: Bools  # (K,) is the arm in L_N?
    partner: Ints  # (K,) RMED2FH: b_l or NOBODY
    clock: Ints  # (10,) see above

    def limits(self, params: Any) -> dict[str, Within]:
        """What the arrays may hold."""
        arms = len(self.total)
        upto = Within(0, arms)
        clock = [COUNT] * len(self.clock)
        clock[CURSOR] = Within(0, arms * arms)
        clock[LENGTH] = clock[POSITION] = clock[NEXT_LENGTH] = upto
        clock[GOAL] = Within(self.clock[GOAL], self.clock[GOAL])
        clock[OPEN] = Within(0, 1)
        return {
            "wins": WINS,
            "share": SHARE,
            "divergences": Within(0.0, 1.0),
            "total": NOT_NEGATIVE,
            "slack": fixed(self.slack),
            "order": index(arms),
            "current": index(arms),
            "following": index(arms),
            "partner": index(arms, nobody=True),
            "clock": slots(*clock),
        }

    def contradiction(self, params: Any, planned: Ints) -> str | None:
        """The lists hold every arm at most once, and `chosen` flags those of L_N."""
        following = self.following[: self.clock[NEXT_LENGTH]]
        if not np.array_equal(np.sort(following), np.flatnonzero(self.chosen)):
            return "following does not hold the arms that are chosen"
        if self.clock[POSITION] > self.clock[LENGTH]:
            return "clock stands behind the end of current"
        if not np.array_equal(np.sort(self.order), np.arange(len(self.order))):
            return "order does not hold every arm once"
        if len(self.divergences) > 0 and ((self.share < 0.5) & (self.divergences == 0.0)).any():
            return "divergences do not follow from share"
        return None


def check_passes(policy: str, alpha: float) -> None:
    """Refuse more passes over all pairs than anybody has time for: alpha log log t < 4 alpha."""
    if alpha > MOST_ALPHA:
        raise InvalidInputError(f"{policy}: alpha must be at most {MOST_ALPHA}, not {alpha!r}")


def new_state(arms: int, weight: float, keep_divergences: bool) -> State:
    """Nothing known; the first loop goes over all arms."""
    kept = arms if keep_divergences else 0
    share = np.full((arms, arms), 0.5)
    np.fill_diagonal(share, 1.0)
    clock = np.zeros(10, dtype=np.int64)
    clock[NEXT_LENGTH] = arms

    return State(
        wins=np.zeros((arms, arms)),
        share=share,
        divergences=np.zeros((kept, kept)),
        total=np.zeros(arms),
        slack=np.array([weight * arms**1.01]),
        order=np.arange(arms),
        current=np.zeros(arms, dtype=np.int64),
        following=np.arange(arms),
        remaining=np.zeros(arms, dtype=np.bool_),
        chosen=np.ones(arms, dtype=np.bool_),
        partner=np.full(arms, NOBODY),
        clock=clock,
    )


@kernel
def log_log(t: int) -> float:
    """log log t, from its value at 3 on, so that it is positive."""
    return math.log(math.log(max(t, 3)))


@kernel
def update_evidence(state: State, i: int, j: int) -> None:
    """q_ij and the evidence against i after the pair (i, j) met once more."""
    n = state.wins[i, j] + state.wins[j, i]
    before = state.share[i, j]
    now = state.wins[i, j] / n
    information = divergence(now, 1.0 - now)

    state.share[i, j] = now
    if len(state.divergences) > 0:
        state.divergences[i, j] = information

    # I_i = sum over j of N_ij d(q_ij); a pair that had not met has q = 1/2 and gave nothing
    others = state.total[i] - on_grid((n - 1.0) * divergence(before, 1.0 - before))
    state.total[i] = max(others, 0.0) + on_grid(n * information)


@kernel
def on_grid(value: float) -> float:
    """The nearest multiple of 2^-34; of numbers beyond 2^18, one with 53 bits.

    >>> on_grid(0.1) * 2**34, on_grid(0.1) == 0.1
    (1717986918.0, False)
    """
    return (value + GRID) - GRID


@kernel
def smallest(values: Floats) -> float:
    """The least of some numbers."""
    least = math.inf
    for value in values:
        least = min(least, value)
    return least


@kernel
def likeliest(state: State, rng: np.random.Generator) -> int:
    """i* = argmin I, ties at random; nothing is drawn where it is the only one."""
    total = state.total
    best = 0
    ties = 0
    least = smallest(total) + ROUNDING

    for i in range(len(total)):
        if total[i] <= least:
            best = i
            ties += 1

    if ties > 1:
        left = randint(rng, ties)
        best = 0
        while total[best] > least or left > 0:
            left -= total[best] <= least
            best += 1

    return best


@kernel
def recommend(params: Any, state: State, action: Ints) -> None:
    """i*: the arm with the least evidence against it, in both positions."""
    best = 0
    for i in range(len(state.total)):
        if state.total[i] < state.total[best]:
            best = i
    action[0] = best
    action[1] = best


def warm_start(params: Any, state: State, wins: Floats) -> None:
    """Past duels count like duels of the passes over the pairs.

    The first loop goes over all arms as ever.
    """
    state.wins[:] += wins
    for i, j in met(state.wins):
        update_evidence(state, i, j)
        update_evidence(state, j, i)
