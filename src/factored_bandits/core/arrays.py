"""The kinds of array in the library, and arrays over the levels of all factors.

In an array over levels, factor l occupies `offsets[l]` to `offsets[l + 1]`; `offsets[-1]` is how
many levels there are.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Sizes: TypeAlias = "Ints | Sequence[int]"


def offsets_of(sizes: Sizes) -> Ints:
    """Where each factor begins in an array over levels, and where the last one ends.

    >>> offsets_of([2, 3]).tolist()
    [0, 2, 5]
    """
    return np.concatenate([[0], np.cumsum(np.asarray(sizes))]).astype(np.int64)


def uniform_probabilities(sizes: Sizes) -> Floats:
    """Every level of a factor equally likely.

    >>> uniform_probabilities([1, 2]).tolist()
    [1.0, 0.5, 0.5]
    """
    return np.repeat(1.0 / np.asarray(sizes), sizes)


def split(values: Floats, offsets: Ints) -> list[Floats]:
    """One array per factor.

    >>> [part.tolist() for part in split(np.arange(3.0), np.array([0, 2, 3]))]
    [[0.0, 1.0], [2.0]]
    """
    return [values[a:b].copy() for a, b in itertools.pairwise(offsets)]
