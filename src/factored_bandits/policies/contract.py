"""What a module and a state must be like; a sentence about what is wrong with those of others."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from .base import Info

NEEDED = ("INFO", "Params", "State", "init", "plan", "learn", "recommend")
HIDDEN = ("count", "index")  # methods of tuple


def module_fault(module: Any) -> str:
    """Say what keeps a module from being a policy; empty if nothing does.

    >>> import math
    >>> module_fault(math)
    'it has no INFO, Params, State, init, plan, learn, recommend'
    """
    missing = [name for name in NEEDED if not hasattr(module, name)]
    if missing:
        return f"it has no {', '.join(missing)}"

    if not isinstance(module.INFO, Info):
        return "INFO must be made by factored_bandits.policies.Info(...)"
    for name in ("Params", "State"):
        if not hasattr(getattr(module, name), "_fields"):
            return f"{name} must be a typing.NamedTuple"
    for name in ("init", "plan", "learn", "recommend"):
        if not callable(getattr(module, name)):
            return f"{name} must be a function"

    required = [n for n in module.Params._fields if n not in module.Params._field_defaults]
    if required:
        return f"these parameters have no default: {', '.join(required)}"
    return ""


def state_fault(module: Any, state: Any) -> str:
    """Say what is wrong with the state that `init` of a policy module gave; empty if nothing is.

    Parameters
    ----------
    module
        The policy module.
    state
        What its `init` returned.

    Returns
    -------
    str
        What is wrong: a state is a `State` of arrays of numbers or flags, no two of which share
        memory.

    Examples
    --------
    >>> from factored_bandits.policies import load
    >>> state_fault(load("tea"), [1, 2])
    'init gives a list, not a State'
    """
    if not isinstance(state, module.State):
        return f"init gives a {type(state).__name__}, not a State"

    kinds = "fib" if getattr(module, "COMPILED", True) else "fibO"
    arrays = list(zip(state._fields, state, strict=True))
    for field, array in arrays:
        if not isinstance(array, np.ndarray):
            return f"State.{field} is no array but a {type(array).__name__}"
        if array.dtype.kind not in kinds:
            return f"State.{field} holds {array.dtype}, not numbers"
        if field in HIDDEN:
            return f"State.{field} hides a method of tuple"

    for (field, array), (other, its_array) in itertools.combinations(arrays, 2):
        if array.size and its_array.size and np.shares_memory(array, its_array):
            return f"State.{field} and State.{other} share memory"
    return ""
