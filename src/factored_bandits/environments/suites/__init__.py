"""Named problems, each with a horizon and a reason: what to compare algorithms on.

>>> import factored_bandits as fb
>>> instance = fb.suites.duels()[0]
>>> instance.name, instance.horizon, instance.problem().sizes
('paper p=0.7 K=16', 100000, (16, 16))
>>> print(fb.suites.factored()[9].why)
a big factor hides a small one: sparring locks in
"""

from __future__ import annotations

from .duels import duels
from .factored import factored
from .instance import Instance
from .real import real

__all__ = ["Instance", "duels", "factored", "real"]
