"""`describe`: what an algorithm is, assumes, guarantees and takes."""

from __future__ import annotations

import inspect
import types
import typing
from dataclasses import dataclass

from .base import Info
from .policy import Policy
from .registry import make


@dataclass(frozen=True)
class Description:
    """What `describe` tells; print it.

    Attributes
    ----------
    name
        The name of the policy.
    family
        The folder of its module below that of its kind; empty if it has none.
    info
        What the module says of itself.
    parameters
        Per parameter its default and, in parentheses, what is allowed.
    text
        The docstring of the module without its title and its doctests.

    Examples
    --------
    >>> description = describe("flat_ucb1")
    >>> description.family, description.info.kind, sorted(description.parameters)
    ('flat', 'factored', ['alpha', 'reward_range'])
    """

    name: str
    family: str
    info: Info
    parameters: dict[str, str]
    text: str

    def __str__(self) -> str:
        info = self.info
        rows = [f"{self.name}: {info.title}", "", self.text, ""]
        rows.append(f"problems    {'duels' if info.kind == 'duel' else 'factored'}")
        if self.family:
            rows.append(f"family      {self.family}")
        rows.append(f"assumes     {info.assumption}")
        rows.append(f"guarantee   {info.guarantee}")
        rows.append(f"horizon     {'needed' if info.needs_horizon else 'not needed'}")
        if info.feedback == "semi-bandit":
            rows.append("learns from the outcome of each factor")
        rows.append(f"reference   {info.reference}")
        rows.append("parameters")
        rows += [f"  {name} = {text}" for name, text in self.parameters.items()]
        return "\n".join(rows)


def describe(policy: str | types.ModuleType | Policy) -> Description:
    """Describe an algorithm: what it is, assumes, guarantees and takes.

    Parameters
    ----------
    policy
        A name, a label, a module of your own, or a policy made by `make`.

    Returns
    -------
    Description
        The description as data; print it.

    Raises
    ------
    UnknownNameError
        If there is no such policy.

    Examples
    --------
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
    return Description(made.name, made.family, made.info, shown, text)
