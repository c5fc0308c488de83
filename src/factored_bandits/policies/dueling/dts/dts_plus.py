"""D-TS+, Double Thompson Sampling with a tie-break that looks at regret (Wu & Liu, NeurIPS 2016,
Section 4).

D-TS, but where several arms win most in the sample, the one is chosen whose duels would cost the
least regret until they are decided: sum over j of r_ij / d(theta_ij), r_ij = max zeta - (zeta_i +
zeta_j) / 2 with the normalised Copeland scores zeta of the sample. It matters where there is no
Condorcet winner, or several winners.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.9)
    >>> result = fb.simulate("dts_plus", environment, horizon=20_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.duels import divergence
from factored_bandits.policies.blocks.posterior import draw_above_half

from ._dts import (
    BEATEN,
    COST,
    LOST,
    NOBODY,
    SEEN,
    Params,
    State,
    begin,
    candidates,
    challenger,
    learn,
    only_candidate,
    recommend,
    tournament,
    warm_start,
)

__all__ = ["INFO", "Params", "State", "init", "learn", "plan", "recommend", "warm_start"]

INFO = Info(
    title="Double Thompson Sampling with regret-minded ties",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Copeland winners",
    guarantee="as D-TS: O(K^2 log(t)), O(K log(t) + K^2 log log(t)) with a Condorcet winner; + O(K^2), anytime",
    reference="Wu & Liu, NeurIPS 2016, Algorithm 2",
    ties=False,
    style=("purple", "dotted"),
    cost=(350, 1.3),
    slowdown=(100, 3500),
)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return begin("dts_plus", params, int(sizes[0]), remember_sides=True)


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The cheapest winner of one sample against the winner of another."""
    level = params.alpha * math.log(t)
    least = candidates(state, level)
    first = only_candidate(state, least)
    if first == NOBODY:
        first = cheapest_winner(state, least, tournament(state, least, rng), rng)
    actions[0, 0], actions[0, 1] = first, challenger(state, first, level, rng)
    return 1


@kernel
def cheapest_winner(state: State, least: int, winner: int, rng: np.random.Generator) -> int:
    """Among the arms of C with as few losses as `winner`, the one with the least cost."""
    counts = state.counts
    cost = state.limits[COST]
    tied = 0
    arms = counts.shape[1]
    fewest = counts[LOST, winner]

    for i in range(arms):
        wins = counts[BEATEN, i] == least and counts[SEEN, i] == arms and counts[LOST, i] == fewest
        cost[i] = 0.0 if wins else math.inf
        tied += wins

    if tied > 1:
        finish(state, rng)
        add_costs(state, rng)
        ties = 0
        for i in range(arms):
            if cost[i] <= cost[winner]:
                ties = 1 if cost[i] < cost[winner] else ties + 1
                if ties == 1 or randint(rng, ties) == 0:
                    winner = i
        state.champion[0] = winner

    return winner


@kernel
def finish(state: State, rng: np.random.Generator) -> None:
    """Sides of the pairs that the tournament left out."""
    counts = state.counts
    probability = state.probability
    sides = state.sides

    for i in range(counts.shape[1]):
        for j in range(i + 1, counts.shape[1]):
            if counts[SEEN, i] <= j and counts[SEEN, j] <= i:
                sides[i, j] = rng.random() < probability[i, j]
                sides[j, i] = not sides[i, j]
                counts[LOST, j if sides[i, j] else i] += 1


@kernel
def add_costs(state: State, rng: np.random.Generator) -> None:
    """R_i = sum over j of r_ij / d(theta_ij) for the arms whose cost is finite, theta drawn on the
    side it has.
    """
    wins = state.wins
    sides = state.sides
    lost = state.counts[LOST]
    cost = state.limits[COST]
    arms = len(lost)
    fewest = len(lost)
    for i in range(arms):
        fewest = min(fewest, lost[i])
    for i in range(arms):
        if cost[i] < math.inf:
            for j in range(arms):
                regret = (0.5 * (lost[i] + lost[j]) - fewest) / (arms - 1.0)
                if regret > 0.0 and (j > i or (j < i and cost[j] == math.inf)):
                    stronger, weaker = (i, j) if sides[i, j] else (j, i)
                    theta = draw_above_half(wins, stronger, weaker, rng)
                    price = regret / max(divergence(1.0 - theta, theta), 1e-300)
                    cost[i] += price
                    cost[j] += price
