"""Checks of what a user gives; every complaint names the argument, what was expected, what came."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

from factored_bandits.errors import InvalidInputError, did_you_mean

LONGEST_SHOWN = 80  # characters of a value in a message


def shown(value: Any) -> str:
    """A value for a message: on one line, not too long, and a number of NumPy as a number.

    >>> shown(np.float64(2.5)), shown("two"), shown(np.zeros(3)), shown("x" * 1000)[70:]
    ('2.5', "'two'", 'array([0., 0., 0.])', "xxxxxx...'")
    """
    plain = value.item() if isinstance(value, np.generic) else value
    text = " ".join(repr(plain).split())
    if len(text) <= LONGEST_SHOWN:
        return text
    return f"{text[: LONGEST_SHOWN - 4]}...{text[-1]}"


def one_of(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """The value, if it is one of the choices.

    >>> one_of("link", "Linear", ("linear", "logistic"))
    Traceback (most recent call last):
    factored_bandits.errors.InvalidInputError: link must be 'linear' or 'logistic', not 'Linear'; \
did you mean 'linear'?
    """
    if isinstance(value, str) and value in choices:
        return value
    known = " or ".join(map(repr, choices))
    hint = did_you_mean(value, choices) if isinstance(value, str) else ""
    raise InvalidInputError(f"{name} must be {known}, not {shown(value)}{hint}")


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
        fits = number == value and not isinstance(value, bool | np.bool_) and low <= number
    except (TypeError, ValueError, OverflowError):
        fits = False

    if not fits or (high is not None and number > high):
        upto = "" if high is None else f" to {high:,}"
        raise InvalidInputError(
            f"{name} must be a whole number from {low}{upto}, not {shown(value)}"
        )

    return number


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
