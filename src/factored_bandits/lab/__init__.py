"""The laboratory: experiments as data, run in units of work that can be stopped, resumed and spread
over machines.

One file of this package is one experiment, a figure or a table: `SPEC` says what is run,
`claims(results)` what it decides. `names` lists them; the command line runs them (`factored-bandits
reproduce`).

>>> from factored_bandits import lab
>>> lab.load("rank1").SPEC.policies[0]
'tea'
"""

from __future__ import annotations

from .config import parse, read
from .engines import Engine
from .lookup import load, names
from .results import Mean, Results
from .run import run
from .spec import Preset, Spec
from .store import Store
from .tasks import Task, make_tasks

__all__ = [
    "Engine",
    "Mean",
    "Preset",
    "Results",
    "Spec",
    "Store",
    "Task",
    "load",
    "make_tasks",
    "names",
    "parse",
    "read",
    "run",
]
