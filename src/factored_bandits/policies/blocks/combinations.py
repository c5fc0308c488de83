"""A table of the combinations visited: nothing in it grows with the number of all combinations.

A combination is entered when it is first planned. An open-addressing hash table, at least twice as
large as the capacity, leads from the mixed-radix number of a combination (`core.select.ravel`) to
its row. The capacity is fixed in `init`: as many rows as there are combinations or rounds, but at
most 2^19, and 2^16 if the horizon is unknown (an agent). A policy must ask whether the table is
`full` before it enters a new combination, and say what it does then.

The kernels work on any State that has the fields of `Table`; statistics per row are the policy's
own arrays.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import ravel
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.limits import Within, fixed, index

MOST_ROWS = 2**19
MOST_ROWS_UNKNOWN_HORIZON = 2**16
MOST_COMBINATIONS = 2**62  # their numbers are 64-bit integers

# of the hash; products stay below 2^62
PRIME = 2**31 - 1
MULTIPLIER = 1_103_515_245


class Table(NamedTuple):
    """The combinations visited, by row."""

    sizes: Ints  # (L,) levels of each factor
    slots: NDArray[np.int32]  # (a power of two,) hash table: row + 1 of a combination, 0 where free
    keys: Ints  # (capacity,) the number of the combination in each row
    known: Ints  # (1,) rows entered


def check_combinations(name: str, sizes: Ints) -> None:
    """Refuse problems with more combinations than can be numbered.

    >>> check_combinations("osub", np.array([2**31, 2**31]))
    """
    combinations = math.prod(np.asarray(sizes).tolist())
    if combinations > MOST_COMBINATIONS:
        raise InvalidInputError(
            f"{name} numbers the combinations and takes at most 2^62 of them; here are "
            f"{combinations}"
        )


def capacity(sizes: Ints, horizon: int) -> int:
    """How many rows a table gets.

    >>> capacity(np.array([3, 4]), horizon=1000), capacity(np.array([1000, 1000]), horizon=0)
    (12, 65536)
    """
    combinations = math.prod(np.asarray(sizes).tolist())
    return min(combinations, horizon or MOST_ROWS_UNKNOWN_HORIZON, MOST_ROWS)


def slots_of(rows: int) -> int:
    """How long the hash table is: a power of two, at least twice the rows.

    >>> slots_of(12)
    32
    """
    return int(2 ** math.ceil(math.log2(2 * rows)))


def empty_table(sizes: Ints, horizon: int) -> Table:
    """Nothing visited.

    >>> [len(array) for array in empty_table(np.array([3, 4]), horizon=1000)]
    [2, 32, 12, 1]
    """
    rows = capacity(sizes, horizon)
    return Table(
        sizes=np.array(sizes, dtype=np.int64),
        slots=np.zeros(slots_of(rows), dtype=np.int32),
        keys=np.zeros(rows, dtype=np.int64),
        known=np.zeros(1, dtype=np.int64),
    )


@kernel
def find(state: Any, key: int) -> int:
    """The row of a combination, or -1."""
    slots = state.slots
    at = first_slot(key, len(slots))

    while slots[at] != 0:
        row = slots[at] - 1
        if state.keys[row] == key:
            return int(row)
        at = (at + 1) & (len(slots) - 1)

    return -1


@kernel
def first_slot(key: int, length: int) -> int:
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
    at = first_slot(key, len(slots))
    while slots[at] != 0:
        at = (at + 1) & (len(slots) - 1)

    new = state.known[0]
    state.known[0] += 1
    slots[at] = new + 1
    state.keys[new] = key
    return int(new)


@kernel
def full(state: Any) -> bool:
    """Whether no combination can be entered any more."""
    return bool(state.known[0] >= len(state.keys))


def table_limits(state: Any) -> dict[str, Within]:
    """What the arrays of a table may hold."""
    combinations = math.prod(state.sizes.tolist())
    return {
        "sizes": fixed(state.sizes),
        "slots": Within(0, len(state.keys)),
        "keys": index(combinations),
        "known": Within(0, len(state.keys)),
    }


def table_contradiction(state: Any, planned: Ints) -> str | None:
    """The slots lead to the keys, as if these had been entered one after the other.

    And every play that was planned was entered then.
    """
    keys = state.keys[: state.known[0]].tolist()
    again = empty_table(state.sizes, len(state.keys))
    for key in keys:
        if full(again):
            break
        enter(again, key)
    if not np.array_equal(again.slots, state.slots):
        return "slots do not lead to keys"

    entered = set(keys)
    if not all(ravel(state.sizes, action) in entered for action in planned):
        return "a play was planned that is not in keys"
    return None
