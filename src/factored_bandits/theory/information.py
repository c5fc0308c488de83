"""How much one play can tell: the largest divergence of a level from one as good as the best."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.numerics import kl
from factored_bandits.environments import Environment
from factored_bandits.environments import structure as _factored
from factored_bandits.environments.structure import GAUSSIAN, LOGISTIC
from factored_bandits.errors import InvalidInputError

from .views import LARGEST_TABLE, Effects, Means, decided, view

Divergence = Callable[[Floats, Floats], Floats]


def information(environment: Environment, l: int) -> Floats:
    """Per level of factor l, the most that one play can tell it from a level as good as the best.

    Infinite at the best level. Exact; for logistic sums with more than 10^7 combinations it may be
    a little too large, since the other factors are then treated as if their sum could have any
    value between its extremes.
    """
    between = divergence(environment)
    seen = view(environment)
    small = math.prod(environment.sizes) <= LARGEST_TABLE

    if isinstance(seen, Effects):
        # the extremes are not enough: an arm does not meet itself; a logistic sum peaks between
        logistic = seen.combine == LOGISTIC and small
        if environment.kind == "duel" or logistic:
            seen = seen.table()

    if isinstance(seen, Effects):
        rates = _of_effects(seen, l, between)
    else:
        rates = _of_table(seen, l, between, itself=environment.kind != "duel")

    rates[environment.best[l]] = math.inf
    return decided(environment) * rates


def _of_table(seen: Means, l: int, divergence: Divergence, itself: bool) -> Floats:
    """By table; `itself`: whether column i tells something of level i, as it does not in duels."""
    rows = seen.rows(l)
    rates = [divergence(row, rows[seen.best[l]]) for row in rows]
    return np.array(
        [(rate if itself else np.delete(rate, i)).max() for i, rate in enumerate(rates)]
    )


def _of_effects(seen: Effects, l: int, divergence: Divergence) -> Floats:
    """By formula: divergences are jointly convex, so the largest of a product or sum is extreme."""
    low, high = seen.context(l)
    own = seen.effects[l]
    best = seen.effects[l][seen.best[l]]
    contexts = [np.full(len(own), low), np.full(len(own), high)]
    if seen.combine == LOGISTIC:
        contexts += [np.clip(peak, low, high) for peak in _peaks(own, best)]

    rates = []
    for context in contexts:
        mean_of_best = seen.mean(np.full(len(own), best), context)
        rates.append(divergence(seen.mean(own, context), mean_of_best))
    return np.asarray(np.max(rates, axis=0))


def _peaks(own: Floats, best: float) -> list[Floats]:
    """Contexts in which levels of a logistic sum differ most: Gaussian noise, Bernoulli noise.

    Bernoulli: with d = best - own, E = e^d, u = e^(own + x), the derivative of kl(sigma(own + x),
    sigma(best + x)) in x has the sign of (E - 1)(1 + u) / (1 + u E) - d, which falls in u and is
    zero at u = (E - 1 - d) / (d E - E + 1).
    """
    distance = best - own
    safe = np.where(distance > 1e-3, distance, 1.0)
    shrunk = np.exp(-safe)
    odds = (1.0 - shrunk - safe * shrunk) / (safe - 1.0 + shrunk)
    log_odds = np.where(distance > 1e-3, np.log(odds), -distance / 3.0)
    return [-0.5 * (own + best), log_odds - own]


def noise_is_known(environment: Environment) -> bool:
    """Whether the distribution of rewards about their means is known here.

    >>> import factored_bandits as fb
    >>> noise_is_known(fb.environments.spiked(4))
    True
    """
    return environment.kind == "duel" or environment.module is _factored


def divergence(environment: Environment) -> Divergence:
    """The divergence between rewards with two means, of arrays.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.make("additive", effects=[[0.0, -0.5]], noise="gaussian")
    >>> divergence(problem)(np.array([0.5]), np.array([0.0])).tolist()
    [0.125]
    """
    if environment.kind == "duel":
        return bernoulli
    if not noise_is_known(environment):
        raise InvalidInputError(
            f"the noise of {environment} is not known here, and without it there is no lower bound"
        )

    if environment.data.noise == GAUSSIAN:
        sigma = environment.data.sigma
        return lambda p, q: np.asarray((p - q) ** 2 / (2.0 * sigma**2))

    return bernoulli


def bernoulli(p: Floats, q: Floats) -> Floats:
    """The KL divergence between Bernoulli distributions, of arrays.

    >>> bernoulli(np.array([0.2, 0.5]), np.array([0.5, 0.5])).round(4).tolist()
    [0.1927, 0.0]
    """
    divergences = np.vectorize(kl, otypes=[np.float64])
    return np.asarray(divergences(np.clip(p, 0.0, 1.0), np.clip(q, 0.0, 1.0)))
