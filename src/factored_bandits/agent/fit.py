"""Does a policy fit what is to be chosen, and which policy does a dump mean?"""

from __future__ import annotations

import types
from typing import Any

from factored_bandits.errors import DumpError, InvalidInputError
from factored_bandits.inference.interaction_test import InteractionTest
from factored_bandits.policies import Policy, make, names
from factored_bandits.policies import __name__ as policies_package
from factored_bandits.policies.base import Range

from .labels import Labels

ARGUMENTS = {"factored": "factors={name: [levels]}", "duel": "arms=[...]"}


def check_fit(policy: Policy, labels: Labels, horizon: Any) -> None:
    """The kind must be the policy's, and the horizon given where it is needed."""
    kind = policy.info.kind
    if kind != labels.kind:
        raise InvalidInputError(
            f"{policy.name} needs {ARGUMENTS[kind]}, not {ARGUMENTS[labels.kind]}; policies for "
            "the latter are "
            f"{', '.join(names(labels.kind))}"
        )

    if horizon is None and policy.info.needs_horizon:
        raise InvalidInputError(
            f"{policy.name} needs to know for how many rounds it will play: give horizon=..."
        )


def interaction_test(policy: Policy, labels: Labels, reward_range: Range | None) -> InteractionTest:
    """What `Agent.diagnose` needs, if the policy shuffles its blocks and rewards have a range."""
    if not policy.info.shuffled:
        able = [name for name in names(policy.info.kind) if make(name).info.shuffled]
        raise InvalidInputError(
            "diagnostics=True needs a policy that plays levels in random order, block by block; "
            f"{policy.name} does "
            f"not, {', '.join(able)} does"
        )

    if reward_range is None:
        raise InvalidInputError(
            "diagnostics=True needs rewards of a declared range: give reward_range=(low, high)"
        )

    return InteractionTest(
        labels.sizes, (0,) if labels.kind == "duel" else tuple(range(len(labels.names)))
    )


def integer(name: str, value: Any, low: int) -> int:
    """`value` as an int of at least `low`.

    >>> integer("seed", 7.0, 0)
    7
    """
    try:
        number = int(value)
        fits = number == value and number >= low and not isinstance(value, bool)
    except (TypeError, ValueError, OverflowError):
        fits = False

    if not fits:
        raise InvalidInputError(f"{name} must be a whole number from {low}, not {value!r}")
    return number


def document(policy: Policy) -> dict[str, Any]:
    """Name and parameters, as JSON can hold them; and whether it is a module of the user's own."""
    return {"name": policy.name, "own": _is_own(policy.module), "params": policy.params._asdict()}


def restored(saved: dict[str, Any], module: types.ModuleType | None) -> Policy:
    """The policy that `document` described, made anew; `module` is the user's own."""
    name = saved["name"]
    if module is None:
        if saved["own"] or name not in names():
            raise DumpError(
                f"the agent's policy {name!r} is not part of this library: give its module, "
                "Agent.load(text, policy=module)"
            )
        return make(name, **saved["params"])

    made = make(module, **saved["params"])
    if (made.name, _is_own(module)) != (name, saved["own"]):
        raise DumpError(f"the agent's policy is {name!r}, not the module {module.__name__!r}")
    return made


def _is_own(module: types.ModuleType) -> bool:
    return not module.__name__.startswith(f"{policies_package}.")
