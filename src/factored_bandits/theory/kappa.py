"""kappa: how much worse a combination can be than the gaps of its levels say (Section 2.1)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.environments import Environment
from factored_bandits.environments.structure import LOGISTIC

from .gaps import gaps
from .views import Effects, Means, changed, decided, view


class Kappa(NamedTuple):
    """The constant kappa, and a combination where it is attained.

    Attributes
    ----------
    value
        The constant, at least 1; infinite if the problem is not uniformly identifiable.
    combination
        Where it is attained; the best combination if there is no other. If the constant is
        infinite, the best combination with a level in it that has no positive gap.
    """

    value: float
    combination: tuple[int, ...]


def kappa(environment: Environment) -> Kappa:
    """Compute the smallest constant with mu(a*) - mu(a) <= kappa * (sum of the gaps of a's levels).

    The inequality holds for every combination a. The constant is at least 1, by
    equation (2) of the paper; 1 for sums; infinite if the problem is not uniformly identifiable.
    For duels, where the paper needs none: the smallest constant with
    P(a* beats a) - 1/2 <= kappa * gap(a), without ties.

    Where a combination loses at most what its levels lose, each alone among best ones, one wrong
    level at a time attains it: loss(a) <= sum loss_l(a_l) <= kappa * sum gap_l(a_l). That is so for
    sums (equal), for products (1 - prod r_l <= sum (1 - r_l)), and for logistic sums whose best
    mean is at most 1/2 (there the logistic function is convex, so the loss is concave in the sum of
    effects). Elsewhere all combinations are looked at, up to 10^7.

    Parameters
    ----------
    environment
        The problem.

    Returns
    -------
    Kappa
        The constant, and a combination where it is attained.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> fb.theory.kappa(fb.environments.make("rank1", factors=[[0.75, 0.5, 0.25], [0.5, 0.125]]))
    Kappa(value=4.0, combination=(1, 0))
    >>> fb.theory.kappa(fb.environments.make("trap")).value
    1.0
    """
    sizes = gaps(environment)
    for l, gap in enumerate(sizes):
        for i in range(len(gap)):
            if i != environment.best[l] and gap[i] <= 0.0:
                return Kappa(math.inf, changed(environment.best, l, i))

    if environment.kind == "duel":
        return _of_duel(environment, sizes[0] / decided(environment))
    seen = view(environment)
    if isinstance(seen, Effects):
        convex = environment.mean(environment.best) <= 0.5
        if seen.combine != LOGISTIC or convex:
            return _one_at_a_time(seen)

    return _over_all(seen.table(), sizes)


def _one_at_a_time(seen: Effects) -> Kappa:
    found = []
    for l, best in enumerate(seen.best):
        losses = seen.losses_alone(l)
        gap = seen.gaps(l)[0]
        found += [
            Kappa(float(losses[i] / gap[i]), changed(seen.best, l, i))
            for i in range(len(gap))
            if i != best
        ]

    return max(found, key=lambda one: one.value, default=Kappa(1.0, seen.best))


def _over_all(seen: Means, sizes: list[Floats]) -> Kappa:
    if seen.means.size == 1:
        return Kappa(1.0, seen.best)
    losses = seen.means[seen.best] - seen.means
    total = np.zeros(seen.means.shape)
    for l, gap in enumerate(sizes):
        total += gap.reshape([-1 if k == l else 1 for k in range(len(sizes))])
    total[seen.best] = 1.0  # where nothing is lost
    ratios = np.divide(losses, total, out=losses)
    where = tuple(int(i) for i in np.unravel_index(int(ratios.argmax()), ratios.shape))
    return Kappa(float(ratios[where]), where)


def _of_duel(environment: Environment, gap: Floats) -> Kappa:
    best = environment.best[0]
    found = [
        Kappa((environment.mean((best, a)) - 0.5) / float(gap[a]), (a, a))
        for a in range(len(gap))
        if a != best
    ]
    return max(found, key=lambda one: one.value)
