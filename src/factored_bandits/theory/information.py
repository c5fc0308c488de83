"""How much one play can tell: the divergence of a level from one as good as the best, where it is
largest.
"""

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
    """Per level of factor l, the most that one play can tell it from a level as good as the best;
    infinite at the best.

    Exact; for logistic sums with more than 10^7 combinations, at most a little too large (company
    is then taken as if it could have any value between its extremes).
    """
    divergence = _divergence(environment)
    seen = view(environment)
    small = math.prod(environment.sizes) <= LARGEST_TABLE

    if isinstance(seen, Effects) and (
        environment.kind == "duel" or (seen.combine == LOGISTIC and small)
    ):
        seen = seen.table()

    if isinstance(seen, Effects):
        rates = _of_effects(seen, l, divergence)
    else:
        rates = _of_table(seen, l, divergence, itself=environment.kind != "duel")

    rates[environment.best[l]] = math.inf
    return decided(environment) * rates


def _of_table(seen: Means, l: int, divergence: Divergence, itself: bool) -> Floats:
    """`itself`: whether company i says something of level i; an arm that meets itself says nothing."""
    rows = seen.rows(l)
    rates = [divergence(row, rows[seen.best[l]]) for row in rows]
    return np.array(
        [(rate if itself else np.delete(rate, i)).max() for i, rate in enumerate(rates)]
    )


def _of_effects(seen: Effects, l: int, divergence: Divergence) -> Floats:
    """Divergences are jointly convex: along products and sums they are largest at an extreme of the
    company.
    """
    low, high = seen.context(l)
    own = seen.effects[l]
    best = seen.effects[l][seen.best[l]]
    places = [np.full(len(own), low), np.full(len(own), high)]
    if seen.combine == LOGISTIC:
        places += [np.clip(peak, low, high) for peak in _peaks(own, best)]
    rates = [
        divergence(seen.mean(own, place), seen.mean(np.full(len(own), best), place))
        for place in places
    ]
    return np.asarray(np.max(rates, axis=0))


def _peaks(own: Floats, best: float) -> list[Floats]:
    """Company in which levels of a logistic sum are told apart best: with Gaussian noise, with
    Bernoulli noise.

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


def _divergence(environment: Environment) -> Divergence:
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
    """The KL divergence between coins, of arrays.

    >>> bernoulli(np.array([0.2, 0.5]), np.array([0.5, 0.5])).round(4).tolist()
    [0.1927, 0.0]
    """
    return np.asarray(
        np.vectorize(kl, otypes=[np.float64])(np.clip(p, 0.0, 1.0), np.clip(q, 0.0, 1.0))
    )
