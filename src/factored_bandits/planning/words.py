"""Rounds, times, rates and shares as people read them, in three digits: nobody knows more."""

from __future__ import annotations

import math
from typing import NamedTuple

YEAR = 365.0  # days
MANY_YEARS = 10  # after which days do not matter


def rounded(value: float) -> str:
    """Three significant digits, thousands separated.

    >>> rounded(4931341.0), rounded(12.34), rounded(5.0), rounded(0.01234)
    ('4,930,000', '12.3', '5', '0.0123')
    """
    if value == 0.0:
        return "0"
    digits = 2 - math.floor(math.log10(abs(value)))
    value = round(value, digits)
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{value:,.{0 if value == round(value) else max(0, digits)}f}"


def percent(value: float) -> str:
    """A rate or a lift.

    >>> percent(0.05), percent(0.0864), percent(1.5), percent(0.0005)
    ('5 %', '8.64 %', '150 %', '0.05 %')
    """
    return f"{100.0 * value:.3g} %" if value < 1.0 else f"{rounded(100.0 * value)} %"


def share(value: float) -> str:
    """A share of repetitions, which are too few for more than whole percents.

    >>> share(0.417)
    '42 %'
    """
    return f"{100.0 * value:.0f} %"


def duration(days: float) -> str:
    """Days; minutes and hours where there are few, years and days where there are many.

    Days up to a year, not weeks or months: what stands in one column is to be compared.

    >>> duration(0.01), duration(0.2), duration(7.52), duration(38.2)
    ('14 minutes', '5 hours', '7.5 days', '38 days')
    >>> duration(503.3), duration(2465.7), duration(4015.0), duration(1e6)
    ('1 year and 138 days', '6 years and 280 days', '11 years', '2,740 years')
    """
    if days < 1.0 / 24.0:
        return _counted(max(1, round(days * 24 * 60)), "minute")
    if days < 1.0:
        return _counted(round(days * 24), "hour")
    if days < 10.0:
        return f"{days:.1f} days"
    if days < YEAR:
        return f"{days:.0f} days"
    if days >= MANY_YEARS * YEAR:
        return f"{rounded(round(days / YEAR))} years"

    # three digits of the days, as everywhere
    years, rest = divmod(round(days, 2 - math.floor(math.log10(days))), YEAR)
    whole = _counted(round(years), "year")
    return f"{whole} and {_counted(round(rest), 'day')}" if rest else whole


def _counted(number: int, unit: str) -> str:
    """The number and its unit.

    >>> _counted(1, "hour"), _counted(2, "hour")
    ('1 hour', '2 hours')
    """
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


class Clock(NamedTuple):
    """Writes numbers of rounds, with days if the traffic is known."""

    traffic: float | None  # rounds per day

    def show(self, rounds: float, horizon: float = math.inf, unit: str = "") -> str:
        """The number; "more than" the horizon where it is infinite.

        >>> Clock(None).show(12345.0), Clock(2000.0).show(math.inf, 730_000, " rounds")
        ('12,300', 'more than 730,000 rounds (1 year)')
        """
        if math.isinf(rounds) and math.isinf(horizon):
            return "never"
        shown = min(rounds, horizon)
        more = "more than " if rounds > horizon else ""
        days = f" ({duration(shown / self.traffic)})" if self.traffic else ""
        return f"{more}{rounded(shown)}{unit}{days}"
