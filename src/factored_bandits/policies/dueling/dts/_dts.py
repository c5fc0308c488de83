"""Double Thompson Sampling (Wu & Liu, NeurIPS 2016): what D-TS and D-TS+ share.

Exact shortcuts, equal in law to drawing every theta:

- *C.* Arm i is beaten with high confidence by j iff its deficit against j exceeds alpha log t. A row is
  counted anew only when one of its pairs has met, or alpha log t has reached the smallest deficit
  that counted.
- *First arm.* Only sides of 1/2 matter, and they are independent, so they may be drawn in any order
  and only as needed: row by row of C, the last winner first, each as far as it can still reach the
  best score so far. An arm that beats all others ends it; with one arm in C nothing is drawn.
- *Second arm.* phi_first = 1/2, so only arms whose phi exceeds 1/2 compete, and phi itself is drawn
  only if two do.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.policies.blocks.duels import check_positive, check_size, deficit
from factored_bandits.policies.blocks.posterior import (
    draw_above_half,
    likely_winner,
    update_posterior,
    warm_start_posterior,
)

NEVER = -math.inf
NOBODY = -1
BEATEN, LOST, SEEN = 0, 1, 2  # rows of State.counts
LOWEST, COST = 0, 1  # rows of State.limits


class Params(NamedTuple):
    """`alpha` in the confidence bounds that restrict the candidates."""

    alpha: float = 0.51


class State(NamedTuple):
    """Records and posteriors of all pairs."""

    wins: Floats  # (K, K) of row over column
    probability: Floats  # (K, K) P(theta_ij > 1/2)
    mass: Floats  # (K, K) above the diagonal P(Bin(N_ij + 1, 1/2) = W_ij)
    deficits: Floats  # (K, K) of row against column
    # (2, K) the smallest deficit of each arm that is with high confidence, NEVER: count anew; scratch of
    # D-TS+
    limits: Floats
    # (3, K) by how many each arm is beaten with high confidence; scratch: its losses in a sample, its
    # duels seen
    counts: Ints
    champion: Ints  # (1,) the last first arm
    sides: Bools  # (K, K) scratch of D-TS+: who beats whom in the sample


def begin(policy: str, params: Params, arms: int, remember_sides: bool) -> State:
    """Nothing known: every theta is uniform."""
    check_positive(policy, alpha=params.alpha)
    check_size(policy, arms, matrices=5 if remember_sides else 4)
    half = np.full((arms, arms), 0.5)
    kept = arms if remember_sides else 0

    return State(
        wins=np.zeros((arms, arms)),
        probability=half,
        mass=half.copy(),
        deficits=np.zeros((arms, arms)),
        limits=np.full((2, arms), NEVER),
        counts=np.zeros((3, arms), dtype=np.int64),
        champion=np.zeros(1, dtype=np.int64),
        sides=np.zeros((kept, kept), dtype=np.bool_),
    )


@kernel
def candidates(state: State, level: float) -> int:
    """By how many the arms of C are beaten with high confidence: C = {i: counts[BEATEN, i] is this},
    level = alpha log t.
    """
    lowest = state.limits[LOWEST]
    deficits = state.deficits
    beaten = state.counts[BEATEN]
    least = len(lowest)

    for i in range(len(lowest)):
        if lowest[i] <= level:
            number = 0
            smallest = math.inf
            for j in range(len(lowest)):
                if deficits[i, j] > level:
                    number += 1
                    smallest = min(smallest, deficits[i, j])
            beaten[i] = number
            lowest[i] = smallest
        least = min(least, beaten[i])

    return least


@kernel
def only_candidate(state: State, least: int) -> int:
    """The arm of C if it has but one, else NOBODY."""
    beaten = state.counts[BEATEN]
    found = NOBODY

    for i in range(len(beaten)):
        if beaten[i] == least:
            if found != NOBODY:
                return NOBODY
            found = i

    return found


@kernel
def tournament(state: State, least: int, rng: np.random.Generator) -> int:
    """The arm of C that beats most others in a sample, ties at random."""
    counts = state.counts
    arms = counts.shape[1]
    for i in range(arms):
        counts[LOST, i] = counts[SEEN, i] = 0
    fewest = (
        play_row(state, state.champion[0], arms, rng)
        if counts[BEATEN, state.champion[0]] == least
        else arms
    )
    choice = state.champion[0]
    ties = 1

    for i in range(arms):
        if (
            fewest > 0
            and counts[BEATEN, i] == least
            and counts[SEEN, i] == 0
            and counts[LOST, i] <= fewest
        ):
            lost = play_row(state, i, fewest, rng)
            if lost < fewest:
                choice = i
                ties = 1
                fewest = lost
            elif lost == fewest:
                ties += 1
                if randint(rng, ties) == 0:
                    choice = i

    state.champion[0] = choice
    return choice


@kernel
def play_row(state: State, i: int, fewest: int, rng: np.random.Generator) -> int:
    """The duels of arm i in the sample, up to more than `fewest` losses; returns its losses."""
    counts = state.counts
    probability = state.probability
    sides = state.sides
    arms = counts.shape[1]

    for j in range(arms):
        if j != i and counts[SEEN, j] <= i:
            wins = rng.random() < probability[i, j]
            loser = j if wins else i
            counts[LOST, loser] += 1
            if len(sides) > 0:
                sides[i, j] = wins
                sides[j, i] = not wins
        counts[SEEN, i] = j + 1
        if counts[LOST, i] > fewest:
            break

    return counts[LOST, i]


@kernel
def challenger(state: State, first: int, level: float, rng: np.random.Generator) -> int:
    """argmax phi_i over {i: l_i,first <= 1/2}, phi_i ~ Beta(W_i,first + 1, W_first,i + 1),
    phi_first = 1/2.
    """
    probability = state.probability
    deficits = state.deficits
    choice = first
    largest = 0.5
    rivals = 0

    for i in range(probability.shape[0]):
        if i != first and deficits[first, i] <= level and rng.random() >= probability[first, i]:
            rivals += 1
            if rivals == 1:
                choice = i
            else:
                if rivals == 2:
                    largest = draw_above_half(state.wins, choice, first, rng)
                phi = draw_above_half(state.wins, i, first, rng)
                if phi > largest:
                    choice = i
                    largest = phi

    return choice


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The pair's record, posterior and deficits."""
    first = actions[0, 0]
    second = actions[0, 1]
    if first != second:
        update_posterior(state.wins, state.probability, state.mass, first, second, rewards[0])
        state.deficits[first, second] = deficit(state.wins, first, second)
        state.deficits[second, first] = deficit(state.wins, second, first)
        state.limits[LOWEST, first] = state.limits[LOWEST, second] = NEVER


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The arm that is expected to beat most others."""
    action[0] = action[1] = likely_winner(state.probability)


def warm_start(params: Params, state: State, wins: Floats) -> None:
    """Past duels count like duels played."""
    warm_start_posterior(state.wins, state.probability, state.mass, wins)
    for i in range(len(wins)):
        for j in range(len(wins)):
            state.deficits[i, j] = deficit(state.wins, i, j)
    state.limits[LOWEST] = NEVER
