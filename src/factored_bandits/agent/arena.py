"""Arrays side by side in one piece of memory, so that copying them all is copying one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
ALIGNMENT = 64  # bytes


def side_by_side(arrays: Sequence[Array]) -> tuple[Array, list[Array]] | None:
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
