"""Logistic: the log-odds of a success are a base plus one effect per factor.

>>> import factored_bandits as fb
>>> problem = fb.environments.make("logistic", effects=[[0.0, 1.0], [0.0, 2.0]], base=-3.0)
>>> round(problem.mean([1, 1]), 9)
0.5
"""

from __future__ import annotations

from typing import Any

import numpy as np

from factored_bandits.core.checks import finite, integer
from factored_bandits.environments.base import Environment
from factored_bandits.environments.checks import level_values, log_odds, room_for_levels
from factored_bandits.environments.structure import LOGISTIC, Noise, build


def init(
    effects: Any, base: float = 0.0, noise: Noise = "bernoulli", sigma: float = 1.0
) -> Environment:
    """Means whose log-odds are a base plus one effect per factor.

    Parameters
    ----------
    effects
        `effects[l][i]` is what level i of factor l adds to the log-odds.
    base
        The log-odds without any effect.
    noise
        "bernoulli": rewards are 0 or 1; "gaussian": unbounded rewards.
    sigma
        The standard deviation of Gaussian noise, in (0, 1].

    Returns
    -------
    The problem.

    Raises
    ------
    InvalidInputError
        If an argument is out of range, or a mean is not possible with this noise.

    Examples
    --------
    >>> init(effects=[[0.0, 1.0], [2.0, 0.0]], base=-3.0).best
    (1, 0)
    """
    values = level_values("effects", effects)
    base = finite("base", base)
    log_odds(low=base + sum(v.min() for v in values), high=base + sum(v.max() for v in values))
    params = {"effects": values, "base": base}

    return build(
        "logistic",
        combine=LOGISTIC,
        noise=noise,
        sigma=sigma,
        values=values,
        base=base,
        params=params,
    )


def stairs(levels: int = 4, factors: int = 2, base: float = -2.0, step: float = 0.5) -> Environment:
    """In every factor, level i adds i steps to the log-odds.

    Parameters
    ----------
    levels
        How many levels each factor has.
    factors
        How many factors there are.
    base
        The log-odds of the combination of first levels.
    step
        From one level to the next.

    Returns
    -------
    The problem, the last level the best of each factor.

    Raises
    ------
    InvalidInputError
        If an argument is out of range, or a mean is not possible with this noise.

    Examples
    --------
    >>> round(stairs(levels=3, factors=2, base=-2.0, step=0.5).mean([2, 2]), 9)
    0.5
    """
    levels = integer("levels", levels, low=1)
    factors = integer("factors", factors, low=1)
    room_for_levels(levels, factors)
    one = finite("step", step) * np.arange(levels)
    return init(effects=[one] * factors, base=base)


GENERATORS = {"logistic": stairs}
