"""Named problems, each with a horizon and the reason why it is there: what to compare algorithms on.

>>> import factored_bandits as fb
>>> case = fb.suite.duels()[0]
>>> case.name, case.horizon, case.problem().sizes
('paper p=0.7 K=16', 100000, (16, 16))
>>> print(fb.suite.factored()[9].why)
a big factor hides a small one: sparring locks in
"""

from __future__ import annotations

from .instance import Case
from .duels import duels
from .factored import factored

__all__ = ["Case", "duels", "factored"]
