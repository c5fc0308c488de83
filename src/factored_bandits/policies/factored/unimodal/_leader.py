"""What the unimodal family learns: the statistics of the combinations visited, and their leader.

Under uniform identifiability, changing one wrong level to the best one always improves the mean:
the problem is unimodal on the graph in which combinations are neighbours if they differ in one
factor. An algorithm for unimodal bandits only looks at its leader (the best mean among the
combinations played) and the leader's neighbours (`_neighbourhood`).

*Table.* One row per combination visited (`blocks.combinations`): 34 MB if all 2^19 rows are used.
If it is ever full, the policies go on among the combinations they know; a neighbour that is not in
the table is not tried any more.

*Leader.* A heap by (mean, tie-break): a play costs O(log visited), not a scan. The tie-break of a
combination is drawn anew at each of its plays, so ties are broken at random.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factored_bandits.core.arrays import Floats, Ints, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.core.limits import MOST_ROUNDS
from factored_bandits.core.rng import randint
from factored_bandits.core.select import ravel, unravel
from factored_bandits.policies.blocks.combinations import (
    empty_table,
    enter,
    find,
    full,
    table_contradiction,
    table_limits,
)
from factored_bandits.policies.limits import (
    COUNT,
    SHARE,
    SUM,
    Within,
    fixed,
    index,
    rows,
    slots,
)

# indices in State.counters
PLAYED = 0  # rows played
CENTRE = 1  # the row whose neighbours are kept, or NOBODY
OWN = 2  # from here on they are the policy's own
COUNTERS = 7

NOBODY = -1  # the neighbours must be looked up again
NOT_ENTERED = -1  # in State.neighbours: no row


class State(NamedTuple):
    """A row per combination visited, the heap of those played, and the leader's neighbours."""

    # the table, see `blocks.combinations.Table`
    sizes: Ints  # (L,) levels of each factor
    slots: NDArray[np.int32]  # (a power of two,) hash table
    keys: Ints  # (capacity,) the number of the combination in each row
    known: Ints  # (1,) rows entered

    # statistics of each row
    plays: Ints  # (capacity,)
    totals: Floats  # (capacity,) sum of rewards
    leads: Ints  # (capacity,) how often it was the leader
    tie_breaks: Floats  # (capacity,) drawn at its last play

    # the rows played, a heap with the leader on top
    heap: Ints  # (capacity,) the row at each index of the heap
    heap_index: Ints  # (capacity,) the index of each row in the heap
    next_tie_break: Floats  # (1,) of the next play to be learned

    # the centre, and the combinations that differ from it in one level, per level of all factors
    offsets: Ints  # (L + 1,) where each factor begins in the arrays over levels
    centre_levels: Ints  # (L,)
    neighbours: Ints  # (levels,) their rows, or NOT_ENTERED
    tangents: Floats  # (4, levels) of their evidence, see `_neighbourhood`

    counters: Ints  # (COUNTERS,) see above; one array, because each costs compile time

    def limits(self, params: Any) -> dict[str, Within]:
        """What the arrays may hold."""
        counters = [COUNT] * COUNTERS
        counters[CENTRE] = index(len(self.keys), nobody=True)
        return {
            **table_limits(self),
            "plays": COUNT,
            "totals": Within(0.0, MOST_ROUNDS),
            "leads": COUNT,
            "tie_breaks": SHARE,
            "heap": index(len(self.keys)),
            "heap_index": index(len(self.keys)),
            "next_tie_break": SHARE,
            "offsets": fixed(self.offsets),
            "centre_levels": index(self.sizes),
            "neighbours": index(len(self.keys), nobody=True),
            "tangents": rows(SUM, SUM, SHARE, Within(-1, MOST_ROUNDS)),
            "counters": slots(*counters),
        }

    def contradiction(self, params: Any, planned: Ints) -> str | None:
        """The heap holds the rows that were played, and the table leads to them."""
        found = table_contradiction(self, planned)
        if found:
            return found

        known = self.known[0]
        played = self.counters[PLAYED]
        if (self.totals > self.plays).any() or (self.neighbours >= known).any():
            return "totals do not fit plays"
        if played > known or not np.array_equal(
            np.sort(self.heap[:played]), np.flatnonzero(self.plays)
        ):
            return "heap does not hold the combinations that were played"
        if (self.heap_index[self.heap[:played]] != np.arange(played)).any():
            return "heap_index does not lead into heap"

        centre = self.counters[CENTRE]
        levels = np.zeros_like(self.centre_levels)
        unravel(self.sizes, self.keys[centre], levels)
        if centre != NOBODY and (centre >= known or (levels != self.centre_levels).any()):
            return "centre_levels are not those of the centre"
        return self.contradicting_order()

    def contradicting_order(self) -> str | None:
        """The order in which `ossb` goes through all combinations; the others keep none."""
        _, trips, swept, first, stride = self.counters[OWN:].tolist()
        total = math.prod(self.sizes.tolist())
        if max(swept, first) >= total or stride > total or (stride and math.gcd(stride, total) > 1):
            return "counters do not lead through all combinations"
        if trips > 0 and self.counters[PLAYED] == 0:
            return "counters tell of plays that were not learned"
        return None


