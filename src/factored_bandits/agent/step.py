"""The step of an agent, which can be compiled: a block is planned, or a block is learned.

One function for both, so that a policy is one file in the cache. `kernel.bind` puts the kernels of
a policy in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel

PLAN = 0  # the length of a block that is still to be planned


# The next two kernels are placeholders that `bind` replaces.


@kernel
def plan(params: Any, state: Any, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """See `PolicyModule`."""
    return 0


@kernel
def learn(params: Any, state: Any, t: int, actions: Ints, rewards: Floats) -> None:
    """See `PolicyModule`."""


@kernel
def step(
    params: Any,
    state: Any,
    t: int,
    rng: np.random.Generator,
    actions: Ints,
    rewards: Floats,
    length: int,
) -> int:
    """Plan a block from round t on, or learn the one of `length` plays that began there.

    Parameters
    ----------
    params, state
        Of the policy.
    t
        The first round of the block.
    rng
        Draws for `plan`.
    actions
        (longest block, columns); filled by `plan`, read by `learn`.
    rewards
        (longest block,), with semi-bandit feedback (longest block, columns); read by `learn`.
    length
        How many plays to learn; `PLAN` to plan.

    Returns
    -------
    The length of the block.
    """
    if length == PLAN:
        return plan(params, state, t, rng, actions)

    learn(params, state, t, actions[:length], rewards[:length])
    return length
