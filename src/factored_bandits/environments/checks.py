"""Checks that the reward models share; every complaint names the argument."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.errors import InvalidInputError

TOLERANCE = 1e-9  # what sums and differences of given numbers may miss by rounding
LARGEST_LOG_ODDS = 700.0  # beyond it exp() overflows


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

    >>> level_values("factors", [[1, 0], [0.5]])
    [array([1., 0.]), array([0.5])]
    """
    listed = isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, (str, bytes))
    if not listed or len(given) == 0:
        raise InvalidInputError(
            f"{name} must be a list with one list of numbers per factor, not {given!r}"
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
