"""Measured regret and pulls against the bounds."""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.stats import standard_error
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy
from factored_bandits.simulation.result import Result

from .gaps import identifiability
from .information import noise_is_known
from .lower import pulls_lower, regret_lower
from .upper import pulls_upper, regret_upper
from .verdict import Check, Pulls


def check(result: Result, environment: Environment, *, fraction: float = 0.5) -> Check:
    """Compare a simulation with the theory: regret and pulls, upper bounds and lower bounds.

    The upper bounds, of TEA and Dueling TEA, are on expectations: whether means are below them is
    decided by Student's t, for all checkpoints and levels together at the 1 % level. The lower
    bound is asymptotic, for algorithms that work on every uniformly identifiable problem: late
    regret should be above `fraction` of it.

    Parameters
    ----------
    result
        What `fb.simulate` returned.
    environment
        The problem that was simulated.
    fraction
        What share of the lower bound late regret should reach.

    Returns
    -------
    Check
        The numbers and the verdict; print it.

    Raises
    ------
    InvalidInputError
        If the result is of another problem.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> effects = [[0.0, -0.5], [0.0, -0.5]]
    >>> problem = fb.environments.make("additive", effects=effects, noise="gaussian")
    >>> result = fb.simulate("tea", problem, 10_000_000, repetitions=4, seed=1, progress=False)
    >>> verdict = fb.theory.check(result, problem)
    >>> verdict.below_upper, verdict.above_lower, bool(verdict.regret[-1] > verdict.lower[-1])
    (True, True, True)
    """
    simulated = result.environment
    if str(simulated) != str(environment) or simulated.best != environment.best:
        raise InvalidInputError(
            f"the result is of {simulated}, the environment is {environment}; give those that "
            "belong together"
        )

    policy = result.policy if result.policy.theorem else None
    known = noise_is_known(environment)
    nothing = np.full(len(result.checkpoints), math.nan)
    upper = nothing
    if policy:
        upper = regret_upper(environment, result.checkpoints, reward_range=policy.reward_range)

    return Check(
        policy=result.label,
        theorem=f"Theorems 1 and {policy.theorem}" if policy else "",
        problem=result.problem,
        unit=result.unit,
        repetitions=result.repetitions,
        rounds=result.checkpoints,
        regret=result.regret.mean(axis=0),
        standard_error=standard_error(result.regret),
        lower=regret_lower(environment, result.checkpoints) if known else nothing,
        upper=upper,
        pulls=_pulls(result, environment, policy, known),
        identifiable=identifiability(environment).holds,
        fraction=fraction,
    )


def _pulls(
    result: Result, environment: Environment, policy: Policy | None, known: bool
) -> list[Pulls]:
    plays = [np.asarray(p, dtype=np.float64) for p in result.plays]
    if environment.kind == "duel":
        plays = [0.5 * (plays[0] + plays[1])]

    upper = [np.full(p.shape[1], math.nan) for p in plays]
    if policy:
        upper = pulls_upper(environment, result.horizon, reward_range=policy.reward_range)
    lower = [np.zeros(p.shape[1]) for p in plays]
    if known:
        lower = pulls_lower(environment, result.horizon)

    found = []
    for l, played in enumerate(plays):
        mean = played.mean(axis=0)
        error = standard_error(played)
        for i in range(len(mean)):
            if i != environment.best[l]:
                numbers = (mean[i], error[i], lower[l][i], upper[l][i])
                found.append(Pulls(l, i, *(float(x) for x in numbers)))

    return found
