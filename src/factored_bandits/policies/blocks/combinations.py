"""A table of the combinations visited: nothing in it grows with the number of all combinations.

Combinations are entered when they are first planned. An open-addressing hash table, at least twice
as large as its capacity, leads from the mixed-radix number of a combination to its row. The
capacity is fixed in `init`: as many rows as there are combinations or rounds, but at most 2^19, and
2^16 if the horizon is unknown (an agent). A policy must look whether the table is `full` before it
enters a new combination, and say what it does then.

The kernels work on any State with the fields `shape`, `slots`, `book` and `tally` that `table`
makes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.errors import InvalidInputError

MOST_ROWS = 2**19
MOST_ROWS_UNKNOWN_HORIZON = 2**16
SIZE, STRIDE, START, OWN = 0, 1, 2, 3  # rows of State.shape; OWN is free for the policy
KEY, PLAYS = 0, 1  # columns of State.book; more are the policy's own
KNOWN = 0  # place in State.tally
PRIME, MULTIPLIER = 2**31 - 1, 1_103_515_245  # of the hash; products stay below 2^62


def table(
    sizes: Ints, horizon: int, name: str, columns: int
) -> tuple[Ints, NDArray[np.int32], Ints]:
    """`shape` (4, L), `slots` (a power of two,) and `book` (capacity, columns) of a policy that has
    visited nothing.
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    combinations = math.prod(sizes.tolist())

    if combinations > 2**62:
        raise InvalidInputError(
            f"{name} numbers the combinations and takes at most 2^62 of them; here are "
            f"{combinations}"
        )

    rows = min(combinations, horizon or MOST_ROWS_UNKNOWN_HORIZON, MOST_ROWS)
    strides = np.concatenate([np.cumprod(sizes[:0:-1])[::-1], [1]])
    shape = np.stack([sizes, strides, np.cumsum(sizes) - sizes, np.zeros_like(sizes)]).astype(
        np.int64
    )
    slots = np.zeros(2 ** math.ceil(math.log2(2 * rows)), dtype=np.int32)
    return shape, slots, np.zeros((rows, columns), dtype=np.int64)


@kernel
def find(state: Any, key: int) -> int:
    """The row of a combination, or -1."""
    slots = state.slots
    book = state.book
    at = slot(key, len(slots))

    while slots[at] != 0:
        row = slots[at] - 1
        if book[row, KEY] == key:
            return int(row)
        at = (at + 1) & (len(slots) - 1)

    return -1


@kernel
def slot(key: int, length: int) -> int:
    """Where the search for a combination begins."""
    mixed = (key % PRIME) * MULTIPLIER
    return (mixed ^ (mixed >> 29)) & (length - 1)


@kernel
def enter(state: Any, key: int) -> int:
    """The row of a combination, new if need be; only with room left."""
    row = find(state, key)
    if row >= 0:
        return row
    slots = state.slots
    at = slot(key, len(slots))
    while slots[at] != 0:
        at = (at + 1) & (len(slots) - 1)
    new = state.tally[KNOWN]
    state.tally[KNOWN] += 1
    slots[at] = new + 1
    state.book[new, KEY] = key
    return int(new)


@kernel
def full(state: Any) -> bool:
    """Whether no combination can be entered any more."""
    return bool(state.tally[KNOWN] >= len(state.book))


@kernel
def number(state: Any, action: Ints) -> int:
    """The mixed-radix number of a combination."""
    key = action[0] * state.shape[STRIDE, 0]
    for l in range(1, len(action)):
        key += action[l] * state.shape[STRIDE, l]
    return int(key)


@kernel
def unravel(state: Any, row: int, action: Ints) -> None:
    """The levels of a row."""
    for l in range(len(action)):
        action[l] = state.book[row, KEY] // state.shape[STRIDE, l] % state.shape[SIZE, l]
