"""Checks of what a user gives; every complaint names the argument, what was expected, what came."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from factored_bandits.errors import InvalidInputError


def integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """The value as an integer, if it is one and lies from `low` to `high`.

    >>> integer("horizon", 1e6, low=1)
    1000000
    >>> integer("levels", 2.5, low=1, high=9)
    Traceback (most recent call last):
    factored_bandits.errors.InvalidInputError: levels must be a whole number from 1 to 9, not 2.5
    """
    try:
        number = int(value)
        fits = number == value and not isinstance(value, bool) and low <= number
    except (TypeError, ValueError, OverflowError):
        fits = False

    if not fits or (high is not None and number > high):
        upto = "" if high is None else f" to {high:,}"
        raise InvalidInputError(f"{name} must be a whole number from {low}{upto}, not {value!r}")

    return number


def finite(name: str, value: Any) -> float:
    """A finite number of any real type.

    >>> finite("base", 1)
    1.0
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise InvalidInputError(f"{name} must be a finite number, not {value!r}")
    return float(value)


def probability(name: str, value: Any) -> float:
    """A number strictly between 0 and 1, such as a level of error.

    >>> probability("alpha", 0.05)
    0.05
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 < float(value) < 1.0:
        raise InvalidInputError(f"{name} must lie between 0 and 1, not {value!r}")
    return float(value)
