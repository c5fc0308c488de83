"""The laboratory: experiments as data, run in units of work that can be stopped, resumed and spread over machines.

One file of this package is one experiment, a figure or a table: `SPEC` says what is run, `claims(results)` what it
decides. `names` lists them; the command line runs them (`factored-bandits reproduce`).

>>> from factored_bandits import lab
>>> lab.load("rank1").SPEC.policies[0]
'tea'
"""

from __future__ import annotations

from .engines import Engine
from .lookup import load, names
from .results import Mean, Results
from .run import run
from .spec import Size, Spec
from .store import Store
from .config import parse, read
from .tasks import Unit, units

__all__ = [
    "Engine",
    "Mean",
    "Results",
    "Size",
    "Spec",
    "Store",
    "Unit",
    "load",
    "names",
    "parse",
    "read",
    "run",
    "units",
]
