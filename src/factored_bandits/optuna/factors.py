"""Parameters of a study that become factors, and what their levels are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError

Label = str | int | float | bool | None


@dataclass(frozen=True)
class Factor:
    """A parameter with a list of values.

    >>> Factor("ad", ("A", ("B", 2))).labels
    ("'A'", "('B', 2)")
    """

    name: str
    levels: tuple[Any, ...]

    @property
    def labels(self) -> tuple[Label, ...]:
        """The levels as an agent takes them: values where it can, or else their `repr`."""
        plain = all(each is None or isinstance(each, (str, int, float)) for each in self.levels)
        finite = all(not isinstance(each, float) or math.isfinite(each) for each in self.levels)
        # 1.0 equals 1, so that both cannot be labels of one factor
        if plain and finite and len(set(self.levels)) == len(self.levels):
            return self.levels
        return tuple(map(repr, self.levels))


def from_search_space(given: Any) -> tuple[Factor, ...]:
    """The factors that the user lists; by values, or by a distribution with few of them.

    >>> from_search_space({"layers": [1, 2, 4], "rate": FloatDistribution(0.1, 0.3, step=0.1)})[1]
    Factor(name='rate', levels=(0.1, 0.2, 0.3))
    """
    if not isinstance(given, Mapping) or not given:
        raise InvalidInputError(
            "search_space must be a dict with the values of each parameter, such as "
            f"{{'layers': [1, 2, 4]}}, not {shown(given)}"
        )

    factors = []
    for name, values in given.items():
        if not isinstance(name, str):
            raise InvalidInputError(f"search_space: a name must be a string, not {name!r}")
        levels = _listed(name, values)
        if len(levels) > 1:  # Optuna asks no sampler for a parameter with a single value
            factors.append(Factor(name, levels))

    if not factors:
        raise InvalidInputError(
            "search_space has no parameter with two values or more: there is nothing to choose"
        )
    return tuple(factors)


def from_distributions(
    distributions: Mapping[str, BaseDistribution], max_levels: int
) -> tuple[Factor, ...]:
    """The parameters of a trial that have few values, in the order of their names.

    >>> from_distributions({"x": FloatDistribution(0, 1), "n": IntDistribution(1, 3)}, 20)
    (Factor(name='n', levels=(1, 2, 3)),)
    """
    found = []
    for name, distribution in sorted(distributions.items()):
        count = size(distribution)
        few = isinstance(distribution, CategoricalDistribution) or count <= max_levels
        if few and count > 1:
            found.append(Factor(name, values_of(distribution)))
    return tuple(found)


def size(distribution: BaseDistribution) -> float:
    """How many values a distribution has.

    >>> size(IntDistribution(0, 10, step=5)), size(FloatDistribution(0, 1))
    (3, inf)
    """
    if isinstance(distribution, CategoricalDistribution):
        return len(distribution.choices)
    if isinstance(distribution, IntDistribution):
        return (distribution.high - distribution.low) // distribution.step + 1
    if isinstance(distribution, FloatDistribution) and distribution.step is not None:
        return round((distribution.high - distribution.low) / distribution.step) + 1
    return 1 if distribution.single() else math.inf


def values_of(distribution: BaseDistribution) -> tuple[Any, ...]:
    """All values of a distribution that has finitely many."""
    if isinstance(distribution, CategoricalDistribution):
        return tuple(distribution.choices)
    if isinstance(distribution, IntDistribution):
        return tuple(range(distribution.low, distribution.high + 1, distribution.step))

    assert isinstance(distribution, FloatDistribution)
    if distribution.step is None:
        return (distribution.low,)
    # in decimals, as they were written: 0.1 + 2 * 0.1 is 0.3
    low = Decimal(str(distribution.low))
    step = Decimal(str(distribution.step))
    return tuple(float(low + i * step) for i in range(int(size(distribution))))


def fits(distribution: BaseDistribution, value: Any) -> bool:
    """Whether a parameter with this distribution can have the value.

    >>> fits(IntDistribution(0, 3), 4), fits(CategoricalDistribution(["A", "B"]), "B")
    (False, True)
    """
    try:
        return bool(distribution._contains(distribution.to_internal_repr(value)))
    except (ValueError, TypeError):
        return False


def same(value: Any, level: Any) -> bool:
    """Whether a parameter has the value of a level; a database may have rounded it.

    >>> same(0.30000000000000004, 0.3), same(1, "1"), same(float("nan"), float("nan"))
    (True, False, True)
    """
    numbers = isinstance(value, float) and isinstance(level, (int, float))
    if numbers and math.isnan(value):
        return math.isnan(level)
    if numbers and not isinstance(level, bool):
        return math.isclose(value, level, rel_tol=1e-9, abs_tol=1e-12)
    return bool(value == level)


def _listed(name: str, values: Any) -> tuple[Any, ...]:
    if isinstance(values, BaseDistribution):
        if size(values) == math.inf:
            raise InvalidInputError(
                f"search_space: {name!r} has no finite number of values ({values}). Give a list of "
                "values, or leave it out: then independent_sampler draws it"
            )
        return values_of(values)

    unordered = isinstance(values, (str, bytes, Mapping, Set)) or not isinstance(values, Iterable)
    if unordered:
        raise InvalidInputError(
            f"search_space: {name!r} must be a list of values or a distribution, not "
            f"{shown(values)}"
        )

    levels = tuple(each.item() if isinstance(each, np.generic) else each for each in values)
    for i, level in enumerate(levels):
        if any(type(level) is type(other) and same(level, other) for other in levels[:i]):
            raise InvalidInputError(f"search_space: {name!r} has the value {level!r} twice")
    if not levels:
        raise InvalidInputError(f"search_space: {name!r} is empty; give at least one value")
    return levels
