"""The kinds of array in the library, arrays over the levels of all factors, arrays side by side.

In an array over levels, factor l occupies `offsets[l]` to `offsets[l + 1]`; `offsets[-1]` is how
many levels there are.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Sizes: TypeAlias = "Ints | Sequence[int]"
ALIGNMENT = 64  # bytes; of arrays that share memory, and a line of the processor's cache
Moved = tuple[np.ndarray[Any, Any], list[np.ndarray[Any, Any]]]


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


def aligned_zeros(*shape: int) -> Ints:
    """Zeros that begin at a line of the processor's cache; a copy of them may not.

    Loops over long arrays, eight words at a time, would otherwise touch two lines each time.

    >>> array = aligned_zeros(3, 8)
    >>> array.shape, array.ctypes.data % ALIGNMENT
    ((3, 8), 0)
    """
    number = math.prod(shape)
    memory = np.zeros(number + ALIGNMENT // 8, dtype=np.int64)
    first = -memory.ctypes.data % ALIGNMENT // 8
    return memory[first : first + number].reshape(shape)


def side_by_side(arrays: Sequence[np.ndarray[Any, Any]]) -> Moved | None:
    """One array of bytes, and views of it that hold what `arrays` hold; None where that cannot be.

    >>> memory, (a, b) = side_by_side([np.arange(3), np.ones((2, 2))])
    >>> b
    array([[1., 1.],
           [1., 1.]])
    >>> len(memory), np.shares_memory(a, memory)
    (128, True)
    """
    plain = all(array.flags.c_contiguous and not array.dtype.hasobject for array in arrays)
    pairs = itertools.combinations(arrays, 2)
    if not plain or any(np.may_share_memory(one, other) for one, other in pairs):
        return None

    lengths = [-(-array.nbytes // ALIGNMENT) * ALIGNMENT for array in arrays]
    memory = np.zeros(sum(lengths), dtype=np.uint8)
    views = []
    first = 0
    for array, length in zip(arrays, lengths, strict=True):
        view = memory[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
        view[...] = array
        views.append(view)
        first += length
    return memory, views
