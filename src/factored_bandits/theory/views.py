"""A problem as the theory sees it: how far the best level of a factor leads each other one.

The lead depends on the paper's reference set b, one level of every other factor. Two views:
`Effects`, where levels combine by a formula and only the two extremes of the others' value (here
the *context*) matter, and `Means`, a table of all means.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.environments import Environment
from factored_bandits.environments import preferences as _duel
from factored_bandits.environments import structure as _factored
from factored_bandits.environments.structure import LOGISTIC, PRODUCT, SUM
from factored_bandits.errors import InvalidInputError

LARGEST_TABLE = 10_000_000  # cells
LARGEST_FOREIGN = 200_000  # combinations whose means are asked for one by one
ROUNDING = 1e-12  # smaller differences of two means in a table are not real


@dataclass(frozen=True)
class Effects:
    """Means by formula: effects of one level per factor, multiplied, added, or a logistic sum."""

    combine: int  # PRODUCT, SUM or LOGISTIC
    effects: list[Floats]  # per factor
    base: float  # added to sums
    best: tuple[int, ...]

    def context(self, l: int) -> tuple[float, float]:
        """The smallest and the largest value that the other factors together can have."""
        others = [effect for k, effect in enumerate(self.effects) if k != l]
        smallest = [float(effect.min()) for effect in others]
        largest = [float(effect.max()) for effect in others]
        if self.combine == PRODUCT:
            return math.prod(smallest), math.prod(largest)
        return self.base + sum(smallest), self.base + sum(largest)

    def mean(self, own: Floats, context: Floats) -> Floats:
        """The mean of levels with these effects, where the other factors have this value."""
        if self.combine == PRODUCT:
            return np.asarray(own * context)
        return np.asarray(own + context) if self.combine == SUM else sigmoid(own + context)

    def lead(self, l: int, context: Floats | float) -> Floats:
        """Mean of the best level of factor l minus mean of each level, in a context of that value.

        Digits are kept where both means are close to 0 or 1: sigma(a) - sigma(b) = sigma(a)
        sigma(-b) (1 - e^(b - a)).
        """
        own = self.effects[l]
        best = self.effects[l][self.best[l]]
        if self.combine == SUM:
            return np.asarray(best - own)
        if self.combine == PRODUCT:
            return np.asarray((best - own) * context)
        return np.asarray(sigmoid(best + context) * sigmoid(-own - context) * -np.expm1(own - best))

    def gaps(self, l: int) -> tuple[Floats, list[tuple[int, ...]]]:
        """The smallest lead over each level of factor l, and a combination where it is attained.

        A product grows with its context, a sum does not depend on it, and a difference of two
        logistic functions rises and then falls: the smallest lead is found at one of the two
        extremes.
        """
        low, high = (self.lead(l, value) for value in self.context(l))
        worst = tuple(int(effect.argmin()) for effect in self.effects)
        best = tuple(int(effect.argmax()) for effect in self.effects)
        where = [changed(worst if low[i] <= high[i] else best, l, i) for i in range(len(low))]
        return np.minimum(low, high), where

    def losses_alone(self, l: int) -> Floats:
        """What each level of factor l costs if all other factors play their best."""
        return self.lead(l, self.context(l)[1])

    def table(self) -> Means:
        """All means."""
        sizes = tuple(len(effect) for effect in self.effects)
        check_cells(sizes)
        means = np.full(sizes, 1.0 if self.combine == PRODUCT else self.base)
        for l, effect in enumerate(self.effects):
            along = effect.reshape([-1 if k == l else 1 for k in range(len(sizes))])
            means = means * along if self.combine == PRODUCT else means + along
        return Means(sigmoid(means) if self.combine == LOGISTIC else means, self.best)


@dataclass(frozen=True)
class Means:
    """Means by table, one axis per factor."""

    means: Floats
    best: tuple[int, ...]

    def rows(self, l: int) -> Floats:
        """The means with factor l along the rows, every reference set a column."""
        return np.moveaxis(self.means, l, 0).reshape(self.means.shape[l], -1)

    def gaps(self, l: int) -> tuple[Floats, list[tuple[int, ...]]]:
        """The smallest lead over each level of factor l, and a combination where it is attained."""
        rows = self.rows(l)
        leads = rows[self.best[l]] - rows
        columns = leads.argmin(axis=1)
        gaps = leads[np.arange(len(rows)), columns]
        others = [size for k, size in enumerate(self.means.shape) if k != l]
        where = []
        for i, column in enumerate(columns):
            context = [int(x) for x in np.unravel_index(column, others)] if others else []
            where.append((*context[:l], i, *context[l:]))
        return np.where(np.abs(gaps) < ROUNDING, 0.0, gaps), where

    def table(self) -> Means:
        """Return the view itself: it is a table already."""
        return self


View = Effects | Means


def view(environment: Environment) -> View:
    """How the theory sees a problem; a duel is two factors, the first of which has the module."""
    if not isinstance(environment, Environment):
        raise InvalidInputError(
            "environment must be made by fb.environments (make(...) or a generator), not "
            f"{environment!r}"
        )

    if environment.compares_combinations:
        raise InvalidInputError(
            f"{environment} compares two combinations of several factors; the theory is about "
            "duels of arms"
        )

    if not environment.stationary:
        raise InvalidInputError(
            f"the means of {environment} change over time; gaps and bounds need means that stay"
        )

    data = environment.data
    if environment.module is _factored and data.combine != _factored.TABLE:
        effects = [
            data.values[a:b] for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True)
        ]
        return Effects(data.combine, effects, data.base, environment.best)

    if environment.module is _factored:
        return Means(data.table.reshape(environment.sizes), environment.best)
    if environment.module is _duel and data.link == _duel.LINEAR:  # (1 + u(a) - u(b)) / 2
        return Effects(SUM, [0.5 * data.utilities, -0.5 * data.utilities], 0.5, environment.best)
    if environment.module is _duel and data.link == _duel.LOGISTIC:
        return Effects(LOGISTIC, [data.utilities, -data.utilities], 0.0, environment.best)
    if environment.module is _duel:
        return Means(data.preferences.reshape(environment.sizes), environment.best)
    check_cells(environment.sizes, LARGEST_FOREIGN)
    means = [environment.mean(action) for action in np.ndindex(*environment.sizes)]
    return Means(np.reshape(means, environment.sizes), environment.best)


def modules(environment: Environment) -> range:
    """The factors that have a module of their own: all, or the first position of a duel."""
    return range(len(environment.factor_sizes))


def decided(environment: Environment) -> float:
    """The share of rounds that tell something: in duels, those that are no tie.

    >>> import factored_bandits as fb
    >>> decided(fb.environments.make("duel_utility", utilities=[1.0, 0.0], tie=0.25))
    0.75
    """
    return 1.0 - float(environment.data.tie) if environment.module is _duel else 1.0


def check_cells(sizes: tuple[int, ...], limit: int = LARGEST_TABLE) -> None:
    """Refuse a table that is too large."""
    cells = math.prod(sizes)
    if cells > limit:
        shape = " x ".join(map(str, sizes))
        raise InvalidInputError(
            f"this needs the mean of every combination: {shape} = {cells:.3g}, more than {limit:,}"
        )


def sigmoid(x: Floats | float) -> Floats:
    """The logistic function.

    >>> round(float(sigmoid(0.0)), 3)
    0.5
    """
    return np.asarray(1.0 / (1.0 + np.exp(-np.asarray(x, dtype=np.float64))))


def changed(combination: tuple[int, ...], l: int, level: int) -> tuple[int, ...]:
    """The combination with another level of factor l.

    >>> changed((0, 0, 0), 1, 7)
    (0, 7, 0)
    """
    return (*combination[:l], level, *combination[l + 1 :])
