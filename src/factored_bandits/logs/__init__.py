"""Logs: decisions of the past with their rewards, from wherever they are.

>>> import factored_bandits as fb
>>> columns = {"ad": ["A", "B", "A"], "clicks": [1, 0, 1], "p": [0.5, 0.5, 0.5]}
>>> log = fb.load_log(columns, factors=["ad"], reward="clicks", propensity="p")
>>> log
Log(3 rows, ad: 2 levels, mean reward 0.6667, with propensities)
"""

from __future__ import annotations

from .load import load_log
from .log import Log
from .vw import from_vw, to_vw

__all__ = ["Log", "from_vw", "load_log", "to_vw"]
