"""Times as people write them: "30m", "2h", "7d"."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError

UNITS = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
LONGEST = 10 * 366 * UNITS["d"]


def seconds(name: str, given: Any) -> float:
    """A duration in seconds, from text such as "30m" or a `timedelta`.

    >>> seconds("ttl", "1.5h"), seconds("ttl", timedelta(minutes=2))
    (5400.0, 120.0)
    >>> seconds("ttl", "soon")
    Traceback (most recent call last):
    factored_bandits.errors.InvalidInputError: ttl must be a duration such as "90s", "30m", "2h" or\
 "7d", or a datetime.timedelta, not 'soon'
    """
    found = None
    if isinstance(given, timedelta):
        found = given.total_seconds()
    elif isinstance(given, str) and (match := re.fullmatch(r"(\d+(?:\.\d+)?) ?([smhd])", given)):
        found = float(match[1]) * UNITS[match[2]]

    if found is None:
        raise InvalidInputError(
            f'{name} must be a duration such as "90s", "30m", "2h" or "7d", or a '
            f"datetime.timedelta, not {shown(given)}"
        )
    if not 0.0 < found <= LONGEST:
        raise InvalidInputError(f"{name} must be longer than no time at all and at most ten years")
    return found


def written(duration: float) -> str:
    """Seconds as people write them.

    >>> written(5400.0), written(7200.0), written(0.25)
    ('90m', '2h', '0.25s')
    """
    for unit in ("d", "h", "m"):
        count = duration / UNITS[unit]
        if count >= 1 and count == int(count):
            return f"{int(count)}{unit}"
    return f"{duration:g}s"
