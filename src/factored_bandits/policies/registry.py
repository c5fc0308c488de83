"""Which policies there are, and how one is made from its name, its label or a module."""

from __future__ import annotations

import functools
import importlib
import types
from pathlib import Path
from typing import Any, Literal

from factored_bandits.core import discovery
from factored_bandits.core.checks import one_of
from factored_bandits.errors import InvalidInputError, UnknownNameError

from . import notation
from .base import FROM_ENVIRONMENT, Kind
from .contract import module_fault
from .files import load_file, name_of
from .parameters import checked_range, parameters
from .policy import Policy

# the folder of a policy is its kind
FOLDERS: dict[Kind, str] = {"factored": "factored", "duel": "dueling"}


def names(kind: Kind | None = None) -> list[str]:
    """List the names of all policies, or of those for one kind of problem.

    Parameters
    ----------
    kind
        "factored" or "duel"; None for all.

    Returns
    -------
    list of str
        The names in alphabetical order.

    Examples
    --------
    >>> "dueling_tea" in names("duel"), "dueling_tea" in names("factored")
    (True, False)
    """
    if kind is not None:
        one_of("kind", kind, tuple(FOLDERS))
    return list(_sorted_names(kind))


@functools.cache
def _sorted_names(kind: Kind | None) -> tuple[str, ...]:
    """Found once: figures ask for every line that they draw."""
    kinds = FOLDERS if kind is None else (kind,)
    return tuple(sorted(name for each in kinds for name in _modules(each)))


def load(name: str) -> types.ModuleType:
    """Import the module of a policy.

    Parameters
    ----------
    name
        One of `names()`.

    Returns
    -------
    module
        A module that follows the contract; see `policies.base.PolicyModule`.

    Raises
    ------
    UnknownNameError
        If there is no such policy.

    Examples
    --------
    >>> load("tea").INFO.title
    'Temporary Elimination Algorithm'
    """
    for kind in FOLDERS:
        if name in _modules(kind):
            return importlib.import_module(_modules(kind)[name])
    raise UnknownNameError.of("policy", name, names())


def _modules(kind: Kind) -> dict[str, str]:
    folder = FOLDERS[kind]
    return discovery.modules(f"{__package__}.{folder}", str(Path(__file__).parent / folder))


def make(
    policy: str | types.ModuleType | Policy,
    *,
    reward_range: tuple[float, float] | Literal["environment"] | None = FROM_ENVIRONMENT,
    **params: Any,
) -> Policy:
    """Make a policy ready for `simulate` or `Agent`.

    Parameters
    ----------
    policy
        The name of a policy; or its label as results print it, such as "tea(bound=betting)"; or a
        policy of your own that follows the contract: a module, or the path of its file such as
        "path/to/mine.py" or "path/to/mine.py(epsilon=0.2)". A policy that is made already is
        returned.
    reward_range
        (low, high) declares bounded rewards, None unbounded ones (means in [-1, 1], 1-sub-Gaussian
        noise); by default the range is the environment's.
    **params
        The parameters of the policy; `describe` lists them.

    Returns
    -------
    Policy
        The policy with its parameters, checked.

    Raises
    ------
    UnknownNameError
        If there is no such policy or parameter.
    InvalidInputError
        If a parameter has a wrong value, the module is not a policy, or there is no such file.
    ContractError
        If the file cannot be run.

    Examples
    --------
    >>> make("tea", reward_range=(0, 1)).reward_range
    (0.0, 1.0)
    >>> make("flat-ucb1(alpha=0.5)") == make("flat_ucb1", alpha=0.5)
    True
    """
    if isinstance(policy, Policy):
        if params or _is_given(reward_range):
            raise InvalidInputError(
                f"{policy.label} is made already; give its parameters to make() together with its "
                "name"
            )
        return policy

    if isinstance(policy, types.ModuleType):
        module = policy
    elif isinstance(policy, str):
        name, written = notation.read(policy)
        module = load_file(name) if name.endswith(".py") else load(name)
        reward_range = _once(policy, "reward_range", written, reward_range)
        for parameter in params:
            _once(policy, parameter, written, params[parameter])
        params = {**written, **params}
    else:
        raise _no_policy(policy)

    fault = module_fault(module)
    if fault:
        raise InvalidInputError(f"module {name_of(module)} is not a policy: {fault}")

    checked = checked_range(reward_range) if _is_given(reward_range) else FROM_ENVIRONMENT
    return Policy(name_of(module), module, parameters(module, params), checked)


def _is_given(reward_range: Any) -> bool:
    """Whether a range is declared; it may be an array, which is not compared with a word."""
    return not (isinstance(reward_range, str) and reward_range == FROM_ENVIRONMENT)


def make_all(text: str) -> list[Policy]:
    """Make the policies of a comma-separated list; commas in parentheses separate parameters.

    Parameters
    ----------
    text
        The list, each policy as `make` takes it.

    Returns
    -------
    list of Policy
        In the order of the list; empty for an empty text.

    Raises
    ------
    UnknownNameError
        If there is no such policy or parameter.
    InvalidInputError
        If a parameter has a wrong value.

    Examples
    --------
    >>> [policy.label for policy in make_all("flat_ucb1(alpha=0.5), tea")]
    ['flat_ucb1(alpha=0.5)', 'tea']
    """
    return [make(part) for part in notation.split(text)] if text.strip() else []


def _once(text: str, parameter: str, written: dict[str, Any], given: Any) -> Any:
    """The value of a parameter that is written in the label, or given beside it, not both.

    `reward_range` is taken out of `written`: it is no parameter of the module.
    """
    if parameter not in written:
        return given
    if parameter != "reward_range" or _is_given(given):
        raise InvalidInputError(f"{parameter} is given twice: in {text!r}, and as {given!r}")
    return written.pop(parameter)


def _no_policy(given: Any) -> InvalidInputError:
    """What to do with something that is neither a name nor a module."""
    if not (callable(getattr(given, "select", None)) and callable(getattr(given, "update", None))):
        return UnknownNameError.of("policy", given, names())

    name = given.__name__ if isinstance(given, type) else type(given).__name__
    return InvalidInputError(
        f"{name} has select and update; as a policy, run in plain Python, it is "
        f"fb.policies.adapt(lambda sizes, rng: {name}(...), name={name.lower()!r}), where "
        "select() gives a level per factor and update(action, reward) learns"
    )
