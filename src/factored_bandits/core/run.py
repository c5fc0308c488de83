"""One repetition while it is played: its arrays, and how the loop reads and notes in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .arrays import Bools, Floats, Ints
from .kernel import kernel

# Indices of Run.clock.
ROUND = 0  # the next round
CHECKPOINT = 1  # the next checkpoint
EVENTS = 2  # events noted in this slice
VERSION = 3  # of the active sets, as last noted
FAULT = 4  # the round in which something was wrong; 0: none
CAUSE = 5  # what was wrong, see REWARD and the others
COLUMN = 6  # the column of a level that does not exist
VALUE = 7  # that level, or the length of a block that cannot be

# Values of Run.clock[CAUSE].
REWARD = 0  # a reward outside the limits, or not a number
LENGTH = 1  # a block that is empty, or longer than Run.actions
PLANNED = 2  # `plan` chose a level that does not exist
RECOMMENDED = 3  # `recommend` did

# Indices of Run.limits.
LOW = 0  # the lowest allowed reward
HIGH = 1  # the highest allowed reward
SHIFT = 2  # shift + slope * reward lies on the policy's scale
SLOPE = 3


class Run(NamedTuple):
    """One repetition: what is fixed, what is counted, and scratch."""

    # Fixed.
    permutation: Ints  # (levels,) the environment's level behind each level of the policy
    offsets: Ints  # (columns + 1,) where each column of an action begins in arrays over levels
    checkpoints: Ints  # (C,) rounds after which the regret is noted; the last is the horizon
    limits: Floats  # (4,) see LOW, HIGH, SHIFT, SLOPE

    # Counted, by the environment's numbering.
    clock: Ints  # (8,) see ROUND to VALUE
    regret: Floats  # (C + 1,) cumulative regret at each checkpoint; last: so far
    shortfall: Floats  # (C,) what a round with the recommendation at the checkpoint would lose
    plays: Ints  # (levels,)
    shown: Bools  # (levels with a flag,) the active sets as last noted, by the policy's numbering
    events: Ints  # (capacity, 3) round, level among all levels, 1 re-entered or 0 eliminated

    # Scratch.
    actions: Ints  # (longest block, columns)
    rewards: Floats  # (longest block,) after a fault, the reward in question comes first
    action: Ints  # (columns,)
    outcomes: Floats  # (longest block, columns) one outcome per factor: semi-bandit feedback


def new_clock() -> Ints:
    """The clock before the first round.

    >>> new_clock().tolist()
    [1, 0, 0, 0, 0, 0, 0, 0]
    """
    clock = np.zeros(VALUE + 1, dtype=np.int64)
    clock[ROUND] = 1
    return clock


@kernel
def note_active_sets(run: Run, t: int, flags: Bools) -> None:
    """Make an event of every level that was eliminated or re-entered at round t."""
    for level in range(len(flags)):
        if flags[level] != run.shown[level]:
            run.shown[level] = flags[level]

            column = 0
            while level >= run.offsets[column + 1]:
                column += 1

            row = run.clock[EVENTS]
            run.events[row, 0] = t
            run.events[row, 1] = run.offsets[column] + run.permutation[level]
            run.events[row, 2] = 1 if flags[level] else 0
            run.clock[EVENTS] += 1


@kernel
def is_length(length: int, longest: int) -> bool:
    """Whether a block can have this length."""
    return 1 <= length <= longest


@kernel
def inside(level: int, size: int) -> int:
    """Negative if a factor of this size has this level.

    >>> [inside(level, 3) < 0 for level in (-1, 0, 2, 3)]
    [False, True, True, False]
    """
    return (level - size) & ~level


@kernel
def renumber(permutation: Ints, offsets: Ints, row: Ints, action: Ints) -> int:
    """The environment's numbering of a policy's action, into `action`.

    The answer is the first column whose level does not exist; -1 if there is none.
    """
    for l in range(len(row)):
        if inside(row[l], offsets[l + 1] - offsets[l]) >= 0:
            return l
        action[l] = permutation[offsets[l] + row[l]]
    return -1


@kernel
def note_fault(clock: Ints, t: int, cause: int, column: int, value: int) -> None:
    """End the run: something was wrong in round t."""
    clock[FAULT] = t
    clock[CAUSE] = cause
    clock[COLUMN] = column
    clock[VALUE] = value
