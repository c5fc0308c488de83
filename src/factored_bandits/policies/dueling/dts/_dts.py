"""Double Thompson Sampling (Wu & Liu, NeurIPS 2016): what D-TS and D-TS+ share.

Exact shortcuts, equal in distribution to drawing every theta:

- *C.* Arm i is beaten with high confidence by j iff its deficit against j exceeds alpha log t. A
  row is counted anew only when one of its pairs has met, or alpha log t has reached the smallest
  deficit that counted.
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
from factored_bandits.core.select import tie_wins
from factored_bandits.policies.blocks.duels import check_positive, check_size, deficit
from factored_bandits.policies.blocks.posterior import (
    POSTERIOR_WINS,
    draw_above_half,
    likely_winner,
    posterior_contradiction,
    update_posterior,
    warm_start_posterior,
)
from factored_bandits.policies.limits import NOT_NEGATIVE, SHARE, Within, index

NEVER = -math.inf
NOBODY = -1


class Params(NamedTuple):
    """`alpha` in the confidence bounds that restrict the candidates."""

    alpha: float = 0.51


class State(NamedTuple):
    """Records and posteriors of all pairs."""

    wins: Floats  # (K, K) of row over column
    probability: Floats  # (K, K) P(theta_ij > 1/2)
    mass: Floats  # (K, K) above the diagonal P(Bin(N_ij + 1, 1/2) = W_ij)
    deficits: Floats  # (K, K) of row against column
    beaten: Ints  # (K,) by how many each arm is beaten with high confidence
    lowest: Floats  # (K,) the smallest deficit among those, NEVER: count anew
    champion: Ints  # (1,) the last first arm
    lost: Ints  # (K,) scratch: losses in the sample
    seen: Ints  # (K,) scratch: opponents 0..seen-1 of an arm were drawn in the sample
    cost: Floats  # (K,) scratch of D-TS+: the regret of the duels of an arm
    sides: Bools  # (K, K) scratch of D-TS+: who beats whom in the sample; empty in D-TS

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        arms = len(self.wins)
        return {
            "wins": POSTERIOR_WINS,
            "probability": SHARE,
            "mass": SHARE,
            "deficits": NOT_NEGATIVE,
            "beaten": Within(0, arms),
            "lowest": Within(NEVER, math.inf),
            "champion": index(arms),
            "lost": Within(0, arms),
            "seen": Within(0, arms),
            "cost": Within(0.0, math.inf),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """See blocks/posterior."""
        return posterior_contradiction(self.wins, self.probability)


def check_dts(policy: str, params: Params, arms: int, matrices: int) -> None:
    """Refuse an alpha that is not positive, and more pairs than fit in memory."""
    check_positive(policy, alpha=params.alpha)
    check_size(policy, arms, matrices)


def new_state(arms: int, remember_sides: bool) -> State:
    """Nothing known: every theta is uniform."""
    kept = arms if remember_sides else 0
    return State(
        wins=np.zeros((arms, arms)),
        probability=np.full((arms, arms), 0.5),
        mass=np.full((arms, arms), 0.5),
        deficits=np.zeros((arms, arms)),
        beaten=np.zeros(arms, dtype=np.int64),
        lowest=np.full(arms, NEVER),
        champion=np.zeros(1, dtype=np.int64),
        lost=np.zeros(arms, dtype=np.int64),
        seen=np.zeros(arms, dtype=np.int64),
        cost=np.zeros(arms),
        sides=np.zeros((kept, kept), dtype=np.bool_),
    )


@kernel
def candidates(state: State, threshold: float) -> int:
    """By how many the arms of C are beaten with high confidence, threshold = alpha log t.

    C = {i: beaten[i] is this}, the maximisers of the upper Copeland score #{j: u_ij >= 1/2}.
    """
    lowest = state.lowest
    deficits = state.deficits
    beaten = state.beaten
    least = len(lowest)

    for i in range(len(lowest)):
        if lowest[i] <= threshold:
            number = 0
            smallest = math.inf
            for j in range(len(lowest)):
                if deficits[i, j] > threshold:
                    number += 1
                    smallest = min(smallest, deficits[i, j])
            beaten[i] = number
            lowest[i] = smallest
        least = min(least, beaten[i])

    return least


@kernel
def only_candidate(state: State, least: int) -> int:
    """The arm of C if it has but one, else NOBODY."""
    found = NOBODY

    for i in range(len(state.beaten)):
        if state.beaten[i] == least:
            if found != NOBODY:
                return NOBODY
            found = i

    return found


@kernel
def tournament(state: State, least: int, rng: np.random.Generator) -> int:
    """The arm of C that beats most others in a sample of theta, ties at random."""
    beaten = state.beaten
    lost = state.lost
    seen = state.seen
    arms = len(beaten)
    for i in range(arms):
        lost[i] = 0
        seen[i] = 0

    # the last winner first: a small number of losses ends the rows of the others soon
    choice = state.champion[0]
    fewest = arms
    if beaten[choice] == least:
        fewest = play_row(state, choice, arms, rng)
    ties = 1

    for i in range(arms):
        in_question = beaten[i] == least and seen[i] == 0 and lost[i] <= fewest
        if fewest > 0 and in_question:
            losses = play_row(state, i, fewest, rng)
            if losses < fewest:
                choice = i
                ties = 1
                fewest = losses
            elif losses == fewest:
                ties += 1
                if tie_wins(rng, ties):
                    choice = i

    state.champion[0] = choice
    return choice


@kernel
def play_row(state: State, i: int, fewest: int, rng: np.random.Generator) -> int:
    """The duels of arm i in the sample, up to more than `fewest` losses; returns its losses."""
    lost = state.lost
    seen = state.seen
    sides = state.sides

    for j in range(len(lost)):
        if j != i and seen[j] <= i:
            wins = rng.random() < state.probability[i, j]
            loser = j if wins else i
            lost[loser] += 1
            if len(sides) > 0:
                sides[i, j] = wins
                sides[j, i] = not wins
        seen[i] = j + 1
        if lost[i] > fewest:
            break

    return lost[i]


@kernel
def challenger(state: State, first: int, threshold: float, rng: np.random.Generator) -> int:
    """argmax phi_i over {i: l_i,first <= 1/2}, phi_i ~ Beta(W_i,first + 1, W_first,i + 1).

    phi_first is 1/2.
    """
    probability = state.probability
    deficits = state.deficits
    choice = first
    largest = 0.5
    rivals = 0

    for i in range(probability.shape[0]):
        allowed = i != first and deficits[first, i] <= threshold
        if allowed and rng.random() >= probability[first, i]:
            rivals += 1
            if rivals == 1:
                choice = i
            else:
                # the phi of the first rival is drawn only when there is a second one
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
        state.lowest[first] = NEVER
        state.lowest[second] = NEVER


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The arm that is expected to beat most others."""
    best = likely_winner(state.probability)
    action[0] = best
    action[1] = best


def warm_start(params: Params, state: State, wins: Floats) -> None:
    """Past duels count like duels played."""
    warm_start_posterior(state.wins, state.probability, state.mass, wins)
    for i in range(len(wins)):
        for j in range(len(wins)):
            state.deficits[i, j] = deficit(state.wins, i, j)
    state.lowest[:] = NEVER
