"""The reward models: one file each, found by file name; and generators of named problems.

>>> import factored_bandits as fb
>>> {"additive", "duel_matrix", "duel_utility", "rank1"} <= set(fb.environments.names())
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
from factored_bandits.environments.dueling.duel_combinations import conjoint
from factored_bandits.environments.dueling.duel_matrix import cyclic, hard_condorcet
from factored_bandits.environments.dueling.duel_utility import (
    arithmetic,
    identical_gap,
    random_utilities,
    ties,
)
from factored_bandits.environments.factored.rank1 import spiked
from factored_bandits.errors import InvalidInputError, UnknownNameError

from .base import Environment
from .conjoint_file import PastConjoint, load_conjoint
from .io import PastDuels, count_duels, load_duels, load_preferences

FOLDERS = ("factored", "dueling")

__all__ = [
    "Environment",
    "PastConjoint",
    "PastDuels",
    "arithmetic",
    "conjoint",
    "count_duels",
    "cyclic",
    "generators",
    "hard_condorcet",
    "identical_gap",
    "load_conjoint",
    "load_duels",
    "load_preferences",
    "make",
    "names",
    "random_utilities",
    "spiked",
    "ties",
]


def names() -> list[str]:
    """The names of all reward models.

    Returns
    -------
    The names, sorted.

    Examples
    --------
    >>> "additive" in names()
    True
    """
    return sorted(_modules())


def load(name: str) -> types.ModuleType:
    """The module of a reward model.

    Parameters
    ----------
    name
        One of `names()`.

    Returns
    -------
    The module: `init` makes a problem, `GENERATORS` holds its generators, if it has any.

    Raises
    ------
    UnknownNameError
        If there is no such reward model.

    Examples
    --------
    >>> sorted(load("duel_matrix").GENERATORS)
    ['cyclic', 'hard_condorcet']
    """
    known = _modules()
    if not isinstance(name, str) or name not in known:
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
    """Make a problem of a reward model.

    Parameters
    ----------
    name
        One of `names()`.
    **params
        What the `init` of that reward model takes.

    Returns
    -------
    The problem.

    Raises
    ------
    UnknownNameError
        If there is no such reward model, or it has no such parameter.
    InvalidInputError
        If a parameter is missing or out of range.

    Examples
    --------
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
    """The generators: problems that take a few numbers only.

    Returns
    -------
    The functions by name.

    Examples
    --------
    >>> generators()["identical_gap"](arms=8, p=0.9).sizes
    (8, 8)
    """
    return {
        name: make
        for module in names()
        for name, make in getattr(load(module), "GENERATORS", {}).items()
    }
