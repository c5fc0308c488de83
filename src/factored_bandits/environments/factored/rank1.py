"""Rank 1: the mean is the product of one quality per factor (with two, Katariya et al. 2017).

>>> import factored_bandits as fb
>>> fb.environments.make("rank1", factors=[[0.9, 0.5], [0.8, 0.2], [1.0, 0.5]]).mean([0, 0, 1])
0.36000000000000004
"""

from __future__ import annotations

from typing import Any

import numpy as np

from factored_bandits.core.checks import finite, integer
from factored_bandits.environments.base import Environment
from factored_bandits.environments.checks import level_values, room_for_levels
from factored_bandits.environments.structure import PRODUCT, Noise, build
from factored_bandits.errors import InvalidInputError


def init(factors: Any, noise: Noise = "bernoulli", sigma: float = 1.0) -> Environment:
    """Means that are a product of one quality per factor.

    Parameters
    ----------
    factors
        `factors[l][i]` is the quality, in [0, 1], of level i of factor l.
    noise
        "bernoulli": rewards are 0 or 1; "gaussian": unbounded rewards.
    sigma
        The standard deviation of Gaussian noise, in (0, 1].

    Returns
    -------
    The problem; with Bernoulli noise it offers semi-bandit feedback.

    Raises
    ------
    InvalidInputError
        If an argument is out of range, or a mean is not possible with this noise.

    Examples
    --------
    >>> init(factors=[[0.9, 0.5], [0.8, 0.2]]).best
    (0, 0)
    """
    values = level_values("factors", factors)
    for l, array in enumerate(values):
        outside = (array < 0.0) | (array > 1.0)
        if outside.any():
            i = int(outside.argmax())
            raise InvalidInputError(
                f"factors[{l}][{i}] is {array[i]:g}; qualities of rank1 lie in [0, 1]"
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
    """The paper's rank-1 problem: in each factor one level is better than the others by a gap.

    Parameters
    ----------
    levels
        How many levels each factor has.
    best
        The mean of the best combination; q = best^(1 / factors) is the quality of the best levels.
    gap
        The quality of all other levels is q - gap.
    factors
        How many factors there are.

    Returns
    -------
    The problem, level 0 the best of each factor.

    Raises
    ------
    InvalidInputError
        If an argument is out of range, or a mean is not possible with this noise.

    Examples
    --------
    >>> spiked(levels=4, best=0.81, gap=0.2).params["factors"][0]
    array([0.9, 0.7, 0.7, 0.7])
    """
    levels = integer("levels", levels, low=1)
    factors = integer("factors", factors, low=1)
    room_for_levels(levels, factors)

    if not 0.0 < finite("best", best) <= 1.0:
        raise InvalidInputError(
            f"best, the mean of the best combination, must lie in (0, 1], not {best!r}"
        )

    quality = best ** (1.0 / factors)
    if not 0.0 <= finite("gap", gap) <= quality:
        raise InvalidInputError(
            f"gap must lie between 0 and the best quality {quality:.4g}, not {gap!r}"
        )

    one = np.full(levels, quality - gap)
    one[0] = quality
    return init(factors=[one] * factors)


GENERATORS = {"rank1": spiked}
