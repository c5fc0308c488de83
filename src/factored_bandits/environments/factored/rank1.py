"""Rank one: the mean is the product of one quality per factor (rank-1 bandits of Katariya et al.
for two factors).

>>> import factored_bandits as fb
>>> fb.environments.make("rank1", factors=[[0.9, 0.5], [0.8, 0.2], [1.0, 0.5]]).mean([0, 0, 1])
0.36000000000000004
"""

from __future__ import annotations

from typing import Any

from factored_bandits.environments.base import Environment
from factored_bandits.environments.checks import finite, integer, level_values
from factored_bandits.environments.structure import PRODUCT, Noise, build
from factored_bandits.errors import InvalidInputError


def init(factors: Any, noise: Noise = "bernoulli", sigma: float = 1.0) -> Environment:
    """`factors[l][i]` is the quality, in [0, 1], of level i of factor l."""
    values = level_values("factors", factors)
    for l, array in enumerate(values):
        for i, value in enumerate(array):
            if not 0.0 <= value <= 1.0:
                raise InvalidInputError(
                    f"factors[{l}][{i}] is {value:g}; qualities of rank1 lie in [0, 1]"
                )

    return build(
        "rank1",
        combine=PRODUCT,
        noise=noise,
        sigma=sigma,
        values=values,
        params={"factors": values},
    )


def spiked(levels: int = 16, best: float = 0.75, gap: float = 0.2, factors: int = 2) -> Environment:
    """The paper's rank-one problem: each factor has one level of quality q and others of q - gap,
    q^factors = best.

    >>> spiked(levels=4, best=0.81, gap=0.2).params["factors"][0]
    array([0.9, 0.7, 0.7, 0.7])
    """
    levels = integer("levels", levels, least=1)
    factors = integer("factors", factors, least=1)

    if not 0.0 < finite("best", best) <= 1.0:
        raise InvalidInputError(
            f"best, the mean of the best combination, must lie in (0, 1], not {best!r}"
        )

    quality = best ** (1.0 / factors)
    if not 0.0 <= finite("gap", gap) <= quality:
        raise InvalidInputError(
            f"gap must lie between 0 and the best quality {quality:.4g}, not {gap!r}"
        )

    one = [quality] + [quality - gap] * (levels - 1)
    return init(factors=[one] * factors)


GENERATORS = {"rank1": spiked}
