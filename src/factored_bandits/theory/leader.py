"""What tests beside the leaders cost: the closer of the two references for regret.

`regret_lower` pairs the smallest lead over a level with the largest divergence, which no play has
together. Here both are those of one context, the best levels of all other factors.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.environments import Environment
from factored_bandits.environments.checks import TOLERANCE

from .confidence import rounds
from .gaps import identifiability
from .information import divergence
from .views import LARGEST_TABLE, ROUNDING, Means, changed, decided, modules, view


def leader_lower(environment: Environment, t: Any) -> Any:
    """Compute the regret by round t if every level is tested beside the leaders, t to infinity.

    A level stands in the context of the best levels of all other factors, loses what it loses
    there, and is told from the best one at the rate of the divergence there: the sum over levels of
    loss times log t / divergence. In a duel an arm meets the best arm.

    Parameters
    ----------
    environment
        The problem.
    t
        A round, or an array of rounds.

    Returns
    -------
    float or array
        The regret, in the unit of the problem and the shape of `t`. 0 where nothing is said: if
        another combination cannot be improved by changing one factor, or in a duel if an arm beats
        the best one. Infinite if an arm that costs something ties with the best one.

    Raises
    ------
    InvalidInputError
        If the means of the problem change over time, its noise is not known, it is not uniformly
        identifiable and has too many combinations to look at, or a round is below 1.

    Notes
    -----
    For factored problems it is a lower bound for algorithms that work whenever a combination other
    than the best can be improved by changing one factor (Combes & Proutiere 2014, unimodal
    bandits). Uniformly identifiable problems are among these. An algorithm that works for them
    only may do with less, but not with less than `regret_lower`, which is never larger. For duels
    it is what RMED1 pays (Komiyama et al. 2015); where the best arm beats all others it is never
    below `condorcet_lower`.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(16, best=0.5)
    >>> round(leader_lower(problem, 1e6)), round(fb.theory.regret_lower(problem, 1e6))
    (1445, 1037)
    >>> round(leader_lower(fb.environments.identical_gap(16, 0.7), 1e6))
    252
    """
    log_t = np.log(rounds(t))
    total = 0.0

    if _leaders_suffice(environment):
        for l in modules(environment):
            total += float(_paid_alone(environment, l).sum())

    bound = total * log_t
    return float(bound) if bound.ndim == 0 else bound


def _paid_alone(environment: Environment, l: int) -> Floats:
    """Per level of factor l, loss over divergence where all other factors play their best."""
    best = environment.best
    alone = [changed(best, l, level) for level in range(environment.sizes[l])]
    means = np.array([environment.mean(action) for action in alone])
    losses = np.array([environment.regret(action) for action in alone])

    of_best = np.full(len(means), environment.mean(best))
    rates = decided(environment) * divergence(environment)(means, of_best)
    costs = losses > 0.0
    paid = np.zeros(len(losses))
    # certain rewards tell a level apart at once, an equal mean never does
    paid[costs] = [
        math.inf if rate == 0.0 else loss / rate
        for loss, rate in zip(losses[costs], rates[costs], strict=True)
    ]
    return paid


def _leaders_suffice(environment: Environment) -> bool:
    """Whether every other combination is improved by changing one factor; no arm beats the best."""
    seen = view(environment)
    best = environment.best

    if environment.kind == "duel":
        against_best = [environment.mean((best[0], arm)) for arm in range(environment.sizes[0])]
        return min(against_best) >= 0.5 - TOLERANCE
    if identifiability(environment).holds:
        return True
    if not isinstance(seen, Means) and math.prod(environment.sizes) > LARGEST_TABLE:
        return False  # a formula: two best levels of a factor, or a level that makes all others 0

    means = seen.table().means
    improved = np.zeros(means.shape, dtype=np.bool_)
    for l in range(means.ndim):
        improved |= means.max(axis=l, keepdims=True) > means + ROUNDING
    improved[best] = True
    return bool(improved.all())