def begin(sizes: Ints, horizon: int) -> State:
    """Nothing visited."""
    table = empty_table(sizes, horizon)
    rows = len(table.keys)
    offsets = offsets_of(sizes)
    levels = int(offsets[-1])
    counters = np.zeros(COUNTERS, dtype=np.int64)
    counters[CENTRE] = NOBODY

    return State(
        sizes=table.sizes,
        slots=table.slots,
        keys=table.keys,
        known=table.known,
        plays=np.zeros(rows, dtype=np.int64),
        totals=np.zeros(rows),
        leads=np.zeros(rows, dtype=np.int64),
        tie_breaks=np.zeros(rows),
        heap=np.zeros(rows, dtype=np.int64),
        heap_index=np.zeros(rows, dtype=np.int64),
        next_tie_break=np.zeros(1),
        offsets=offsets,
        centre_levels=np.zeros(len(sizes), dtype=np.int64),
        neighbours=np.full(levels, NOT_ENTERED, dtype=np.int64),
        tangents=np.zeros((4, levels)),
        counters=counters,
    )


@kernel
def learn(params: Any, state: Any, t: int, actions: Ints, rewards: Floats) -> None:
    """Sum and count of the combination played."""
    record(state, actions[0], rewards[0])


@kernel
def record(state: Any, action: Ints, reward: float) -> None:
    """Learn a play of a combination that was entered when it was planned.

    Unbounded rewards are clipped onto [0, 1].
    """
    row = find(state, ravel(state.sizes, action))
    if state.plays[row] == 0:
        last = state.counters[PLAYED]
        state.counters[PLAYED] += 1
        state.heap[last] = row
        state.heap_index[row] = last

    state.plays[row] += 1
    state.totals[row] += min(max(reward, 0.0), 1.0)
    state.tie_breaks[row] = state.next_tie_break[0]
    restore_heap(state, row)


@kernel
def mean(state: Any, row: int) -> float:
    """The mean reward of a row that has been played."""
    return float(state.totals[row] / state.plays[row])


@kernel
def plays_of(state: Any, row: int) -> int:
    """How often a combination has been played, which may be NOT_ENTERED."""
    return 0 if row < 0 else int(state.plays[row])


@kernel
def ahead(state: Any, one: int, other: int) -> bool:
    """Whether the first row has the better mean, or an equal mean and the larger tie-break."""
    first = mean(state, one)
    second = mean(state, other)
    if first == second:
        return bool(state.tie_breaks[one] > state.tie_breaks[other])
    return first > second


@kernel
def restore_heap(state: Any, row: int) -> None:
    """Move a row up or down the heap to where it belongs."""
    heap = state.heap
    heap_index = state.heap_index
    played = state.counters[PLAYED]
    at = heap_index[row]

    while at > 0 and ahead(state, row, heap[(at - 1) // 2]):
        parent = (at - 1) // 2
        heap[at] = heap[parent]
        heap_index[heap[at]] = at
        at = parent

    while 2 * at + 1 < played:
        child = 2 * at + 1
        if child + 1 < played and ahead(state, heap[child + 1], heap[child]):
            child += 1
        if ahead(state, row, heap[child]):
            break
        heap[at] = heap[child]
        heap_index[heap[at]] = at
        at = child

    heap[at] = row
    heap_index[row] = at


@kernel
def random_combination(state: Any, rng: np.random.Generator, action: Ints) -> None:
    """The first play: any combination, entered if there is room."""
    for l in range(len(action)):
        action[l] = randint(rng, state.sizes[l])
    if full(state):
        unravel(state.sizes, state.keys[0], action)
    else:
        enter(state, ravel(state.sizes, action))


@kernel
def recommend(params: Any, state: Any, action: Ints) -> None:
    """The leader; before the first play the first level of each factor."""
    for l in range(len(action)):
        action[l] = 0
    if state.counters[PLAYED] > 0:
        unravel(state.sizes, state.keys[state.heap[0]], action)
