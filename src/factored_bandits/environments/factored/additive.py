"""Additive: the mean is a base plus one effect per factor.

>>> import factored_bandits as fb
>>> problem = fb.environments.make("additive", effects=[[0.0, 0.2], [0.0, 0.1, 0.3]], base=0.1)
>>> round(problem.mean([1, 2]), 9)
0.6
"""

from __future__ import annotations

from typing import Any

import numpy as np

from factored_bandits.core.checks import finite, integer
from factored_bandits.environments.base import Environment
from factored_bandits.environments.checks import level_values, room_for_levels
from factored_bandits.environments.structure import SUM, Noise, build


def init(
    effects: Any, base: float = 0.0, noise: Noise = "bernoulli", sigma: float = 1.0
) -> Environment:
    """Means that are a base plus one effect per factor.

    Parameters
    ----------
    effects
        `effects[l][i]` is what level i of factor l adds to `base`.
    base
        The mean without any effect.
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
    >>> init(effects=[[0.0, 0.2], [0.0, 0.3]], base=0.1).best
    (1, 1)
    """
    values = level_values("effects", effects)
    base = finite("base", base)
    params = {"effects": values, "base": base}
    return build(
        "additive", combine=SUM, noise=noise, sigma=sigma, values=values, base=base, params=params
    )


def one_good_level(
    levels: int = 6, factors: int = 5, base: float = 0.2, gap: float = 0.1
) -> Environment:
    """Each factor has one level that adds to the mean; all others add nothing.

    Parameters
    ----------
    levels
        How many levels each factor has.
    factors
        How many factors there are.
    base
        The mean without any good level.
    gap
        What the good level of each factor adds.

    Returns
    -------
    The problem, level 0 the best of each factor.

    Raises
    ------
    InvalidInputError
        If an argument is out of range, or a mean is not possible with this noise.

    Examples
    --------
    >>> round(one_good_level(levels=3, factors=2, base=0.2, gap=0.1).mean([0, 0]), 9)
    0.4
    """
    levels = integer("levels", levels, low=1)
    factors = integer("factors", factors, low=1)
    room_for_levels(levels, factors)
    one = np.zeros(levels)
    one[0] = finite("gap", gap)
    return init(effects=[one] * factors, base=base)


GENERATORS = {"additive": one_good_level}
