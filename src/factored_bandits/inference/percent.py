"""Confidence in words."""

from __future__ import annotations

import math


def percent(p_value: float) -> str:
    """Confidence, 1 - p_value, never rounded up.

    >>> percent(0.05), percent(1e-9)
    ('95.00%', '> 99.99%')
    """
    if p_value < 1e-4:
        return "> 99.99%"

    # The small addition keeps 1 - 0.05 from being cut to 94.99 %.
    return f"{math.floor(1e4 * (1.0 - p_value) + 1e-9) / 1e4:.2%}"
