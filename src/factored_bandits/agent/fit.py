"""Whether a policy fits what is to be chosen."""

from __future__ import annotations

import types
from typing import Any

from factored_bandits.errors import InvalidInputError
from factored_bandits.inference.interaction_test import InteractionTest
from factored_bandits.policies import Policy, default, make, names
from factored_bandits.policies.base import Range

from .labels import Labels

ARGUMENTS = {"factored": "factors={name: [levels]}", "duel": "arms=[...]"}


def chosen(
    policy: str | types.ModuleType | Policy | None,
    labels: Labels,
    params: dict[str, Any],
    *,
    bounded: bool,
    diagnostics: bool,
) -> Policy:
    """The policy, made; without one the default for what the agent is to do."""
    if policy is not None:
        return make(policy, **params)

    label = default(
        labels.kind,
        bounded=bounded,
        diagnostics=diagnostics,
        combinations=bool(labels.factors),
    )
    if params:
        # The default may be another one in a later version; then they would mean something else.
        unknown = ", ".join(params)
        raise InvalidInputError(
            f"{unknown}: no argument of Agent; a parameter of a policy is given together with the "
            f"policy's name, such as {label!r}, the default"
        )

    return make(label)


def check_fit(policy: Policy, labels: Labels, horizon: Any) -> None:
    """The kind must be the policy's, and the horizon given where it is needed."""
    kind = policy.info.kind
    if labels.factors and not policy.info.combinations:
        able = [name for name in names("duel") if make(name).info.combinations]
        raise InvalidInputError(
            f"{policy.name} does not compare combinations (duels=True); policies that do are "
            f"{', '.join(able)}"
        )

    if kind != labels.kind:
        raise InvalidInputError(
            f"{policy.name} needs {ARGUMENTS[kind]}, not {ARGUMENTS[labels.kind]}; policies for "
            f"the latter are {', '.join(names(labels.kind))}"
        )

    if not policy.compiled:
        raise InvalidInputError(
            f"{policy.name} is an adapted object, which an agent could not save: call its select "
            "and update, or write it as a module (docs/how-to/own-policy.md)"
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
            f"{policy.name} does not; these do: {', '.join(able)}"
        )

    if reward_range is None:
        raise InvalidInputError(
            "diagnostics=True needs rewards of a declared range: give reward_range=(low, high)"
        )

    # in a duel both columns hold the same arms, and the test of one suffices
    columns = tuple(range(len(labels.factor_names)))
    return InteractionTest(labels.sizes, columns)
