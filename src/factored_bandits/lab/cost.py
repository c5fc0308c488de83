"""How long a repetition takes, roughly: what units are cut by, and what the time left is worked out
from.

Results do not depend on these figures.
"""

from __future__ import annotations

import math

from factored_bandits.environments import Environment
from factored_bandits.policies import Policy

# nanoseconds per round at 16 arms, 32 levels or (flat policies) 256 combinations; and the power
# with which they grow
NANOSECONDS = {
    "beat_the_mean": (110, 1),
    "comband": (420, 1.2),
    "cucb": (330, 0.6),
    "doubler": (97, 0.6),
    "dts": (370, 1.2),
    "dts_plus": (350, 1.3),
    "dueling_tea": (19, 0.4),
    "dueling_uniform": (49, 0),
    "exp3": (450, 1.2),
    "glm_ucb": (5500, 2.7),
    "imed_ub": (1700, 0.6),
    "interleaved_filter": (11, 0.4),
    "flat_kl_ucb": (550, 1.2),
    "lb_inf": (2300, 1.4),
    "lin_thompson": (1400, 1.7),
    "lin_ucb": (1800, 2),
    "logistic_thompson": (1200, 1.8),
    "marginal_thompson": (1900, 1),
    "merge_dts": (18, 1.5),
    "merge_rucb": (160, 0.1),
    "multi_sbm": (94, 1.1),
    "ossb": (1100, 1.2),
    "osub": (1800, 0.4),
    "rank1_elim": (15, 1),
    "rank1_elim_kl": (10, 1),
    "rcs": (180, 1.2),
    "rmed1": (4, 1.1),
    "rmed2": (8, 1.4),
    "rmed2fh": (7, 1.4),
    "rucb": (5, 1.6),
    "savage": (20, 0.9),
    "self_sparring": (1900, 1.1),
    "sparring": (180, 0.7),
    "per_factor_kl_ucb": (430, 0.8),
    "per_factor_ucb": (170, 0.6),
    "tea": (40, 1),
    "flat_thompson": (1000, 2),
    "tsallis_inf": (420, 1.2),
    "flat_ucb1": (470, 1.2),
    "uniform": (87, 0.1),
    "unimodal_thompson": (1200, 0.9),
    "vdb": (250, 0.7),
    "winner_stays": (5, 0.3),
}
FLAT = ("flat_kl_ucb", "flat_thompson", "flat_ucb1")  # one statistic per combination
UNKNOWN = (500.0, 1.0)
INTERPRETED = 2e-4  # seconds per round through the Agent
START = 0.002  # seconds per repetition that do not depend on the rounds
INFORMATIVE = 3_000_000  # of a policy that skips idle rounds, the rounds that are played


def seconds(policy: Policy, problem: Environment, horizon: int, interpreted: bool = False) -> float:
    """An estimate for one repetition.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(16)
    >>> seconds(fb.policies.make("tea"), problem, 10**5) < seconds(fb.policies.make("flat_ucb1"), problem, 10**8)
    True
    """
    if interpreted:
        return INTERPRETED * horizon
    nanoseconds, power = NANOSECONDS.get(policy.name, UNKNOWN)
    if problem.kind == "duel":
        size = problem.sizes[0] / 16.0
    else:
        size = (
            math.prod(problem.sizes) / 256.0 if policy.name in FLAT else sum(problem.sizes) / 32.0
        )
    rounds = (
        min(horizon, INFORMATIVE)
        if hasattr(policy.module, "idle") and problem.stationary
        else horizon
    )
    return START + rounds * 1e-9 * nanoseconds * size**power
