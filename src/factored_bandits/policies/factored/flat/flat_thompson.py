"""Thompson sampling over all combinations (Thompson 1933; Agrawal & Goyal 2012).

What many would do without factors. Every combination is an arm of its own, with a Beta(1, 1) prior
on its probability of success: draw once from every posterior, play the largest draw. It assumes
nothing, and pays for every combination. The largest draw is found without drawing all, see
`_beta_race`: the plays are equal in distribution. Rewards between 0 and 1 count as that part of a
success; those outside, possible with unbounded rewards, are taken to the nearer end.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("table", means=[[0.2, 0.8], [0.3, 0.4]])
    >>> result = fb.simulate(
    ...     "flat_thompson", environment, horizon=2_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.limits import MOST_ROUNDS
from factored_bandits.core.select import ravel, unravel
from factored_bandits.policies.base import Info
from factored_bandits.policies.limits import COUNT, Within, fixed

from ._beta_race import hazard, race, set_threshold, sum_block, update_hazard
from ._flat import check_combinations, combinations, most_played

INFO = Info(
    title="Thompson sampling over all combinations",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="none",
    guarantee="(1 + o(1)) sum over combinations of gap log(t) / kl, anytime",
    reference="Thompson, Biometrika 25, 1933; Agrawal & Goyal, COLT 2012; Kaufmann, Korda & Munos, "
    "ALT 2012",
    style=("purple", "solid"),
    cost=(1000, 2),
    slowdown=(90,),
    flat=True,
)


class Params(NamedTuple):
    """No parameters."""


class State(NamedTuple):
    """Posteriors of each combination, the last factor running fastest."""

    sizes: Ints  # (L,)
    alpha: Floats  # (combinations,) first parameter of the Beta posterior: 1 + successes
    beta: Floats  # (combinations,) second parameter: 1 + failures
    hazards: Floats  # (combinations,) of proposing in a race, see _beta_race
    plays: Floats  # (combinations,)
    block_hazards: Floats  # (blocks,) sums of hazards over blocks of combinations
    threshold: Floats  # (1,) of the race
    learned: Floats  # (1,) plays learned since the threshold was set

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        posterior = Within(1.0, 1.0 + MOST_ROUNDS)
        hazard = Within(0.0, math.inf)
        return {
            "sizes": fixed(self.sizes),
            "alpha": posterior,
            "beta": posterior,
            "hazards": hazard,
            "plays": COUNT,
            "block_hazards": hazard,
            "threshold": Within(0.0, np.nextafter(1.0, 0.0)),
            "learned": Within(0.0, math.inf),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """The hazards follow from the posteriors: with others a race might never end."""
        if self.learned[0] >= len(self.plays):
            return None  # they will be computed anew

        hazards = self.hazards.copy()
        sums = self.block_hazards.copy()
        for i in range(len(hazards)):
            hazards[i] = hazard(self.alpha[i], self.beta[i], self.threshold[0])
        for block in range(len(sums)):
            sum_block(hazards, sums, block)

        known = np.array_equal(hazards, self.hazards) and np.array_equal(sums, self.block_hazards)
        return None if known else "hazards do not follow from alpha, beta and threshold"


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse too many combinations."""
    check_combinations("flat_thompson", sizes)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """The uniform prior."""
    number = combinations(sizes)
    return State(
        sizes=np.array(sizes, dtype=np.int64),
        alpha=np.ones(number),
        beta=np.ones(number),
        hazards=np.zeros(number),
        plays=np.zeros(number),
        block_hazards=np.zeros(math.isqrt(number)),
        threshold=np.zeros(1),
        learned=np.array([math.inf]),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The combination with the largest draw."""
    alpha = state.alpha
    beta = state.beta
    hazards = state.hazards
    block_hazards = state.block_hazards

    # A new threshold when there was time to learn about all combinations.
    if state.learned[0] >= len(state.plays):
        state.threshold[0] = set_threshold(alpha, beta, hazards, block_hazards)
        state.learned[0] = 0.0

    # Agrawal & Goyal, Algorithm 1: theta_i ~ Beta(S_i + 1, F_i + 1), play the argmax
    arm = race(alpha, beta, hazards, block_hazards, state.threshold[0], rng)
    unravel(state.sizes, arm, actions[0])
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The posterior of the combination played."""
    arm = ravel(state.sizes, actions[0])

    # Agrawal & Goyal, Algorithm 2, draw a Bernoulli outcome with this mean instead.
    reward = min(1.0, max(0.0, rewards[0]))
    state.alpha[arm] += reward
    state.beta[arm] += 1.0 - reward
    state.plays[arm] += 1.0

    state.learned[0] += 1.0
    update_hazard(
        state.alpha, state.beta, state.hazards, state.block_hazards, state.threshold[0], arm
    )


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The combination played most often."""
    unravel(state.sizes, most_played(state.plays), action)
