"""Stochastically constrained: all means go up and down together, each best level keeps its lead.

A *stochastically constrained adversary*: what an algorithm sees of a level depends on when it
looked, so means over different times must not be compared. Time runs in phases that grow by the
factor `growth` (Zimmert & Seldin 2021 use 1.6). With `pattern="switch"` all means are `swing`
higher in every other phase; with `"drift"` they go up and down by as much, smoothly.
`best_moves=True` breaks the constraint, to show what breaks then: in every phase the next level of
each factor becomes the best. Regret is measured against the best combination of the moment.

>>> import factored_bandits as fb
>>> problem = fb.environments.make(
...     "stochastically_constrained", effects=[[0.2, 0.0], [0.0, 0.1]], base=0.1, swing=0.5
... )
>>> [round(float(problem.module.mean(problem.data, t, [0, 1])), 9) for t in (1, 2, 3, 4)]
[0.4, 0.9, 0.9, 0.4]
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import numpy as np

from factored_bandits.core.checks import finite, integer, one_of, shown
from factored_bandits.environments.base import Environment
from factored_bandits.environments.checks import level_values, room_for_levels
from factored_bandits.environments.structure import MOVING, SUM, Noise, build, check_mean
from factored_bandits.errors import InvalidInputError


def init(
    effects: Any,
    base: float = 0.1,
    swing: float = 0.5,
    pattern: Literal["switch", "drift"] = "switch",
    growth: float = 1.6,
    best_moves: bool = False,
    noise: Noise = "bernoulli",
    sigma: float = 1.0,
) -> Environment:
    """Means that are a base plus one effect per factor plus what time adds.

    Parameters
    ----------
    effects
        `effects[l][i]` is what level i of factor l adds to `base`.
    base
        The mean without any effect.
    swing
        What time adds at most.
    pattern
        "switch": all means are `swing` higher in every other phase; "drift": they go up and down
        by as much, smoothly.
    growth
        Each phase is longer than the one before by this factor.
    best_moves
        Whether the best level of each factor is another one in every phase.
    noise
        "bernoulli": rewards are 0 or 1; "gaussian": unbounded rewards.
    sigma
        The standard deviation of Gaussian noise, in (0, 1].

    Returns
    -------
    The problem, not stationary.

    Raises
    ------
    InvalidInputError
        If an argument is out of range, or a mean is not possible with this noise.

    Examples
    --------
    >>> init(effects=[[0.2, 0.0], [0.0, 0.1]]).stationary
    False
    """
    values = level_values("effects", effects)
    base = finite("base", base)
    swing = finite("swing", swing)
    growth = finite("growth", growth)

    if swing < 0.0 or not 1.0 < growth <= 1000.0:
        raise InvalidInputError(
            f"swing must be at least 0 and growth in (1, 1000], not {swing!r} and {growth!r}"
        )

    one_of("pattern", pattern, ("switch", "drift"))
    if not isinstance(best_moves, bool):
        raise InvalidInputError(f"best_moves must be True or False, not {shown(best_moves)}")

    params = {
        "effects": values,
        "base": base,
        "swing": swing,
        "pattern": pattern,
        "growth": growth,
        "best_moves": best_moves,
    }
    still = build(
        "stochastically_constrained",
        combine=SUM,
        noise=noise,
        sigma=sigma,
        values=values,
        base=base,
        params=params,
    )
    check_mean("stochastically_constrained", still.data.highest + swing, still.best, noise)
    movement = np.array([swing, growth, pattern == "drift", best_moves], dtype=np.float64)

    data = still.data._replace(combine=MOVING, table=movement)
    return dataclasses.replace(still, data=data, stationary=False)


def one_good_level(
    levels: int = 8,
    factors: int = 2,
    gap: float = 0.15,
    swing: float = 0.5,
    pattern: Literal["switch", "drift"] = "switch",
    best_moves: bool = False,
) -> Environment:
    """Each factor has one level that adds to the mean; all means go up and down together.

    Parameters
    ----------
    levels
        How many levels each factor has.
    factors
        How many factors there are.
    gap
        What the good level of each factor adds.
    swing
        What time adds at most.
    pattern
        "switch" or "drift": how the means move.
    best_moves
        Whether the best level of each factor is another one in every phase.

    Returns
    -------
    The problem, not stationary.

    Raises
    ------
    InvalidInputError
        If an argument is out of range, or a mean is not possible with this noise.

    Examples
    --------
    >>> one_good_level(levels=3).sizes
    (3, 3)
    """
    levels = integer("levels", levels, low=2)
    factors = integer("factors", factors, low=1)
    room_for_levels(levels, factors)
    one = np.zeros(levels)
    one[0] = finite("gap", gap)
    return init(effects=[one] * factors, swing=swing, pattern=pattern, best_moves=best_moves)


GENERATORS = {"stochastically_constrained": one_good_level}
