"""How long a repetition takes, roughly: what units are cut by, and what the time left is worked out from.

Nanoseconds per round of each policy, as (at 16 levels in all, for each further level); measured on one core. Results
do not depend on these figures.
"""

from __future__ import annotations

from ..environments import Problem
from ..policies import Policy

NANOSECONDS: dict[str, tuple[float, float]] = {}
UNKNOWN = (500.0, 10.0)
START = 0.002  # seconds per repetition that do not depend on the rounds
INFORMATIVE = 3_000_000  # of a policy that skips idle rounds, the rounds that are played


def seconds(policy: Policy, problem: Problem, horizon: int) -> float:
    """An estimate for one repetition.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(16)
    >>> seconds(fb.policies.make("tea"), problem, 10**5) < seconds(fb.policies.make("ucb1"), problem, 10**8)
    True
    """
    base, more = NANOSECONDS.get(policy.name, UNKNOWN)
    levels = problem.sizes[0] if problem.kind == "duel" else sum(problem.sizes)
    rounds = min(horizon, INFORMATIVE) if hasattr(policy.module, "idle") and problem.stationary else horizon
    return START + rounds * 1e-9 * max(base / 4.0, base + more * (levels - 16))
