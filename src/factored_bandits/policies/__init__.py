"""The algorithms: one file each, found by file name.

>>> import factored_bandits as fb
>>> "tea" in fb.policies.names()
True
>>> print(fb.policies.describe("uniform"))  # doctest: +ELLIPSIS
uniform: ...
"""

from __future__ import annotations

import importlib
import inspect
import types
import typing
from dataclasses import dataclass
from typing import Any, Literal

from factored_bandits.core import discovery
from factored_bandits.errors import InvalidInputError, UnknownNameError

from .base import (
    FROM_ENVIRONMENT,
    Info,
    Kind,
    LevelReport,
    Policy,
    checked_range,
    parameters,
    scaling,
)

FOLDERS: dict[Kind, str] = {
    "factored": "factored",
    "duel": "dueling",
}  # where the policies of a kind are

__all__ = ["Description", "Info", "LevelReport", "Policy", "describe", "make", "names", "scaling"]


def names(kind: Kind | None = None) -> list[str]:
    """The names of all policies, or of those for one kind of problem.

    >>> "dueling_tea" in names("duel"), "dueling_tea" in names("factored")
    (True, False)
    """
    kinds = FOLDERS if kind is None else (kind,)
    return sorted(name for each in kinds for name in _modules(each))


def load(name: str) -> types.ModuleType:
    """The module of a policy."""
    for kind in FOLDERS:
        if name in _modules(kind):
            return importlib.import_module(_modules(kind)[name])
    raise UnknownNameError.of("policy", name, names())


def _modules(kind: Kind) -> dict[str, str]:
    folder = FOLDERS[kind]
    return discovery.modules(f"{__name__}.{folder}", f"{__path__[0]}/{folder}")


def make(
    policy: str | types.ModuleType | Policy,
    *,
    reward_range: tuple[float, float] | Literal["environment"] | None = FROM_ENVIRONMENT,
    **params: Any,
) -> Policy:
    """A policy ready for `simulate` or `Agent`: by name, or from a module of your own that follows
    the contract.

    `reward_range=(low, high)` declares bounded rewards, None raw ones (means in [-1, 1],
    1-sub-Gaussian noise); by default the range is the environment's.

    >>> make("tea", reward_range=(0, 1)).reward_range
    (0.0, 1.0)
    """
    if isinstance(policy, Policy):
        if params or reward_range != FROM_ENVIRONMENT:
            raise InvalidInputError(
                f"{policy.label} is made already; give its parameters to make() together with its "
                "name"
            )
        return policy

    if isinstance(policy, types.ModuleType):
        name = policy.__name__.rpartition(".")[2]
        module = policy
        _check_module(module)
    else:
        name = policy
        module = load(policy)

    checked = FROM_ENVIRONMENT if reward_range == FROM_ENVIRONMENT else checked_range(reward_range)
    return Policy(name, module, parameters(module, params), checked)


def _check_module(module: types.ModuleType) -> None:
    needed = ["INFO", "Params", "State", "init", "plan", "learn", "recommend"]
    missing = [name for name in needed if not hasattr(module, name)]
    if missing:
        raise InvalidInputError(
            f"module {module.__name__} is not a policy: it has no {', '.join(missing)}"
        )


@dataclass(frozen=True)
class Description:
    """What `describe` tells; print it."""

    name: str
    info: Info
    parameters: dict[str, str]
    text: str

    def __str__(self) -> str:
        rows = [f"{self.name}: {self.info.title}", "", self.text, ""]
        rows += [f"problems    {'duels' if self.info.kind == 'duel' else 'factored'}"]
        rows += [f"assumes     {self.info.assumption}", f"guarantee   {self.info.guarantee}"]
        rows += [f"horizon     {'needed' if self.info.needs_horizon else 'not needed'}"]
        rows += (
            ["learns from the outcome of each factor"]
            if self.info.feedback == "semi-bandit"
            else []
        )
        rows += [f"reference   {self.info.reference}", "parameters"]
        rows += [f"  {name} = {text}" for name, text in self.parameters.items()]
        return "\n".join(rows)


def describe(policy: str | types.ModuleType | Policy) -> Description:
    """What an algorithm is, assumes, guarantees and takes.

    >>> describe("tea").info.assumption
    'uniform identifiability'
    """
    made = make(policy)
    hints = typing.get_type_hints(made.module.Params)
    shown = {}

    for name, default in made.module.Params._field_defaults.items():
        choices = typing.get_args(hints[name])
        allowed = " | ".join(map(repr, choices)) if choices else hints[name].__name__
        shown[name] = f"{default!r}   ({allowed})"

    shown["reward_range"] = "the environment's   ((low, high) | None)"
    paragraphs = inspect.getdoc(made.module) or ""
    text = "\n\n".join(p for p in paragraphs.split("\n\n")[1:] if ">>>" not in p)
    return Description(made.name, made.info, shown, text)
