"""The reward models: one file each, found by file name; and generators of named problems.

>>> import factored_bandits as fb
>>> {"additive", "duel_matrix", "duel_utility", "logistic", "rank1", "table", "trap"} <= set(fb.environments.names())
True
>>> print(fb.environments.identical_gap(16, 0.7))
duel_utility (16 arms)
"""

from __future__ import annotations

import importlib
import inspect
import types
from collections.abc import Callable
from typing import Any

from factored_bandits.core import discovery
from factored_bandits.environments.dueling.duel_matrix import (
    cyclic,
    hard_condorcet,
    load_preferences,
)
from factored_bandits.environments.dueling.duel_utility import (
    arithmetic,
    identical_gap,
    random_utilities,
    ties,
)
from factored_bandits.environments.factored.rank1 import spiked
from factored_bandits.errors import InvalidInputError, UnknownNameError

from .base import Environment
from .io import PastDuels, count_duels, load_duels

FOLDERS = ("factored", "dueling")

__all__ = [
    "Environment",
    "PastDuels",
    "arithmetic",
    "count_duels",
    "cyclic",
    "generators",
    "hard_condorcet",
    "identical_gap",
    "load_duels",
    "load_preferences",
    "make",
    "names",
    "random_utilities",
    "spiked",
    "ties",
]


def names() -> list[str]:
    """The names of all reward models."""
    return sorted(_modules())


def load(name: str) -> types.ModuleType:
    """The module of a reward model."""
    known = _modules()
    if name not in known:
        raise UnknownNameError.of("environment", name, known)
    return importlib.import_module(known[name])


def _modules() -> dict[str, str]:
    return {
        name: module
        for folder in FOLDERS
        for name, module in discovery.modules(
            f"{__name__}.{folder}", f"{__path__[0]}/{folder}"
        ).items()
    }


def make(name: str, **params: Any) -> Environment:
    """A problem of the reward model `name`.

    >>> make("rank1", factors=[[0.9, 0.5], [0.8, 0.2]]).best
    (0, 0)
    """
    module = load(name)
    signature = inspect.signature(module.init)

    for key in params:
        if key not in signature.parameters:
            raise UnknownNameError.of(f"parameter of {name}", key, signature.parameters)

    missing = [
        k for k, p in signature.parameters.items() if p.default is p.empty and k not in params
    ]
    if missing:
        raise InvalidInputError(
            f"{name} needs {', '.join(missing)}; its parameters are {_listed(signature)}"
        )

    problem: Environment = module.init(**params)
    return problem


def _listed(signature: inspect.Signature) -> str:
    return ", ".join(
        k if p.default is p.empty else f"{k}={p.default!r}" for k, p in signature.parameters.items()
    )


def generators() -> dict[str, Callable[..., Environment]]:
    """Named problems that take a few numbers only; the command line offers these.

    >>> generators()["identical_gap"](arms=8, p=0.9).sizes
    (8, 8)
    """
    return {
        name: make
        for module in names()
        for name, make in getattr(load(module), "GENERATORS", {}).items()
    }
