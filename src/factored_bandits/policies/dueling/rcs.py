"""RCS, Relative Confidence Sampling (Zoghi, Whiteson, de Rijke & Munos, WSDM 2014).

The champion is the arm that beats all others in a sample from the posterior, if there is one, else
the arm that has been champion least often; its opponent is chosen as in RUCB. Nobody needs the
whole sample: going through the arms and keeping the winner of each duel leaves one arm that may
have beaten all, and its other duels settle whether it has, so that 2K of the K (K - 1) / 2 sides
suffice. Counts are whole numbers: it does not learn from ties.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.9)
    >>> result = fb.simulate("rcs", environment, 20_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import tie_wins
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.duels import (
    check_positive,
    check_size,
    met,
    strongest_rival,
    update_bounds,
)
from factored_bandits.policies.blocks.posterior import (
    POSTERIOR_WINS,
    likely_winner,
    posterior_contradiction,
    update_posterior,
    warm_start_posterior,
)
from factored_bandits.policies.limits import COUNT, SHARE, Within

NOBODY = -1

INFO = Info(
    title="Relative Confidence Sampling",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Condorcet winner",
    guarantee="none proved",
    reference="Zoghi, Whiteson, de Rijke & Munos, WSDM 2014, Algorithm 1",
    ties=False,
    style=("purple", "long"),
    cost=(180, 1.2),
)


class Params(NamedTuple):
    """`alpha` under the root of the opponent's bound; that bound for a pair that has not met."""

    alpha: float = 0.51
    unplayed: Literal[1, 2] = 1


class State(NamedTuple):
    """Records, posteriors and bounds of all pairs."""

    wins: Floats  # (K, K) of row over column
    probability: Floats  # (K, K) P(theta_ij > 1/2)
    mass: Floats  # (K, K) above the diagonal P(Bin(N_ij + 1, 1/2) = W_ij)
    rate: Floats  # (K, K) q_jc at [c, j]
    width: Floats  # (K, K) 1 / sqrt(N_jc) at [c, j], 0 for a pair that has not met
    titles: Ints  # (K,) how often each arm was champion

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {
            "wins": POSTERIOR_WINS,
            "probability": SHARE,
            "mass": SHARE,
            "rate": Within(0.0, 2.0),
            "width": Within(0.0, 1.0),
            "titles": COUNT,
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """See blocks/posterior."""
        return posterior_contradiction(self.wins, self.probability)


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse an alpha that is not positive, and more pairs than fit in memory."""
    check_positive("rcs", alpha=params.alpha)
    check_size("rcs", int(sizes[0]), matrices=5)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known: every theta is uniform."""
    arms = int(sizes[0])
    return State(
        wins=np.zeros((arms, arms)),
        probability=np.full((arms, arms), 0.5),
        mass=np.full((arms, arms), 0.5),
        rate=np.full((arms, arms), float(params.unplayed)),
        width=np.zeros((arms, arms)),
        titles=np.zeros(arms, dtype=np.int64),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Algorithm 1: the champion of a sample and its strongest rival."""
    # Algorithm 1, tournament: c with theta_cj > 1/2 for all j, else the arm with the fewest titles
    champion = undefeated(state.probability, rng)
    if champion == NOBODY:
        champion = newcomer(state.titles, rng)
    state.titles[champion] += 1

    # Algorithm 1, opponent: d = argmax_j u_jc, u_jc = q_jc + sqrt(alpha log t / N_jc)
    root = math.sqrt(params.alpha * math.log(t))
    actions[0, 0] = champion
    actions[0, 1] = strongest_rival(state.rate, state.width, champion, root, rng)
    return 1


@kernel
def undefeated(probability: Floats, rng: np.random.Generator) -> int:
    """The arm that beats all others in a sample, or NOBODY."""
    winner = 0
    beaten = NOBODY

    # all but the last winner have lost a duel on the way
    for j in range(1, probability.shape[0]):
        if rng.random() >= probability[winner, j]:
            beaten = winner
            winner = j

    # its duels that were not drawn yet; that with `beaten` was
    for j in range(winner):
        if j != beaten and rng.random() >= probability[winner, j]:
            return NOBODY

    return winner


@kernel
def newcomer(titles: Ints, rng: np.random.Generator) -> int:
    """The arm with the fewest titles, ties at random."""
    choice = 0
    ties = 1

    for i in range(1, len(titles)):
        if titles[i] < titles[choice]:
            choice = i
            ties = 1
        elif titles[i] == titles[choice]:
            ties += 1
            if tie_wins(rng, ties):
                choice = i

    return choice


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The pair's record, posterior and bounds."""
    first = actions[0, 0]
    second = actions[0, 1]
    if first != second:
        update_posterior(state.wins, state.probability, state.mass, first, second, rewards[0])
        update_bounds(state.wins, state.rate, state.width, first, second)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The arm that is expected to beat most others."""
    best = likely_winner(state.probability)
    action[0] = best
    action[1] = best


def warm_start(params: Params, state: State, wins: Floats) -> None:
    """Past duels count like duels played."""
    warm_start_posterior(state.wins, state.probability, state.mass, wins)
    for i, j in met(state.wins):
        update_bounds(state.wins, state.rate, state.width, i, j)
