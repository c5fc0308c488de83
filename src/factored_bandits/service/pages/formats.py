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


def day(microseconds: int) -> str:
    """A time of the log in few characters.

    >>> day(1_700_000_000_000_000)
    'Nov 14, 22:13'
    """
    return datetime.fromtimestamp(microseconds / 1e6, UTC).strftime("%b %d, %H:%M")


def points(value: float | None) -> str:
    """A difference of rates, in percentage points.

    >>> points(0.031), points(-0.2), points(None)
    ('3.1 pp', '-20 pp', '-')
    """
    shown = share(value)
    return shown if shown == "-" else shown.replace("%", " pp")


def confidence(value: float) -> str:
    """How sure something is; never more than is known.

    >>> confidence(0.0), confidence(0.9512), confidence(0.99998), confidence(1.0)
    ('0%', '95.1%', '> 99.9%', '> 99.9%')
    """
    if value > 0.999:
        return "> 99.9%"
    return f"{100 * value:.1f}%" if value > 0.9 else f"{100 * value:.0f}%"


def p_value(value: float) -> str:
    """A p-value.

    >>> p_value(0.032), p_value(1e-7), p_value(1.0)
    ('0.032', '< 0.0001', '1')
    """
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"


def round3(value: float) -> str:
    """A count of which the first digits matter.

    >>> round3(12345.0), round3(37.2)
    ('12,300', '37')
    """
    if value < 1000:
        return f"{value:.0f}"
    step = 10 ** (len(f"{value:.0f}") - 3)
    return f"{round(value / step) * step:,.0f}"


FILTERS: dict[str, Callable[..., str]] = {
    "count": count,
    "compact": compact,
    "share": share,
    "number": number,
    "duration": duration,
    "moment": moment,
    "day": day,
    "points": points,
    "confidence": confidence,
    "p_value": p_value,
    "round3": round3,
}
