"""The algorithms: one file each, found by file name.

Examples
--------
>>> import factored_bandits as fb
>>> "tea" in fb.policies.names()
True
>>> print(fb.policies.describe("uniform"))  # doctest: +ELLIPSIS
uniform: ...
"""

from __future__ import annotations

from .adapter import adapt
from .base import Info, LevelReport
from .defaults import default
from .description import Description, describe
from .parameters import scaling
from .policy import Policy
from .registry import load, make, make_all, names

__all__ = [
    "Description",
    "Info",
    "LevelReport",
    "Policy",
    "adapt",
    "default",
    "describe",
    "load",
    "make",
    "make_all",
    "names",
    "scaling",
]
