"""ComBand (Cesa-Bianchi & Lugosi 2012) on a Cartesian product, factor by factor.

ComBand weighs every combination by the exponential of its estimated loss, a sum over its levels,
and mixes in a share of uniform play. On a product the weights factorise, so each factor draws its
own level; and since <u, P+ s> is the sum over factors of 1{same level} / probability, minus L - 1,
its estimate through the pseudo-inverse P+ of E[s s'] is importance weighting per factor, up to a
constant that does not change the weights. Rate and exploration are shared by all factors and tuned
to the horizon as in its Theorem 1. Assumes that losses are sums over factors, which may change at
will.

    >>> import factored_bandits as fb
    >>> effects = [[0.0, 0.4], [0.0, 0.3, 0.1]]
    >>> environment = fb.environments.make("additive", effects=effects, base=0.1)
    >>> result = fb.simulate(
    ...     "comband", environment, horizon=5_000, repetitions=4, seed=1, progress=False
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
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.propensity_bets import await_reward
from factored_bandits.policies.blocks.wealth import wealth_contradiction
from factored_bandits.policies.limits import Within, fixed

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
    "check",
    "init",
    "learn",
    "p_values",
    "plan",
    "propensities",
    "recommend",
]

INFO = Info(
    title="ComBand on a Cartesian product",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="additive losses, chosen by an adversary",
    guarantee="2 sqrt((2 L max K + sum K) T log(prod K)) against an adversary",
    reference="Cesa-Bianchi & Lugosi, Combinatorial Bandits, JCSS 78, 2012",
    needs_horizon=True,
    style=("green", "dashdot"),
    cost=(600, 1.2),
)


class Params(NamedTuple):
    """No parameters."""


class State(NamedTuple):
    """Learners side by side, one per factor."""

    offsets: Ints  # (L + 1,) first level of each factor
    rate: Floats  # (1,) of learning: eta in the paper
    uniform: Floats  # (1,) the share of uniform play: gamma in the paper
    losses: Floats  # (levels,) cumulated estimates
    probabilities: Floats  # (levels,) of the last plan
    remembered: Floats  # (plays, 1 + L) propensities of the last plays
    bets: Floats  # (6, levels) the rows of blocks/wealth and blocks/propensity_bets
    queue: Ints  # (2,) the oldest row of `drawn`, and how many are in use
    drawn: Floats  # rows of 1 + levels: a round that waits for its reward, its probabilities

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {
            **array_limits(self),
            "rate": fixed(self.rate),
            "uniform": fixed(self.uniform),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """A wealth above its peak."""
        return wealth_contradiction(self.bets)


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse an unknown horizon."""
    if horizon == 0:
        raise InvalidInputError("comband needs the horizon: its exploration is tuned to it")


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known; rate and exploration are tuned to the horizon."""
    # Theorem 1, with B^2 = L and the least eigenvalue lambda_min = 1 / max K
    ratio = float(len(sizes) * max(sizes))  # B^2 / lambda_min
    log_combinations = sum(math.log(size) for size in sizes)
    rate = math.sqrt(log_combinations / ((int(sum(sizes)) + 2.0 * ratio) * horizon))

    return State(
        rate=np.array([rate]),
        uniform=np.array([min(1.0, rate * ratio)]),
        **new_arrays(sizes),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """One play, each factor by its own probabilities."""
    for l in range(len(state.offsets) - 1):
        # p = (1 - gamma) q + gamma mu with mu uniform, the factor's own part of it
        draw_level(state, l, t, state.rate[0], state.uniform[0], rng, actions)

    await_reward(state.queue, state.drawn, t, state.probabilities)
    return 1
