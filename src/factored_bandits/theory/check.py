"""Measured regret and pulls against the bounds."""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats
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
    """Hold a simulation against the theory: regret and pulls, upper bounds (of TEA and Dueling TEA)
    and lower bounds.

    The upper bounds are on expectations: a mean may miss one by three standard errors. The lower
    bound is asymptotic, for algorithms that work on every uniformly identifiable problem; late
    regret should be above `fraction` of it.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.make("additive", effects=[[0.0, -0.5], [0.0, -0.5]], noise="gaussian")
    >>> result = fb.simulate("tea", problem, horizon=10_000_000, repetitions=4, seed=1, progress=False)
    >>> verdict = fb.theory.check(result, problem)
    >>> verdict.below_upper, verdict.above_lower, bool(verdict.regret[-1] > verdict.lower[-1])
    (True, True, True)
    """
    if (
        str(result.environment) != str(environment)
        or result.sizes != environment.sizes
        or result.best != environment.best
    ):
        raise InvalidInputError(
            f"the result is of {result.environment}, the environment is {environment}; give those that "
            "belong"
        )

    policy = result.policy if result.policy.theorem else None
    known = noise_is_known(environment)
    nothing = np.full(len(result.checkpoints), math.nan)
    upper = (
        regret_upper(environment, result.checkpoints, reward_range=policy.reward_range)
        if policy
        else nothing
    )

    return Check(
        policy=result.label,
        theorem=f"Theorems 1 and {policy.theorem}" if policy else "",
        problem=result.problem,
        unit=result.unit,
        repetitions=result.repetitions,
        rounds=result.checkpoints,
        regret=result.regret.mean(axis=0),
        standard_error=_standard_error(result.regret),
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
    lower = (
        pulls_lower(environment, result.horizon) if known else [np.zeros(p.shape[1]) for p in plays]
    )
    found = []

    for l, played in enumerate(plays):
        mean = played.mean(axis=0)
        error = _standard_error(played)
        for i in range(len(mean)):
            if i != environment.best[l]:
                numbers = (mean[i], error[i], lower[l][i], upper[l][i])
                found.append(Pulls(l, i, *(float(x) for x in numbers)))

    return found


def _standard_error(values: Floats) -> Floats:
    """Over the rows; 0 for a single one, of which nothing is known."""
    rows = len(values)
    return (
        np.asarray(values.std(axis=0, ddof=1) / math.sqrt(rows))
        if rows > 1
        else np.zeros(values.shape[1])
    )
