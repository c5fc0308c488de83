"""`plan`: how long an experiment will take, what it will cost, and which policy should run it.

>>> import factored_bandits as fb
>>> assumptions = fb.Assumptions(factors=(3, 2), base_rate=0.3, lift=0.8)
>>> options = {"policies": "tea", "repetitions": 4, "flat": False, "progress": False}
>>> plan = fb.plan(assumptions, traffic="2000/day", **options)
>>> plan.verdict.within_a_year, plan.forecasts[0].best_found
(True, 1.0)
"""

from __future__ import annotations

from .assumptions import Assumptions
from .fixed import FixedTest, sample_size
from .forecast import Forecast
from .plan import Plan
from .run import plan
from .verdict import Verdict

__all__ = ["Assumptions", "FixedTest", "Forecast", "Plan", "Verdict", "plan", "sample_size"]
