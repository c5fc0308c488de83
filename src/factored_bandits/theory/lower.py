"""Lower bounds: what every algorithm must pay in the long run.

Section 4.4 of the paper, after Lai & Robbins (1985). An algorithm that does well on every uniformly
identifiable problem must play a level often enough to tell the problem from the one in which that
level is a little better than the best one, with every reference set. (There it is uniformly best,
and so are the best levels of the other factors.) Plays of level a with reference set b tell the two
apart at the rate d(mu(a, b), mu(a*, b)), d being the divergence of the noise; so
E N(a) >= log t / max over b of d, asymptotically. With equation (2) the regret is at least the sum
of gap(a) E N(a). For sums with Gaussian noise this is the paper's bound, 2 / gap for each level.
Algorithms that know more of the problem (a product, say) may do with less.

That sum is loose: no play has the smallest lead of one context and the largest divergence of
another. `leader_lower` takes both in one context, the best levels of all other factors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.environments import Environment
from factored_bandits.environments.checks import TOLERANCE
from factored_bandits.errors import InvalidInputError

from .confidence import rounds
from .gaps import gaps, identifiability
from .information import bernoulli, information
from .upper import duel_losses
from .views import decided, modules, view


def pulls_lower(environment: Environment, t: Any) -> list[Floats]:
    """Compute the pulls of each level that a consistent algorithm needs by round t.

    The bound is asymptotic, for t to infinity.

    Parameters
    ----------
    environment
        The problem.
    t
        A round, or an array of rounds.

    Returns
    -------
    list of arrays
        One array (..., levels) per factor; 0 at the best levels, and everywhere if the problem is
        not uniformly identifiable: the bound speaks of those only. For duels plays per position,
        half of those in both positions.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.make("additive", effects=[[0.0, -0.5, -0.1]], noise="gaussian")
    >>> pulls_lower(problem, 1_000_000)[0].round(1).tolist()  # 2 log t / gap^2
    [0.0, 110.5, 2763.1]
    """
    log_t = np.log(rounds(t))[..., None]
    if not identifiability(environment).holds:
        return [0.0 * log_t * np.ones(environment.sizes[l]) for l in modules(environment)]
    positions = 2.0 if environment.kind == "duel" else 1.0
    return [log_t / (positions * information(environment, l)) for l in modules(environment)]


def regret_lower(environment: Environment, t: Any) -> Any:
    """Compute the regret that a consistent algorithm has by round t, for t to infinity.

    Parameters
    ----------
    environment
        The problem.
    t
        A round, or an array of rounds.

    Returns
    -------
    float or array
        The regret, in the unit of the problem.

    Notes
    -----
    It is loose unless leads and divergences are the same in every context, as in sums with Gaussian
    noise: a level pays its gap, the smallest lead over it, for what a play tells where it tells
    most. `leader_lower` is the closer reference.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> effects = [[0.0, -0.5], [0.0, -0.1]]
    >>> problem = fb.environments.make("additive", effects=effects, noise="gaussian")
    >>> round(float(regret_lower(problem, 1_000_000) / np.log(1_000_000)), 6)  # 2 / 0.5 + 2 / 0.1
    24.0
    """
    pulls = pulls_lower(environment, t)
    total = np.zeros(pulls[0].shape[:-1])
    for number, cost in zip(pulls, _costs(environment), strict=True):
        total = total + (number * cost).sum(axis=-1)
    return float(total) if total.ndim == 0 else total


def condorcet_lower(environment: Environment, t: Any) -> Any:
    """Compute the regret by round t of algorithms for all duels with a Condorcet winner.

    Komiyama et al. (2015): such an algorithm must find for every arm a superior. The bound is the
    sum over i of the least (loss_i + loss_j) / (2 kl(p_ij, 1/2)) over the j that beat i, times
    log t. It is never below `regret_lower`, which holds for algorithms that work for utilities
    only.

    Parameters
    ----------
    environment
        A problem of duels.
    t
        A round, or an array of rounds.

    Returns
    -------
    float or array
        The regret, in the unit of the problem and the shape of `t`.

    Raises
    ------
    InvalidInputError
        If the problem is not one of duels, if no arm is unbeaten, or if a round is below 1.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.identical_gap(16, 0.7)
    >>> round(condorcet_lower(problem, 1e6)), round(regret_lower(problem, 1e6))
    (252, 238)
    """
    if environment.kind != "duel":
        raise InvalidInputError(
            f"{environment} is not a duel; regret_lower is the bound for factored problems"
        )

    matrix = view(environment).table().means
    losses = _costs(environment)[0]

    if (matrix[environment.best[0]] < 0.5 - TOLERANCE).any():
        raise InvalidInputError(
            f"{environment} has no arm that nobody beats, and the bound is for problems with one"
        )

    total = 0.0
    for arm, row in enumerate(matrix):
        superior = row < 0.5 - TOLERANCE
        if superior.any():
            even = np.full(int(superior.sum()), 0.5)
            rates = decided(environment) * bernoulli(row[superior], even)
            total += float(((losses[arm] + losses[superior]) / (2.0 * rates)).min())

    bound = total * np.log(rounds(t))
    return float(bound) if bound.ndim == 0 else bound


def _costs(environment: Environment) -> list[Floats]:
    """What a pull of each level costs at least."""
    if environment.kind != "duel":
        return gaps(environment)
    if environment.unit == "weak":  # duels against the best arm are free
        return [np.zeros(environment.sizes[0])]
    return [duel_losses(environment)]
