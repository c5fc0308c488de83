"""`warm`: the steps of a policy compiled ahead, for agents to come."""

from __future__ import annotations

import types
from typing import Any

from factored_bandits.core.kernel import compiles
from factored_bandits.policies import Policy, make

from .agent import Agent

# A small problem: compiled code does not depend on the sizes.
SIZE = 3
HORIZON = 1000


def warm(policy: str | types.ModuleType | Policy) -> bool:
    """Compile the steps of a policy and keep them on disk, for every agent that has it.

    Parameters
    ----------
    policy
        A name or a label such as "tea(bound=betting)", a made policy, or a module of your own.
        Parameters of the same types share the compiled code, so a name does for most labels.

    Returns
    -------
    bool
        False if nothing is compiled here: numba is missing or switched off.

    Raises
    ------
    UnknownNameError
        If there is no such policy.
    KernelError
        If the kernels of a policy of your own cannot be compiled.

    Warns
    -----
    CacheWarning
        If there is nowhere to keep them.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> from factored_bandits.agent import warm
    >>> kept = warm("uniform")  # from now on agents of this policy load it
    >>> fb.Agent("uniform", factors={"colour": ["red", "blue"]}, compiled=True).compiled == kept
    True
    """
    made = make(policy)
    if not compiles():
        return False

    levels = list(range(SIZE))
    problem: dict[str, Any] = {"factors": {"x": levels, "y": levels}}
    if made.info.kind == "duel":
        problem = {"arms": levels}
    return Agent(made, **problem, horizon=HORIZON, compiled=True).compiled
