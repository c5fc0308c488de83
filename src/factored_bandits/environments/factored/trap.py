"""Trap: one factor with a far better level, one of two levels that differ by little; what breaks
sparring.

The big factor settles first; by then the small factor's better level has a stale low mean, and an
algorithm that runs each factor on its own locks in the wrong one.

    >>> import factored_bandits as fb
    >>> fb.environments.make("trap").sizes
    (2, 16)
"""

from __future__ import annotations

import numpy as np

from factored_bandits.environments.base import Environment
from factored_bandits.environments.checks import finite, integer
from factored_bandits.environments.structure import SUM, Noise, build


def init(
    levels: int = 16,
    small: float = 0.03,
    low: float = 0.05,
    high: float = 0.85,
    noise: Noise = "bernoulli",
    sigma: float = 1.0,
) -> Environment:
    """Mean = (0 or `small`) + (`high` for one of `levels`, `low` for the others)."""
    levels = integer("levels", levels, least=2)
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
