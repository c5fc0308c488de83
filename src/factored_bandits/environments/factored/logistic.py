"""Logistic: the log-odds of a success are a base plus one effect per factor.

>>> import factored_bandits as fb
>>> round(fb.environments.make("logistic", effects=[[0.0, 1.0], [0.0, 2.0]], base=-3.0).mean([1, 1]), 9)
0.5
"""

from __future__ import annotations

from typing import Any

from factored_bandits.environments.base import Environment
from factored_bandits.environments.checks import finite, integer, level_values, log_odds
from factored_bandits.environments.structure import LOGISTIC, Noise, build


def init(
    effects: Any, base: float = 0.0, noise: Noise = "bernoulli", sigma: float = 1.0
) -> Environment:
    """`effects[l][i]` is what level i of factor l adds to the log-odds `base`."""
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

    >>> round(stairs(levels=3, factors=2, base=-2.0, step=0.5).mean([2, 2]), 9)
    0.5
    """
    levels = integer("levels", levels, least=1)
    factors = integer("factors", factors, least=1)
    step = finite("step", step)
    return init(effects=[[step * i for i in range(levels)]] * factors, base=base)


GENERATORS = {"logistic": stairs}
