"""Exp3 per factor (Auer, Cesa-Bianchi, Freund & Schapire 2002): exponential weights.

The classic against an adversary. Each factor has a learner of its own that sees the reward of the
whole combination: probabilities proportional to exp(-rate * estimated losses), rate = sqrt(log K /
(K t)) in the anytime form of Bubeck & Cesa-Bianchi (2012). Robust, but it never turns logarithmic:
on a stochastic problem its regret grows like sqrt(t), `tsallis_inf` and `lb_inf` do better.

    >>> import factored_bandits as fb
    >>> effects = [[0.0, 0.4], [0.0, 0.3, 0.1]]
    >>> environment = fb.environments.make("additive", effects=effects, base=0.1)
    >>> result = fb.simulate(
    ...     "exp3", environment, horizon=5_000, repetitions=4, seed=1, progress=False
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
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.propensity_bets import await_reward
from factored_bandits.policies.blocks.wealth import wealth_contradiction
from factored_bandits.policies.limits import Within

from ._exponential import (
    array_limits,
    draw_level,
    learn,
    new_arrays,
    p_values,
    propensities,
    recommend,
)

__all__ = [
    "INFO",
    "Params",
    "State",
    "init",
    "learn",
    "p_values",
    "plan",
    "propensities",
    "recommend",
]

INFO = Info(
    title="Exp3, one learner per factor",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="none (uniform identifiability to find the best combination)",
    guarantee="O(sqrt(K t log K)) per factor against an adversary, anytime",
    reference="Auer, Cesa-Bianchi, Freund & Schapire, SIAM J. Comput. 32, 2002; Bubeck & "
    "Cesa-Bianchi 2012, Thm 3.1",
    style=("green", "dotted"),
    cost=(650, 1.2),
)


class Params(NamedTuple):
    """No parameters."""


class State(NamedTuple):
    """Learners side by side, one per factor."""

    offsets: Ints  # (L + 1,) first level of each factor
    losses: Floats  # (levels,) cumulated estimates
    probabilities: Floats  # (levels,) of the last plan
    remembered: Floats  # (plays, 1 + L) propensities of the last plays
    bets: Floats  # (6, levels) the rows of blocks/wealth and blocks/propensity_bets
    queue: Ints  # (2,) the oldest row of `drawn`, and how many are in use
    drawn: Floats  # rows of 1 + levels: a round that waits for its reward, its probabilities

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return array_limits(self)

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """A wealth above its peak."""
        return wealth_contradiction(self.bets)


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return State(**new_arrays(sizes))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """One play, each factor by its own probabilities."""
    for l in range(len(state.offsets) - 1):
        size = state.offsets[l + 1] - state.offsets[l]
        # Bubeck & Cesa-Bianchi, Theorem 3.1: eta_t = sqrt(ln K / (t K))
        rate = math.sqrt(math.log(float(size)) / (size * float(t)))
        draw_level(state, l, t, rate, 0.0, rng, actions)

    await_reward(state.queue, state.drawn, t, state.probabilities)
    return 1
