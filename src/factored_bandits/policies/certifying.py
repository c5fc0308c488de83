"""Which policies can certify what they have ruled out, and what they say then."""

from __future__ import annotations

from typing import Any

from factored_bandits.core.arrays import Floats
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy, make, names

from .base import Range


def p_values_of(
    policy: Policy, params: Any, state: Any, reward_range: Range | None
) -> list[Floats]:
    """Per factor and level an anytime p-value of its being the best; or an error that says why
    there is none.

    >>> from factored_bandits.policies import make
    >>> tea = make("tea")
    >>> p_values_of(tea, tea.encoded(), tea.module.init(tea.encoded(), [2, 1], 0), (0.0, 1.0))
    [array([1., 1.]), array([1.])]
    """
    if not policy.certifies:
        able = [name for name in names() if make(name).certifies]
        raise InvalidInputError(
            f"{policy.label} does not say at any time what is ruled out; these do: "
            f"{', '.join(able)}"
        )

    bound = getattr(policy.params, "bound", "paper")
    if reward_range is None and bound != "paper":
        raise InvalidInputError(
            f"{policy.label}: the bound {bound!r} needs rewards of a declared range; give "
            "reward_range=(low, "
            "high), or use bound='paper', which holds for raw rewards with 1-sub-Gaussian noise "
            "and means in [-1, 1]"
        )

    found: list[Floats] | None = policy.module.p_values(params, state)
    if found is None:
        raise InvalidInputError(
            f"{policy.label}: nothing is proved with these parameters; use positions='first'"
        )

    return found
