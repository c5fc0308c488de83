"""Table: the mean of every combination, as an array with one axis per factor.

>>> import factored_bandits as fb
>>> fb.environments.make("table", means=[[0.2, 0.8], [0.3, 0.4]]).best
(0, 1)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from factored_bandits.environments.base import Environment
from factored_bandits.environments.structure import TABLE, Noise, build
from factored_bandits.errors import InvalidInputError


def init(means: Any, noise: Noise = "bernoulli", sigma: float = 1.0) -> Environment:
    """Any means, given as an array with one axis per factor.

    Parameters
    ----------
    means
        `means[i, j, ...]` is the mean of combination (i, j, ...).
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
    >>> init(means=[[0.2, 0.8], [0.3, 0.4]]).mean([1, 0])
    0.3
    """
    try:
        table = np.array(means, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(
            "means must be an array of numbers, every row of the same length"
        ) from None

    if table.ndim == 0 or table.size == 0:
        raise InvalidInputError(
            f"means must have at least one axis and one entry, not the shape {table.shape}"
        )

    if not np.isfinite(table).all():
        entry = tuple(int(i) for i in np.argwhere(~np.isfinite(table))[0])
        raise InvalidInputError(f"means{list(entry)} must be a finite number, not {table[entry]}")

    return build(
        "table", combine=TABLE, noise=noise, sigma=sigma, table=table, params={"means": table}
    )
