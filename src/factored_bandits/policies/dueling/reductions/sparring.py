"""Sparring (Ailon, Karnin & Joachims, ICML 2014): two bandits, one per position, play each other.

Each base bandit chooses the arm for its position and learns whether that arm has won, and nothing
else. What one sees depends on how the other plays, so with UCB it is a heuristic, though a good
one; with Tsallis-INF, which bears an adversary, its regret is bounded too. Duels of an arm with
itself are learned like all others.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(4, 0.9)
    >>> result = fb.simulate("sparring", environment, 10_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Code, Info
from factored_bandits.policies.blocks.base_bandits import (
    base_ucb_pick,
    exp3_pick,
    thompson_pick,
    tsallis_pick,
    ucb_tables,
)
from factored_bandits.policies.blocks.duels import check_positive
from factored_bandits.policies.blocks.propensities import (
    no_propensities,
    recall,
    remember,
    remembered_limits,
)
from factored_bandits.policies.blocks.tsallis import (
    IMPORTANCE,
    REDUCED_VARIANCE,
    learning_rate,
    tsallis_feed,
)
from factored_bandits.policies.blocks.ucb import PLAYS, TOTAL, UCB_LIMITS, ucb_feed
from factored_bandits.policies.limits import COUNT, HUGE_SUM, SHARE, Within

UCB: Code = 0  # Params.base_bandit
THOMPSON: Code = 1
EXP3: Code = 2  # this one and the next draw with probabilities
TSALLIS_INF: Code = 3

INFO = Info(
    title="Sparring",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="utility; with base_bandit='tsallis_inf', a Condorcet winner",
    guarantee=(
        "none proved for UCB, Thompson and Exp3; O(sum over arms of log(t) / gap) with "
        "Tsallis-INF, anytime"
    ),
    reference=(
        "Ailon, Karnin & Joachims, Reducing Dueling Bandits to Cardinal Bandits, ICML 2014, "
        "Algorithm 4"
    ),
    self_duel_counts=True,
    style=("green", "long"),
    cost=(180, 0.7),
    slowdown=(15, 90),
)


class Params(NamedTuple):
    """The base bandit of both positions; `alpha` in UCB's bound, sqrt(alpha log n / plays)."""

    base_bandit: Literal["ucb", "thompson", "exp3", "tsallis_inf"] = "ucb"
    alpha: float = 2.5


class State(NamedTuple):
    """Two base bandits, the first index is the position."""

    tables: Floats  # (2, 4, K) wins, plays and indices, see blocks.ucb
    losses: Floats  # (2, K) estimated by Exp3 and Tsallis-INF
    probabilities: Floats  # (2, K) with which these drew last
    pulls: Floats  # (1,) duels learned
    solutions: Floats  # (2,) of Tsallis-INF's equation in the last round: Newton begins here
    remembered: Floats  # (duels, 3) propensities of both arms of the last duels

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {
            "tables": UCB_LIMITS,
            "losses": HUGE_SUM,
            "probabilities": SHARE,
            "pulls": COUNT,
            "remembered": remembered_limits(self.remembered),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """Nobody wins more often than it plays."""
        wins = self.tables[:, TOTAL]
        if (wins < 0.0).any() or (wins > self.tables[:, PLAYS]).any():
            return "tables hold more wins than plays"
        return None


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse an alpha that is not positive."""
    check_positive("sparring", alpha=params.alpha)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    arms = int(sizes[0])
    return State(
        tables=ucb_tables(2, arms),
        losses=np.zeros((2, arms)),
        probabilities=np.zeros((2, arms)),
        pulls=np.zeros(1),
        solutions=np.zeros(2),
        remembered=no_propensities(2),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Algorithm 4: each base bandit picks the arm of its position."""
    for position in range(2):
        actions[0, position] = pick(params, state, position, rng)

    if params.base_bandit >= EXP3:
        for position in range(2):
            probability = state.probabilities[position, actions[0, position]]
            remember(state.remembered, t, position, probability)

    return 1


@kernel
def pick(params: Params, state: State, position: int, rng: np.random.Generator) -> int:
    """The choice of one base bandit."""
    table = state.tables[position]
    losses = state.losses[position]
    probabilities = state.probabilities[position]
    pulls = state.pulls[0]

    if params.base_bandit == UCB:
        return base_ucb_pick(table, pulls, params.alpha, rng)
    if params.base_bandit == THOMPSON:
        return thompson_pick(table[TOTAL], table[PLAYS], rng)
    if params.base_bandit == EXP3:
        return exp3_pick(losses, probabilities, pulls, rng)
    return tsallis_pick(losses, probabilities, pulls, state.solutions, position, rng)


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Algorithm 4: each base bandit learns whether its own arm won."""
    state.pulls[0] += 1.0

    for position in range(2):
        arm = actions[0, position]
        win = rewards[0] if position == 0 else 1.0 - rewards[0]
        ucb_feed(state.tables[position], arm, win)
        if params.base_bandit >= EXP3:
            learn_loss(params, state, t, position, arm, 1.0 - win)


@kernel
def learn_loss(params: Params, state: State, t: int, position: int, arm: int, loss: float) -> None:
    """Exp3 weights the loss by importance, Tsallis-INF with reduced variance."""
    losses = state.losses[position]
    probabilities = state.probabilities[position]
    estimator = REDUCED_VARIANCE if params.base_bandit == TSALLIS_INF else IMPORTANCE
    rate = learning_rate(state.pulls[0], estimator)

    # the propensity at the time of the draw, however late the outcome is
    probabilities[arm] = recall(state.remembered, t, position, probabilities[arm])
    tsallis_feed(losses, probabilities, 0, len(losses), arm, loss, rate, estimator)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The arm that was played most, both positions together."""
    best = 0
    most = -1.0

    for arm in range(state.tables.shape[2]):
        plays = state.tables[0, PLAYS, arm] + state.tables[1, PLAYS, arm]
        if plays > most:
            best = arm
            most = plays

    action[0] = best
    action[1] = best
