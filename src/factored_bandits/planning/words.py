"""Rounds, days and shares as people read them: three digits, since a simulation knows no more."""

from __future__ import annotations

import math
from typing import NamedTuple

YEAR = 365.0  # days


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


def duration(days: float) -> str:
    """Days, or hours where there are few and years where there are many.

    >>> duration(0.2), duration(38.2), duration(2465.7)
    ('5 hours', '38 days', '6.8 years')
    """
    if days > 2.0 * YEAR:
        return f"{rounded(days / YEAR) if days > 100 * YEAR else format(days / YEAR, '.1f')} years"
    if days < 1.0:
        return f"{days * 24:.0f} hours" if days > 0.1 else f"{days * 24:.1f} hours"
    return f"{days:.1f} days" if days < 10.0 else f"{days:.0f} days"


class Clock(NamedTuple):
    """Writes numbers of rounds, with days if the traffic is known."""

    traffic: float | None  # rounds per day

    def show(self, rounds: float, horizon: float = math.inf, unit: str = "") -> str:
        """The number; "more than" the horizon where it is infinite.

        >>> Clock(None).show(12345.0), Clock(2000.0).show(math.inf, 730_000, " rounds")
        ('12,300', 'more than 730,000 rounds (365 days)')
        """
        if math.isinf(rounds) and math.isinf(horizon):
            return "never"
        shown = min(rounds, horizon)
        more = "more than " if rounds > horizon else ""
        days = f" ({duration(shown / self.traffic)})" if self.traffic else ""
        return f"{more}{rounded(shown)}{unit}{days}"
