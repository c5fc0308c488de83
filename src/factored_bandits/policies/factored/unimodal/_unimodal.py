"""The leader among the combinations visited, and its neighbourhood: the ground of the unimodal
family.

Under uniform identifiability, changing one wrong level to the best one always improves the mean:
the problem is unimodal on the graph in which combinations are neighbours if they differ in one
factor. An algorithm for unimodal bandits then only looks at its leader (the best mean among
combinations played) and the leader's neighbours.

*Table.* Combinations live in the table of `_combinations`: 36 MB if all its 2^19 rows are used. If
it is ever full, the policies go on among the combinations they know; a neighbour that is not in the
table is not tried any more. *Leader.* A heap by (mean, tie-break): a play costs O(log visited), not
a scan. The tie-break of a combination is drawn anew at each of its plays, so ties are broken at
random. *Neighbourhood.* The rows of the leader's neighbours are kept until the leader changes: a
step does not hash. *Evidence.* plays * kl(mean, q) of a neighbour is convex in q, and q moves
little from step to step: the tangent where it was last computed is a lower bound that nearly always
tells that the neighbour is out of the question.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import kl
from factored_bandits.core.rng import randint
from factored_bandits.policies.blocks.combinations import (
    KEY,
    OWN,
    PLAYS,
    SIZE,
    START,
    STRIDE,
    enter,
    find,
    full,
    number,
    table,
    unravel,
)

LEADS, HEAP, PLACE = 2, 3, 4  # columns of State.book
TOTAL, TIE = 0, 1  # columns of State.sums
ROUNDING = 1e-9  # of evidence, relative; far more than there is
EVIDENCE, SLOPE, AT, COUNT = 0, 1, 2, 3  # columns of State.tangents
PLAYED, CENTRE, OWN_TALLY = (
    1,
    2,
    3,
)  # places in State.tally; from the last on they are the policy's own


class State(NamedTuple):
    """A row per combination entered; `around`, `tangents` and row OWN of `shape` belong to the row
    `tally[CENTRE]`.
    """

    # (4, L) size; weight in the number of a combination; first place in `around`; level of the
    # centre
    shape: Ints
    slots: NDArray[np.int32]  # (a power of two,) hash table: row + 1 of a combination, 0 where free
    # (capacity, 5) number; plays; times as leader; heap: row at this place; place of this row in
    # the heap
    book: Ints
    sums: Floats  # (capacity, 2) sum of rewards; tie-break
    around: Ints  # (levels,) row of the centre with one level changed, -1 if not entered
    # (levels, 4) evidence of the same, its slope and the mean where it was computed; the plays it
    # had
    tangents: Floats
    # (8,) rows entered; rows played; the centre, whose neighbours are in `around`; the policy's own
    tally: Ints
    luck: Floats  # (1,) the tie-break for the next play to be learned


def begin(sizes: Ints, horizon: int, name: str) -> State:
    """Nothing visited."""
    shape, slots, book = table(sizes, horizon, name, columns=5)
    return State(
        shape=shape,
        slots=slots,
        book=book,
        sums=np.zeros((len(book), 2)),
        around=np.zeros(int(np.sum(sizes)), dtype=np.int64),
        tangents=np.zeros((int(np.sum(sizes)), 4)),
        tally=np.array([0, 0, -1, 0, 0, 0, 0, 0]),
        luck=np.zeros(1),
    )


@kernel
def record(state: Any, action: Ints, reward: float) -> None:
    """Learn a play of a combination that was entered when it was planned; raw rewards are clipped
    onto [0, 1].
    """
    row = find(state, number(state, action))
    if state.book[row, PLAYS] == 0:
        last = state.tally[PLAYED]
        state.tally[PLAYED] += 1
        state.book[last, HEAP] = row
        state.book[row, PLACE] = last

    state.book[row, PLAYS] += 1
    state.sums[row, TOTAL] += min(max(reward, 0.0), 1.0)
    state.sums[row, TIE] = state.luck[0]
    settle(state, row)


@kernel
def mean(state: Any, row: int) -> float:
    """The mean reward of a row that has been played."""
    return float(state.sums[row, TOTAL] / state.book[row, PLAYS])


@kernel
def plays(state: Any, row: int) -> int:
    """How often a combination has been played; -1 stands for one that was never entered."""
    return 0 if row < 0 else int(state.book[row, PLAYS])


@kernel
def evidence_at_least(state: Any, place: int, q: float) -> float:
    """A lower bound of what `evidence` would return for this place of `around`; useless if it has
    been played since.
    """
    tangent = state.tangents[place]
    if tangent[COUNT] != plays(state, state.around[place]):
        return -math.inf
    bound = tangent[EVIDENCE] + tangent[SLOPE] * (q - tangent[AT])
    return float(bound - ROUNDING * (1.0 + abs(tangent[EVIDENCE])))


@kernel
def evidence(state: Any, place: int, q: float, more: float) -> float:
    """plays * kl(mean, q) + more of a neighbour that has been played; its tangent is noted."""
    row = state.around[place]
    tangent = state.tangents[place]
    n = plays(state, row)
    p = mean(state, row)
    value = n * kl(p, q) + more

    if 0.0 < q < 1.0:
        tangent[EVIDENCE], tangent[SLOPE] = value, n * (q - p) / (q * (1.0 - q))
        tangent[AT] = q
        tangent[COUNT] = n

    return value


@kernel
def leads(state: Any, one: int, other: int) -> bool:
    """Whether the first row has the better mean, or won the toss."""
    first = mean(state, one)
    second = mean(state, other)
    return bool(
        first > second or (first == second and state.sums[one, TIE] > state.sums[other, TIE])
    )


@kernel
def settle(state: Any, row: int) -> None:
    """Move a row up or down the heap to where it belongs."""
    book = state.book
    at = book[row, PLACE]

    while at > 0 and leads(state, row, book[(at - 1) // 2, HEAP]):
        book[at, HEAP] = book[(at - 1) // 2, HEAP]
        book[book[at, HEAP], PLACE] = at
        at = (at - 1) // 2

    while 2 * at + 1 < state.tally[PLAYED]:
        child = 2 * at + 1
        if child + 1 < state.tally[PLAYED] and leads(
            state, book[child + 1, HEAP], book[child, HEAP]
        ):
            child += 1
        if leads(state, row, book[child, HEAP]):
            break
        book[at, HEAP] = book[child, HEAP]
        book[book[at, HEAP], PLACE] = at
        at = child

    book[at, HEAP] = row
    book[row, PLACE] = at


@kernel
def lead(state: Any, rng: np.random.Generator) -> int:
    """The leader's row, its neighbours in `around`, its leadership counted; -1 if nothing has been
    played.
    """
    state.luck[0] = rng.random()
    if state.tally[PLAYED] == 0:
        return -1
    row = state.book[0, HEAP]
    if row != state.tally[CENTRE]:
        centre(state, row)
    state.book[row, LEADS] += 1
    return int(row)


@kernel
def centre(state: Any, row: int) -> None:
    """Look up the neighbours of a row."""
    shape = state.shape
    key = state.book[row, KEY]
    state.tally[CENTRE] = row

    for l in range(shape.shape[1]):
        own = key // shape[STRIDE, l] % shape[SIZE, l]
        shape[OWN, l] = own
        for i in range(shape[SIZE, l]):
            state.around[shape[START, l] + i] = find(state, key + (i - own) * shape[STRIDE, l])
            state.tangents[shape[START, l] + i, COUNT] = -1.0


@kernel
def anywhere(state: Any, rng: np.random.Generator, action: Ints) -> None:
    """Any combination, entered if there is room; for a start."""
    for l in range(len(action)):
        action[l] = randint(rng, state.shape[SIZE, l])
    if full(state):
        unravel(state, 0, action)
    else:
        enter(state, number(state, action))


@kernel
def step(state: Any, place: int, action: Ints) -> None:
    """The centre with the change at this place of `around`, entered if it is new; the centre itself
    for -1.
    """
    shape = state.shape
    for l in range(len(action)):
        action[l] = shape[OWN, l]
        if shape[START, l] <= place < shape[START, l] + shape[SIZE, l]:
            action[l] = place - shape[START, l]
    if place >= 0 and state.around[place] < 0:
        state.around[place] = enter(state, number(state, action))


@kernel
def recommend(params: Any, state: Any, action: Ints) -> None:
    """The leader; before the first play the first level of each factor."""
    for l in range(len(action)):
        action[l] = 0
    if state.tally[PLAYED] > 0:
        unravel(state, state.book[0, HEAP], action)


@kernel
def learn(params: Any, state: Any, t: int, actions: Ints, rewards: Floats) -> None:
    """Sum and count of the combination played."""
    record(state, actions[0], rewards[0])
