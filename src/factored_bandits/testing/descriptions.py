"""What a policy says of itself: its INFO, its folder, its label, its State and its kernels."""

from __future__ import annotations

import inspect

from factored_bandits.core.linking import is_kernel
from factored_bandits.policies import Policy, describe, make
from factored_bandits.policies.contract import state_fault
from factored_bandits.policies.registry import FOLDERS

from . import problems
from .problems import require

LIBRARY = "factored_bandits.policies"
WORDS = ("title", "assumption", "guarantee", "reference")
KERNELS = ("plan", "learn", "recommend", "idle", "active_sets")


def is_described(policy: Policy) -> None:
    """INFO is filled in, and every parameter has a default; in the library with an example."""
    for field in WORDS:
        require(getattr(policy.info, field), f"INFO.{field} is empty")

    with_default = set(policy.module.Params._field_defaults)
    missing = set(policy.module.Params._fields) - with_default
    require(not missing, f"parameters without a default: {', '.join(sorted(missing))}")

    description = describe(policy)
    require(policy.name in str(description), "the description does not say the name")
    if _in_library(policy):
        require(description.text, "the docstring of the module has one paragraph only")
        require(">>>" in (policy.module.__doc__ or ""), "the docstring shows no example")


def kind_is_the_folder(policy: Policy) -> None:
    """INFO.kind of a policy of the library is that of its folder."""
    if _in_library(policy):
        folder = policy.module.__name__.removeprefix(f"{LIBRARY}.").partition(".")[0]
        expected = FOLDERS[policy.info.kind]
        require(folder == expected, f"INFO.kind is {policy.info.kind!r}, the folder {folder!r}")


def label_makes_the_policy_again(policy: Policy) -> None:
    """`make` reads the label that results print; of a policy of the library."""
    if _in_library(policy):
        require(make(policy.label) == policy, f"make({policy.label!r}) gives another policy")


def kernels_are_marked(policy: Policy) -> None:
    """plan, learn, recommend, and idle and active_sets where there are such, are kernels."""
    for name in KERNELS:
        function = getattr(policy.module, name, None)
        marked = function is None or is_kernel(function)
        require(marked, f"{name} is not marked with @kernel, so it cannot be compiled")


def state_is_arrays_only(policy: Policy) -> None:
    """State is data: arrays of numbers or flags, no two of which share memory."""
    state = problems.runner(policy, problems.fitting(policy)).new_state()
    fault = state_fault(policy.module, state)
    require(not fault, fault)


def state_is_described(policy: Policy) -> None:
    """Every field of a State of the library has a comment: a rule of the house."""
    if not _in_library(policy):
        return

    lines = [line.strip() for line in inspect.getsource(policy.module.State).splitlines()]
    fields = policy.module.State._fields
    declared = {field: _line_of(field, lines) for field in fields}
    ends = [*list(declared.values())[1:], len(lines)]

    for (field, first), end in zip(declared.items(), ends, strict=True):
        commented = lines[first - 1].startswith("#") or any("#" in x for x in lines[first:end])
        require(commented, f"State.{field} has no comment")


def _line_of(field: str, lines: list[str]) -> int:
    for number, line in enumerate(lines):
        if line.startswith(f"{field}:"):
            return number
    raise AssertionError(f"State.{field} is not declared in the class")


def _in_library(policy: Policy) -> bool:
    return bool(policy.module.__name__.startswith(f"{LIBRARY}."))
