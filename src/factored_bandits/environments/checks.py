"""Checks that the reward models share; every complaint names the argument."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.errors import InvalidInputError

TOLERANCE = 1e-9  # what sums and differences of given numbers may miss by rounding
LARGEST_LOG_ODDS = 700.0  # beyond it exp() overflows


def integer(name: str, value: Any, least: int) -> int:
    """A whole number of any integer type.

    >>> integer("levels", np.int64(3), least=1)
    3
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool):
        raise InvalidInputError(f"{name} must be a whole number from {least}, not {value!r}")
    return number


def finite(name: str, value: Any) -> float:
    """A finite number of any real type.

    >>> finite("base", np.float32(0.5))
    0.5
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise InvalidInputError(f"{name} must be a finite number, not {value!r}")
    return float(value)


def numbers(name: str, given: Any) -> Floats:
    """A copy of at least one finite number.

    >>> numbers("utilities", (0, 1))
    array([0., 1.])
    """
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name} must be a list of numbers, not {given!r}") from None

    if array.ndim != 1 or array.size == 0:
        raise InvalidInputError(f"{name} must be a list of at least one number, not {given!r}")
    for i, value in enumerate(array):
        if not math.isfinite(value):
            raise InvalidInputError(f"{name}[{i}] must be a finite number, not {value}")

    return array


def level_values(name: str, given: Any) -> list[Floats]:
    """The numbers of each factor: at least one factor, at least one level each.

    >>> effects("factors", [[1, 0], [0.5]])
    [array([1., 0.]), array([0.5])]
    """
    if (
        isinstance(given, (str, bytes))
        or not isinstance(given, (Sequence, np.ndarray))
        or len(given) == 0
    ):
        raise InvalidInputError(
            f"{name} must be a list with one list of numbers per factor, not {given!r}"
        )

    return [numbers(f"{name}[{l}]", values) for l, values in enumerate(given)]


def log_odds(low: float, high: float) -> None:
    """Refuse log-odds so far from zero that the logistic function cannot be computed."""
    for value in (low, high):
        if abs(value) > LARGEST_LOG_ODDS:
            raise InvalidInputError(
                f"log-odds reach {value:g}; beyond {LARGEST_LOG_ODDS:g} either way a chance is 0 "
                "or 1 to the last bit"
            )
