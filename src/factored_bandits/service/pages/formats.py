"""Numbers and times as pages show them."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime

MINUTE = 60.0
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def count(value: float) -> str:
    """A whole number with commas.

    >>> count(1234567)
    '1,234,567'
    """
    return f"{value:,.0f}"


def compact(value: float) -> str:
    """A count in few characters.

    >>> compact(950), compact(12_345), compact(4_200_000)
    ('950', '12.3 k', '4.2 M')
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e3 if letter == 'k' else size):.1f} {letter}"
    return f"{value:,.0f}"


def share(value: float | None) -> str:
    """A share as a percentage, with as many digits as say something.

    >>> share(0.25), share(0.0312), share(0.0004), share(1.0), share(None)
    ('25%', '3.1%', '0.04%', '100%', '-')
    """
    if value is None or math.isnan(value):
        return "-"
    percent = 100 * value
    if percent == 0 or abs(percent) >= 9.95:
        return f"{percent:.0f}%"
    return f"{percent:.1f}%" if abs(percent) >= 0.1 else f"{percent:.2g}%"


def number(value: float | None) -> str:
    """A measured number, three digits that count.

    >>> number(0.12345), number(1234.5), number(None)
    ('0.123', '1,234', '-')
    """
    if value is None or math.isnan(value):
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def duration(seconds: float | None) -> str:
    """A length of time in its largest unit.

    >>> [duration(x) for x in (0.4, 42, 3 * HOUR, 9 * DAY, 800 * DAY, None)]
    ['less than a second', '42 seconds', '3 hours', '9 days', '2.2 years', 'no limit']
    """
    if seconds is None:
        return "no limit"
    if seconds < 1:
        return "less than a second"
    for length, name in ((365 * DAY, "year"), (DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        amount = seconds / length
        if amount >= (1.5 if name == "year" else 0.995):
            return _several(amount, name)
    return _several(seconds, "second")


def _several(amount: float, name: str) -> str:
    shown = f"{amount:.1f}".removesuffix(".0") if amount < 10 else f"{amount:,.0f}"
    return f"{shown} {name}" if shown == "1" else f"{shown} {name}s"


def moment(microseconds: int | None) -> str:
    """A time of the log, to the minute.

    >>> moment(1_700_000_000_000_000)
    '2023-11-14 22:13 UTC'
    """
    if not microseconds:
        return "-"
    return datetime.fromtimestamp(microseconds / 1e6, UTC).strftime("%Y-%m-%d %H:%M UTC")


FILTERS: dict[str, Callable[..., str]] = {
    "count": count,
    "compact": compact,
    "share": share,
    "number": number,
    "duration": duration,
    "moment": moment,
}
