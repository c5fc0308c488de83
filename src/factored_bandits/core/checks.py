"""Checks of what a user gives; every complaint names the argument, what was expected, what came."""

from __future__ import annotations

import contextlib
import math
import operator
from decimal import Decimal
from numbers import Real
from typing import Any, Literal

import numpy as np

from factored_bandits.errors import InvalidInputError, did_you_mean, shown

__all__ = ["Form", "finite", "flag", "form", "integer", "one_of", "probability", "shown"]

Form = bool | Literal["auto"]  # of code: compiled, plain Python, or as it pays


def one_of(name: str, value: Any, choices: tuple[Any, ...]) -> Any:
    """The value, if it is one of the choices.

    >>> one_of("link", "Linear", ("linear", "logistic"))
    Traceback (most recent call last):
    factored_bandits.errors.InvalidInputError: link must be 'linear' or 'logistic', not 'Linear'; \
did you mean 'linear'?
    """
    # An array is not compared with a word, and True is not 1.
    if any(type(value) is type(choice) and value == choice for choice in choices):
        return value

    known = " or ".join(map(repr, choices))
    hint = did_you_mean(value, map(str, choices)) if isinstance(value, str) else ""
    raise InvalidInputError(f"{name} must be {known}, not {shown(value)}{hint}")


def integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """The value as an integer, if it is one and lies from `low` to `high`.

    >>> integer("horizon", 1e6, low=1)
    1000000
    >>> integer("levels", 2.5, low=1, high=9)
    Traceback (most recent call last):
    factored_bandits.errors.InvalidInputError: levels must be a whole number from 1 to 9, not 2.5
    """
    number = _whole(value)
    if number is None or number < low or (high is not None and number > high):
        upto = "" if high is None else f" to {high:,}"
        raise InvalidInputError(
            f"{name} must be a whole number from {low}{upto}, not {shown(value)}"
        )

    return number


def _whole(value: Any) -> int | None:
    """The integer that a value is, of any type of numbers; None if it is none."""
    if isinstance(value, bool | np.bool_):
        return None

    with contextlib.suppress(TypeError):
        return operator.index(value)

    if not isinstance(value, Real | Decimal):
        return None
    try:
        number = operator.index(math.trunc(value))
    except (ValueError, OverflowError):  # nan, infinite
        return None
    return number if number == value else None


def flag(name: str, value: Any) -> bool:
    """True or False, also written 1 or 0.

    >>> flag("progress", 0)
    False
    """
    if isinstance(value, bool | np.bool_ | int) and value in (0, 1):
        return bool(value)
    raise InvalidInputError(f"{name} must be True or False, not {shown(value)}")


def form(name: str, value: Any) -> Form:
    """Whether compiled code is wanted: always, never, or as it pays.

    >>> form("compiled", 1), form("compiled", "auto")
    (True, 'auto')
    """
    if isinstance(value, str) and value == "auto":
        return "auto"
    if isinstance(value, bool | np.bool_ | int) and value in (0, 1):
        return bool(value)
    raise InvalidInputError(f"{name} must be 'auto', True or False, not {shown(value)}")


def finite(name: str, value: Any) -> float:
    """A finite number of any real type.

    >>> finite("base", 1)
    1.0
    """
    try:
        no_number = isinstance(value, bool) or not isinstance(value, Real)
        number = math.nan if no_number else float(value)
    except OverflowError:
        number = math.nan

    if not math.isfinite(number):
        raise InvalidInputError(f"{name} must be a finite number, not {shown(value)}")
    return number


def probability(name: str, value: Any) -> float:
    """A number strictly between 0 and 1, such as a level of error.

    >>> probability("alpha", 0.05)
    0.05
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 < float(value) < 1.0:
        raise InvalidInputError(f"{name} must lie between 0 and 1, not {shown(value)}")
    return float(value)
