"""Which policies shall play a problem: those that a user names, and those that can."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy, make, make_all, names

from .checkpoints import horizon_of
from .runner import check_playable

Written = str | types.ModuleType | Policy


def suitable(
    environment: Environment, horizon: float, policies: Written | Iterable[Written] | None = None
) -> tuple[list[Policy], dict[str, str]]:
    """Those of the policies that can play the problem; and for the others, why they cannot.

    Parameters
    ----------
    environment
        The problem.
    horizon
        The number of rounds.
    policies
        As in `compare`; None for all of the kind of the problem.

    Returns
    -------
    The policies that can, and a reason by label for those that cannot.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> able, refused = suitable(fb.environments.identical_gap(4, 0.8), horizon=100)
    >>> "dueling_tea" in [policy.name for policy in able]
    True
    """
    rounds = horizon_of(horizon)
    if policies is None:
        candidates = [make(name) for name in names(environment.kind)]
    else:
        candidates = chosen_policies(policies)

    able = []
    refused = {}
    for policy in candidates:
        try:
            check_playable(policy, environment, rounds)
        except InvalidInputError as error:
            refused[policy.label] = str(error)
        else:
            able.append(policy)

    return able, refused


def chosen_policies(given: Written | Iterable[Written]) -> list[Policy]:
    """The policies that a user names, each once.

    >>> [policy.label for policy in chosen_policies("tea, flat_ucb1(alpha=0.5)")]
    ['tea', 'flat_ucb1(alpha=0.5)']
    """
    if isinstance(given, str):
        chosen = make_all(given)
    else:
        try:
            several: list[Any] = [given] if isinstance(given, Policy) else list(given)
        except TypeError:  # not several: `make` says what is wrong with it
            several = [given]
        chosen = [make(policy) for policy in several]

    if not chosen:
        raise InvalidInputError("policies is empty: name at least one, for example 'tea, uniform'")

    seen: dict[str, Policy] = {}
    for policy in chosen:
        if policy.label in seen:
            why = "stands for two different policies; rename one of the modules"
            if policy == seen[policy.label]:
                why = "is listed twice"
            raise InvalidInputError(f"policies: {policy.label!r} {why}")
        seen[policy.label] = policy

    return chosen
