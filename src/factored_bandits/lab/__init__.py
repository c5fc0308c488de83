"""The laboratory: experiments as data, run in tasks that can be stopped, resumed and distributed.

One file of `lab.paper` is one experiment, a figure or a table: `SPEC` says what is run,
`claims(results)` what it decides. `names` lists them, `run` runs them.

>>> from factored_bandits import lab
>>> lab.load("rank1").SPEC.policies[0]
'tea'
"""

from __future__ import annotations

from factored_bandits.core.stats import Mean

from .config import parse, read
from .engines import Engine
from .lookup import load, names
from .results import Results
from .run import run
from .spec import Preset, Spec
from .store import DamagedFileWarning, Store
from .tasks import Task, make_tasks

__all__ = [
    "DamagedFileWarning",
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
