"""The grid of tilts over which a bet is mixed: differences of log-odds."""

from __future__ import annotations

import math

# 0: no bet; then from 0.08 on, each 1.8 times the one before
TILTS = (0.0, *(0.08 * 1.8**step for step in range(8)))
GRID = len(TILTS)
# e^d - 1 and e^-d - 1
ODDS = tuple(math.expm1(tilt) for tilt in TILTS)
INVERSE_ODDS = tuple(math.expm1(-tilt) for tilt in TILTS)
