"""Trap: a factor with a far better level, and one of two levels that differ by little.

The big factor settles first; by then the small factor's better level has a stale low mean, and an
algorithm that runs each factor on its own (sparring) locks in the wrong one.

    >>> import factored_bandits as fb
    >>> fb.environments.make("trap").sizes
    (2, 16)
"""

from __future__ import annotations

import numpy as np

from factored_bandits.core.checks import finite, integer
from factored_bandits.environments.base import Environment
from factored_bandits.environments.checks import room_for_levels
from factored_bandits.environments.structure import SUM, Noise, build


def init(
    levels: int = 16,
    small: float = 0.03,
    low: float = 0.05,
    high: float = 0.85,
    noise: Noise = "bernoulli",
    sigma: float = 1.0,
) -> Environment:
    """A small factor of two levels, and a big one.

    Parameters
    ----------
    levels
        How many levels the big factor has.
    small
        What the second level of the small factor adds.
    low
        What all levels of the big factor but the first add.
    high
        What the first level of the big factor adds.
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
    >>> round(init().mean([1, 0]), 9)
    0.88
    """
    levels = integer("levels", levels, low=2)
    room_for_levels(levels)
    small = finite("small", small)
    low = finite("low", low)
    high = finite("high", high)
    big = np.full(levels, low)
    big[0] = high
    params = {"levels": levels, "small": small, "low": low, "high": high}

    return build(
        "trap",
        combine=SUM,
        noise=noise,
        sigma=sigma,
        values=[np.array([0.0, small]), big],
        params=params,
    )


GENERATORS = {"trap": init}
