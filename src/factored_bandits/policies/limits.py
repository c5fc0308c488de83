"""What the arrays of a state may hold: asked when a saved agent is loaded, which may be a forgery.

A `State` may have two methods. `limits(params)`, called on a new state, gives per array its least
and its largest value (`Within`). `contradiction(params, planned)` says, in words, where arrays do
not fit each other or the plays that were planned and are not learned; None if they do. Arrays
without limits must be finite where a new state is.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.limits import LARGEST_SUM, MOST_ROUNDS
from factored_bandits.errors import DumpError

LARGEST_INTEGER = 2**62
ROUNDING = 1e-6  # of probabilities that are updated again and again


class Within(NamedTuple):
    """The least and the largest value, as numbers or as arrays that broadcast.

    With a `step`, 0.5 or 1, every value is a multiple of it.
    """

    low: Any
    high: Any
    step: Any = 0.0


COUNT = Within(0, MOST_ROUNDS, 1.0)
# a tie counts one half
WINS = Within(0.0, MOST_ROUNDS, 0.5)
SUM = Within(-LARGEST_SUM, LARGEST_SUM)
NOT_NEGATIVE = Within(0.0, LARGEST_SUM)
# sums of squares, and of losses divided by small probabilities
HUGE_SUM = Within(-LARGEST_SUM * 1e100, LARGEST_SUM * 1e100)
SHARE = Within(-ROUNDING, 1.0 + ROUNDING)


def fixed(array: Any) -> Within:
    """What a new state has; numbers that were computed may differ in their last digits."""
    slack = 1e-9 * np.abs(array) if array.dtype.kind == "f" else 0
    return Within(array - slack, array + slack)


def index(size: Any, nobody: bool = False) -> Within:
    """An index of something of this size; with `nobody` also -1.

    >>> limits = index(4, nobody=True)
    >>> limits.low, int(limits.high)
    (-1, 3)
    """
    return Within(-1 if nobody else 0, np.asarray(size)[()] - 1)


def level_index(offsets: Ints) -> Within:
    """For an array over all levels: an index of a level of the same factor.

    >>> level_index(np.array([0, 2, 5])).high.tolist()
    [1, 1, 2, 2, 2]
    """
    sizes = np.diff(offsets)
    return index(np.repeat(sizes, sizes))


def slots(*limits: Within) -> Within:
    """For an array whose entries mean different things: the limits of each."""
    lows, highs, steps = zip(*limits, strict=True)
    return Within(*(np.array(ends, dtype=np.float64) for ends in (lows, highs, steps)))


def rows(*limits: Within) -> Within:
    """For a table with rows of different meaning, in its last but one axis: the limits of each."""
    return Within(*(ends[:, None] for ends in slots(*limits)))


@runtime_checkable
class Limited(Protocol):
    """A state that says what its arrays may hold."""

    def limits(self, params: Any) -> dict[str, Within]:
        """Per array its limits; called on a new state."""


@runtime_checkable
class Contradictable(Protocol):
    """A state whose arrays must fit each other."""

    def contradiction(self, params: Any, planned: Ints) -> str | None:
        """What does not fit, in words; `planned` holds the plays that are not learned."""


def check_state(params: Any, state: Any, fresh: Any, planned: Ints) -> None:
    """Raise a `DumpError` unless the state is one that the policy could have; `fresh` is new."""
    limits = fresh.limits(params) if isinstance(fresh, Limited) else {}

    for name, array in state._asdict().items():
        new = getattr(fresh, name)
        within = limits.get(name, _finite(new))
        if array.dtype.kind != "b":
            _check_array(name, array, within)

    if isinstance(state, Contradictable):
        found = state.contradiction(params, planned)
        if found:
            raise DumpError(f"the dump is damaged: {found}")


def _finite(new: Any) -> Within:
    """What is allowed without limits: infinite only what is so in a new state."""
    if new.dtype.kind != "f":
        return Within(-LARGEST_INTEGER, LARGEST_INTEGER)
    low = -np.inf if (new == -np.inf).any() else HUGE_SUM.low
    high = np.inf if (new == np.inf).any() else HUGE_SUM.high
    return Within(low, high)


def _check_array(name: str, array: Any, within: Within) -> None:
    """Every entry within the limits; nan is within none."""
    good = (array >= within.low) & (array <= within.high)
    with np.errstate(invalid="ignore"):  # inf has no remainder
        good &= (within.step == 0.0) | (array % np.maximum(within.step, 0.5) == 0.0)
    if good.all():
        return

    at = np.unravel_index(int(np.argmin(good)), array.shape)
    place = ", ".join(str(int(i)) for i in at)
    low, high, step = (np.broadcast_to(ends, array.shape)[at] for ends in within)
    wanted = f"{low:g}" if low == high else f"from {low:g} to {high:g}"
    whole = f", a multiple of {step:g}" if step else ""
    raise DumpError(
        f"the dump is damaged: {name}[{place}] is {array[at]:g} and must be {wanted}{whole}"
    )
