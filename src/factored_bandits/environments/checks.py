"""Checks that the reward models share; every complaint names the argument."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from factored_bandits.core import memory
from factored_bandits.core.arrays import Floats
from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError

MOST_LEVELS = 10**7  # in all factors: made in a second; nobody tries each of them once

# Bytes per level or entry while a problem is made: the numbers, copies of them and comparisons.
BYTES_PER_LEVEL = 64
BYTES_PER_ENTRY = 40

TOLERANCE = 1e-9  # what sums and differences of given numbers may miss by rounding
LARGEST_LOG_ODDS = 700.0  # beyond it exp() overflows


def numbers(name: str, given: Any) -> Floats:
    """A copy of at least one finite number.

    >>> numbers("utilities", (0, 1))
    array([0., 1.])
    """
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(f"{name} must be a list of numbers, not {shown(given)}") from None

    if array.ndim != 1 or array.size == 0:
        raise InvalidInputError(f"{name} must be a list of at least one number, not {shown(given)}")
    finite = np.isfinite(array)
    if not finite.all():
        i = int(finite.argmin())
        raise InvalidInputError(f"{name}[{i}] must be a finite number, not {array[i]}")

    return array


def _many(number: int) -> str:
    """A number with separators, unless it has hundreds of digits."""
    return f"{number:,}" if number < 10**18 else "more than 10^18"


def room_for_levels(levels: int, factors: int = 1, what: str = "levels") -> None:
    """Refuse a problem with more levels, or arms, than fit into memory."""
    many = f"{_many(levels)} {what}"
    if factors > 1:
        many = f"{_many(factors)} factors of {many}"
    needed = BYTES_PER_LEVEL * levels * factors
    memory.check(
        f"a problem with {many}",
        needed,
        fits=lambda free: f"{min(MOST_LEVELS, free // BYTES_PER_LEVEL):,} in all would fit",
    )
    if levels * factors > MOST_LEVELS:
        raise InvalidInputError(
            f"a problem with {many} takes {memory.amount(needed)} and long to make; at most "
            f"{MOST_LEVELS:,} {what} in all are allowed"
        )


def room_for_matrix(arms: int) -> None:
    """Refuse a preference matrix that does not fit into memory."""
    memory.check(
        f"a preference matrix of {_many(arms)} arms",
        BYTES_PER_ENTRY * arms * arms,
        fits=lambda free: f"{math.isqrt(free // BYTES_PER_ENTRY):,} arms would fit",
    )


def level_values(name: str, given: Any) -> list[Floats]:
    """The numbers of each factor: at least one factor, at least one level each.

    >>> level_values("factors", [[1, 0], [0.5]])
    [array([1., 0.]), array([0.5])]
    """
    listed = isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, (str, bytes))
    listed = listed and getattr(given, "shape", None) != ()
    if not listed or len(given) == 0:
        raise InvalidInputError(
            f"{name} must be a list with one list of numbers per factor, not {shown(given)}"
        )

    return [numbers(f"{name}[{l}]", values) for l, values in enumerate(given)]


def log_odds(low: float, high: float) -> None:
    """Refuse log-odds so far from zero that the logistic function cannot be computed."""
    for value in (low, high):
        if abs(value) > LARGEST_LOG_ODDS:
            raise InvalidInputError(
                f"log-odds reach {value:g}; beyond {LARGEST_LOG_ODDS:g} either way a probability "
                "is 0 or 1 to the last bit"
            )
