"""D-TS+, Double Thompson Sampling whose ties are broken by regret (Wu & Liu, NeurIPS 2016).

D-TS, but where several arms win most in the sample, the one is chosen whose duels would cost the
least regret until they are decided: sum over j of r_ij / d(theta_ij), r_ij = max zeta - (zeta_i +
zeta_j) / 2 with the normalised Copeland scores zeta of the sample. It matters where there is no
Condorcet winner, or several winners.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.9)
    >>> result = fb.simulate("dts_plus", environment, 20_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import tie_wins
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.duels import divergence
from factored_bandits.policies.blocks.posterior import draw_above_half

from ._dts import candidates, challenger, learn, only_candidate, recommend, tournament, warm_start
from ._state import NOBODY, Params, State, check_dts, new_state

__all__ = [
    "INFO",
    "Params",
    "State",
    "check",
    "init",
    "learn",
    "plan",
    "recommend",
    "warm_start",
]

INFO = Info(
    title="Double Thompson Sampling with regret-minded ties",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Copeland winners",
    guarantee=(
        "as D-TS: O(K^2 log(t)), O(K log(t) + K^2 log log(t)) with a Condorcet winner; "
        "+ O(K^2), anytime"
    ),
    reference="Wu & Liu, NeurIPS 2016, Algorithm 2",
    ties=False,
    style=("purple", "dotted"),
    cost=(350, 1.3),
    slowdown=(100, 3500),
)


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse an alpha that is not positive, and more pairs than fit in memory."""
    check_dts("dts_plus", params, int(sizes[0]), matrices=5)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return new_state(int(sizes[0]), remember_sides=True)


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The cheapest winner of one sample against the winner of another."""
    # Algorithm 1, first candidate, with the tie-break of Algorithm 2
    threshold = params.alpha * math.log(t)
    least = candidates(state, threshold)
    first = only_candidate(state, least)
    if first == NOBODY:
        winner = tournament(state, least, rng)
        first = cheapest_winner(state, least, winner, rng)

    # Algorithm 1, second candidate: argmax phi among {i: l_i,first <= 1/2}
    actions[0, 0] = first
    actions[0, 1] = challenger(state, first, threshold, rng)
    return 1


@kernel
def cheapest_winner(state: State, least: int, winner: int, rng: np.random.Generator) -> int:
    """Algorithm 2: among the arms of C with as few losses as `winner`, the one of least cost."""
    cost = state.cost
    arms = len(cost)
    fewest = state.lost[winner]
    tied = 0

    for i in range(arms):
        complete = state.beaten[i] == least and state.seen[i] == arms
        wins = complete and state.lost[i] == fewest
        cost[i] = 0.0 if wins else math.inf
        tied += wins

    if tied > 1:
        draw_other_sides(state, rng)
        add_costs(state, rng)
        ties = 0
        for i in range(arms):
            if cost[i] <= cost[winner]:
                ties = 1 if cost[i] < cost[winner] else ties + 1
                if tie_wins(rng, ties):
                    winner = i
        state.champion[0] = winner

    return winner


@kernel
def draw_other_sides(state: State, rng: np.random.Generator) -> None:
    """Sides of the pairs that the tournament left out."""
    lost = state.lost
    seen = state.seen
    sides = state.sides

    for i in range(len(lost)):
        for j in range(i + 1, len(lost)):
            if seen[i] <= j and seen[j] <= i:
                sides[i, j] = rng.random() < state.probability[i, j]
                sides[j, i] = not sides[i, j]
                lost[j if sides[i, j] else i] += 1


@kernel
def add_costs(state: State, rng: np.random.Generator) -> None:
    """Algorithm 2: R_i = sum over j of r_ij / d(theta_ij), for the arms whose cost is finite.

    theta is drawn on the side of 1/2 that it has in the sample.
    """
    wins = state.wins
    sides = state.sides
    lost = state.lost
    cost = state.cost
    arms = len(lost)
    fewest = arms
    for i in range(arms):
        fewest = min(fewest, lost[i])

    for i in range(arms):
        if cost[i] < math.inf:
            for j in range(arms):
                # r_ij = max zeta - (zeta_i + zeta_j) / 2, zeta_i = 1 - lost_i / (K - 1)
                regret = (0.5 * (lost[i] + lost[j]) - fewest) / (arms - 1.0)
                if regret > 0.0 and (j > i or (j < i and cost[j] == math.inf)):
                    stronger, weaker = (i, j) if sides[i, j] else (j, i)
                    theta = draw_above_half(wins, stronger, weaker, rng)
                    price = regret / max(divergence(1.0 - theta, theta), 1e-300)
                    cost[i] += price
                    cost[j] += price
