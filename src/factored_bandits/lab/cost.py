"""How long a repetition takes, roughly: tasks are cut by it, and the time left is estimated by it.

Results do not depend on these figures.
"""

from __future__ import annotations

import math

from factored_bandits.environments import Environment
from factored_bandits.policies import Policy

INTERPRETED = 2e-4  # seconds per round through the Agent
START = 0.002  # seconds per repetition that do not depend on the rounds
INFORMATIVE = 3_000_000  # of a policy that skips idle rounds, the rounds that are played


def seconds(policy: Policy, problem: Environment, horizon: int, interpreted: bool = False) -> float:
    """An estimate for one repetition.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(16)
    >>> tea, flat_ucb1 = fb.policies.make("tea"), fb.policies.make("flat_ucb1")
    >>> seconds(tea, problem, 10**5) < seconds(flat_ucb1, problem, 10**8)
    True
    """
    if interpreted:
        return INTERPRETED * horizon

    # costs are given for 16 arms, and for 16 x 16 levels
    nanoseconds, power = policy.info.cost
    if problem.kind == "duel":
        size = sum(problem.factor_sizes) / 16.0
    elif policy.info.flat:
        size = math.prod(problem.sizes) / 256.0
    else:
        size = sum(problem.sizes) / 32.0

    rounds = horizon
    if policy.skips and problem.stationary:
        rounds = min(horizon, INFORMATIVE)

    return START + rounds * 1e-9 * nanoseconds * size**power
