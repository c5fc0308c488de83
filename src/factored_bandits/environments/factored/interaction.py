"""Interaction: random means in which what a level is worth depends on the context, with any kappa.

Levels matter much more in a good context than in a bad one. Uniform identifiability holds: in every
context the best level of a factor leads. Beyond that the means are random: the loss of a
combination is the largest that is left with one wrong level put right, plus a random surplus. The
loss is mixed with the sum of the losses that the wrong levels have on
their own, in the proportion that makes the paper's kappa, the smallest constant with mu(a*) - mu(a)
<= kappa * (sum of the gaps of the levels of a), equal to the one asked for.

>>> import factored_bandits as fb
>>> problem = fb.environments.make("interaction", sizes=(3, 4), kappa=2.5)
>>> problem.best, round(fb.theory.kappa(problem).value, 6)
((0, 0), 2.5)
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.checks import finite, integer, shown
from factored_bandits.environments.base import Environment
from factored_bandits.environments.structure import TABLE, Noise, build
from factored_bandits.errors import InvalidInputError

LARGEST = 10**6  # combinations
MOST_FACTORS = 19  # 2^20 combinations are too many already
HALVINGS = 60  # of the interval in which the proportion is sought: to the last bit


def init(
    sizes: Any = (8, 8),
    kappa: float = 3.0,
    low: float = 0.1,
    high: float = 0.9,
    draw: int = 0,
    noise: Noise = "bernoulli",
    sigma: float = 1.0,
) -> Environment:
    """Random means with a chosen kappa.

    Parameters
    ----------
    sizes
        How many levels each factor has; at least two factors with more than one.
    kappa
        The paper's constant, 1 where losses add up.
    low
        The smallest mean.
    high
        The largest mean.
    draw
        Another number gives another problem.
    noise
        "bernoulli": rewards are 0 or 1; "gaussian": unbounded rewards.
    sigma
        The standard deviation of Gaussian noise, in (0, 1].

    Returns
    -------
    The problem, the first level the best of each factor.

    Raises
    ------
    InvalidInputError
        If an argument is out of range, or a mean is not possible with this noise.

    Examples
    --------
    >>> init(sizes=(3, 4)).mean([0, 0])
    0.9
    """
    try:
        shape = tuple(integer("sizes", size, low=1) for size in sizes)
    except TypeError:
        shape = ()

    kappa = finite("kappa", kappa)
    low = finite("low", low)
    high = finite("high", high)
    draw = integer("draw", draw, low=0)

    if not shape or sum(size > 1 for size in shape) < 2 or math.prod(shape) > LARGEST:
        raise InvalidInputError(
            f"sizes must be at least two factors with more than one level and at most {LARGEST:,} "
            f"combinations, not {shown(sizes)}: levels of one factor have nothing to interact with"
        )

    if not 1.0 <= kappa <= 1000.0:
        raise InvalidInputError(
            f"kappa must lie in [1, 1000], not {kappa!r}: it is 1 where losses add up"
        )

    if not low < high:
        raise InvalidInputError(f"low must lie below high, not {low!r} and {high!r}")

    losses = _losses(shape, kappa, np.random.default_rng(draw))
    means = high - (high - low) * losses / losses.max()
    params = {"sizes": shape, "kappa": kappa, "low": low, "high": high, "draw": draw}
    return build("interaction", combine=TABLE, noise=noise, sigma=sigma, table=means, params=params)


def _losses(shape: tuple[int, ...], kappa: float, rng: np.random.Generator) -> Floats:
    """Losses with this kappa: a mixture of random ones (kappa is larger) and of sums (it is 1)."""
    mixed = _random_losses(shape, rng, surplus=0.1 / kappa)
    alone = [
        mixed[tuple(slice(None) if k == l else 0 for k in range(len(shape)))]
        for l in range(len(shape))
    ]
    added = _added(alone)

    # shares of `mixed` with a kappa below and above the one asked for
    few = 0.0
    many = 1.0

    for _ in range(HALVINGS):
        share = 0.5 * (few + many)
        if _kappa(share * mixed + (1.0 - share) * added) < kappa:
            few = share
        else:
            many = share

    return many * mixed + (1.0 - many) * added


def _random_losses(shape: tuple[int, ...], rng: np.random.Generator, surplus: float) -> Floats:
    """Each combination loses more than with any one wrong level put right, by a random surplus."""
    losses = np.zeros(shape)
    for action in sorted(itertools.product(*map(range, shape)), key=np.count_nonzero):
        wrong = [l for l, level in enumerate(action) if level > 0]
        if wrong:
            less = max(losses[(*action[:l], 0, *action[l + 1 :])] for l in wrong)
            losses[action] = less + rng.uniform(0.3, 1.0) * (1.0 if len(wrong) == 1 else surplus)
    return losses


def _added(alone: list[Floats]) -> Floats:
    """The sum of one entry per factor, for every combination."""
    total = np.zeros(tuple(map(len, alone)))
    for l, values in enumerate(alone):
        total += values.reshape([-1 if k == l else 1 for k in range(len(alone))])
    return total


def _kappa(losses: Floats) -> float:
    """The largest ratio of a loss to the sum of gaps; the first level of a factor is the best."""
    gaps = []
    for l in range(losses.ndim):
        lead = losses - losses.take([0], axis=l)
        gaps.append(lead.min(axis=tuple(k for k in range(losses.ndim) if k != l)))
    total = _added(gaps)
    total.flat[0] = 1.0  # nothing is lost there
    return float((losses / total).max())


def squares(levels: int = 8, factors: int = 2, kappa: float = 3.0, draw: int = 0) -> Environment:
    """Factors of equal size whose levels matter more in a good context than in a bad one.

    Parameters
    ----------
    levels
        How many levels each factor has.
    factors
        How many factors there are.
    kappa
        The paper's constant, 1 where losses add up.
    draw
        Another number gives another problem.

    Returns
    -------
    The problem, the first level the best of each factor.

    Raises
    ------
    InvalidInputError
        If an argument is out of range, or a mean is not possible with this noise.

    Examples
    --------
    >>> squares(levels=4, factors=3).sizes
    (4, 4, 4)
    """
    levels = integer("levels", levels, low=2)
    factors = integer("factors", factors, low=2, high=MOST_FACTORS)
    return init(sizes=(levels,) * factors, kappa=kappa, draw=draw)


GENERATORS = {"interaction": squares}
