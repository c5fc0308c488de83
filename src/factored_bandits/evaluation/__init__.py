"""What a policy would have earned, and what each level is worth, from a log.

>>> import factored_bandits as fb
>>> agent = fb.Agent("uniform", factors={"ad": ["A", "B"]}, seed=1)
>>> written = []
>>> for _ in range(2000):
...     decision = agent.ask()
...     written.append((decision, 0.8 if decision.levels["ad"] == "B" else 0.2))
>>> log = fb.load_log(written)
>>> print(fb.evaluate({"ad": "B"}, log))
ad=B by weighting: 0.8, between 0.7918 and 0.8084 at 95 % (999 of 2,000 rows)
"""

from __future__ import annotations

from .effects import Effects, LevelEffect, effects
from .evaluate import evaluate
from .result import Evaluation

__all__ = ["Effects", "Evaluation", "LevelEffect", "effects", "evaluate"]
