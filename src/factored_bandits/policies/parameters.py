"""Parameters of a policy and ranges of rewards, checked."""

from __future__ import annotations

import math
import types
import typing
from typing import Any, Literal

from factored_bandits.core.checks import finite, one_of, shown
from factored_bandits.core.limits import (
    LARGEST_PARAMETER,
    LARGEST_REWARD,
    NARROWEST,
    SMALLEST_PARAMETER,
)
from factored_bandits.errors import InvalidInputError, UnknownNameError

from .base import Range
from .files import name_of


def parameters(module: types.ModuleType, given: dict[str, Any]) -> Any:
    """`Params` of a policy module from keyword arguments, each checked against its annotation."""
    name = name_of(module)
    hints = typing.get_type_hints(module.Params)

    for key in given:
        if key not in hints:
            raise UnknownNameError.of(f"parameter of {name}", key, [*hints, "reward_range"])

    return module.Params(**{k: _checked(name, k, v, hints[k]) for k, v in given.items()})


def _checked(policy: str, name: str, value: Any, annotation: Any) -> Any:
    if typing.get_origin(annotation) is Literal:
        return one_of(f"{policy}: {name}", value, typing.get_args(annotation))

    if annotation is bool:
        if not isinstance(value, bool):
            raise InvalidInputError(f"{policy}: {name} must be True or False, not {shown(value)}")
        return value

    number = finite(f"{policy}: {name}", value)
    # larger or closer to 0, products and powers of it would overflow
    if number != 0.0 and not SMALLEST_PARAMETER <= abs(number) <= LARGEST_PARAMETER:
        raise InvalidInputError(
            f"{policy}: {name} must be 0 or from {SMALLEST_PARAMETER:g} to "
            f"{LARGEST_PARAMETER:g} in size, not {shown(value)}"
        )

    if annotation is int:
        if not number.is_integer():
            raise InvalidInputError(f"{policy}: {name} must be a whole number, not {shown(value)}")
        return int(value)

    return number


def checked_range(reward_range: Any) -> Range | None:
    """`(low, high)` as two floats, or None for unbounded rewards.

    >>> checked_range((0, 1))
    (0.0, 1.0)
    """
    if reward_range is None:
        return None

    try:
        low, high = (float(end) for end in reward_range)
    except (TypeError, ValueError, OverflowError):
        low = high = math.nan

    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InvalidInputError(
            "reward_range must be (low, high) with low < high, or None for unbounded rewards, not "
            f"{shown(reward_range)}"
        )

    largest = max(abs(low), abs(high))
    if largest > LARGEST_REWARD:
        raise InvalidInputError(
            f"reward_range must lie within -{LARGEST_REWARD:g} and {LARGEST_REWARD:g}, not "
            f"{reward_range!r}: sums of larger rewards overflow. Use a larger unit"
        )

    if high - low < max(NARROWEST * largest, 1.0 / LARGEST_REWARD):
        raise InvalidInputError(
            f"reward_range {reward_range!r} is too narrow: rewards could not be told apart. "
            "Subtract its low end from every reward and use a smaller unit"
        )

    return low, high


def scaling(reward_range: Range | None, scale: Range) -> tuple[float, float]:
    """Give `shift` and `slope` that map rewards of `reward_range` onto `scale`.

    Parameters
    ----------
    reward_range
        The declared range of the rewards; None for unbounded rewards, which are not mapped.
    scale
        The range that the policy expects, its `INFO.scale`.

    Returns
    -------
    tuple of float
        `shift` and `slope`: the policy sees `shift + slope * reward`.

    Examples
    --------
    >>> scaling((0.0, 1.0), (-1.0, 1.0))
    (-1.0, 2.0)
    """
    if reward_range is None:
        return 0.0, 1.0

    low, high = reward_range
    slope = (scale[1] - scale[0]) / (high - low)
    return scale[0] - slope * low, slope
