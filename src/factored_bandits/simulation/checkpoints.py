"""The rounds at which regret is noted."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.checks import integer, shown
from factored_bandits.errors import InvalidInputError

LONGEST = 10**15  # rounds
DEFAULT = 100


def horizon_of(given: float) -> int:
    """The number of rounds, checked.

    >>> horizon_of(1e6)
    1000000
    """
    return integer("horizon", given, 1, LONGEST)


def checkpoints_of(given: Sequence[int] | int | None, horizon: int) -> Ints:
    """The checkpoints: those given, or so many, log-spaced; the horizon is the last.

    >>> checkpoints_of(5, 10_000).tolist()
    [1, 10, 100, 1000, 10000]
    """
    if given is None or isinstance(given, Real):
        count = integer("checkpoints", DEFAULT if given is None else given, 1, 10**6)
        return _log_spaced(min(count, horizon), horizon)

    try:
        listed = [] if isinstance(given, str | bytes) else list(given)  # type: ignore[arg-type]
    except TypeError:
        listed = []

    points = [integer("a checkpoint", point, 1, horizon) for point in listed]
    if not points or points != sorted(set(points)):
        raise InvalidInputError(
            "checkpoints must be a number of rounds, or distinct rounds in ascending order, not "
            f"{shown(given)}"
        )

    if points[-1] != horizon:
        points.append(horizon)
    return np.array(points, dtype=np.int64)


def _log_spaced(count: int, horizon: int) -> Ints:
    spaced = np.unique(np.geomspace(1, horizon, count).round().astype(np.int64))

    if len(spaced) < count:
        # The first points round to the same small numbers: fill up from below, then thin out.
        spaced = np.unique(np.concatenate([spaced, np.arange(1, count + 1)]))
        kept = np.linspace(0, len(spaced) - 1, count).round().astype(int)
        spaced = spaced[np.unique(kept)]

    spaced[-1] = horizon
    return spaced
