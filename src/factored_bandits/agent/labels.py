"""What the user calls the things to choose: factors with their levels, or the arms of duels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError

Label = str | int | float | bool | None  # what survives a dump
POSITIONS = ("first", "second")


@dataclass(frozen=True)
class Labels:
    """The names of the columns of an action and of the levels in each; made by `labels`.

    >>> labels({"ad": ["A", "B"], "position": ["top", "side"]}, None).named([1, 0])
    {'ad': 'B', 'position': 'top'}
    """

    kind: Literal["factored", "duel"]
    names: tuple[str, ...]
    levels: tuple[tuple[Label, ...], ...]
    # of duels of combinations: their factors, each of which has a column per side
    factors: tuple[str, ...] = ()

    @property
    def sizes(self) -> Ints:
        """The number of levels in each column, in an array of its own."""
        return np.array([len(levels) for levels in self.levels], dtype=np.int64)

    @property
    def factor_names(self) -> tuple[str, ...]:
        """The names of what is chosen: the factors, or ("arm",) for duels of arms.

        >>> labels({"ad": ["A", "B"]}, None).factor_names, labels(None, ["A", "B"]).factor_names
        (('ad',), ('arm',))
        """
        if self.factors:
            return self.factors
        return ("arm",) if self.kind == "duel" else self.names

    def named(self, action: Sequence[int]) -> dict[str, Any]:
        """The labels of an action; of duels of combinations, a dict for each side.

        >>> labels({"ad": ["A", "B"], "size": [1, 2]}, None, duels=True).named([0, 1, 1, 1])
        {'first': {'ad': 'A', 'size': 2}, 'second': {'ad': 'B', 'size': 2}}
        """
        if not self.factors:
            columns = zip(self.names, self.levels, action, strict=True)
            return {name: levels[i] for name, levels, i in columns}

        found = [levels[i] for levels, i in zip(self.levels, action, strict=True)]
        sides = (found[: len(self.factors)], found[len(self.factors) :])
        return {
            position: dict(zip(self.factors, side, strict=True))
            for position, side in zip(POSITIONS, sides, strict=True)
        }

    def same_twice(self, action: Sequence[int]) -> bool:
        """Whether both sides of a duel are the same."""
        half = len(action) // 2
        return self.kind == "duel" and tuple(action[:half]) == tuple(action[half:])

    def document(self) -> dict[str, Any]:
        """The arguments of `labels`, as JSON can hold them."""
        if self.kind == "duel" and not self.factors:
            return {"factors": None, "arms": list(self.levels[0])}

        names = self.factor_names
        levels = self.levels[: len(names)]
        duels = {"duels": True} if self.factors else {}
        return {
            "factors": {n: list(v) for n, v in zip(names, levels, strict=True)},
            "arms": None,
            **duels,
        }


def labels(
    factors: Mapping[str, Sequence[Label]] | None,
    arms: Sequence[Label] | None,
    duels: bool = False,
) -> Labels:
    """Labels of a factored problem, of duels of arms, or of duels of combinations, checked.

    >>> labels(None, ["draft A", "draft B"]).sizes
    array([2, 2])
    """
    if (factors is None) == (arms is None):
        given = "neither" if factors is None else "both"
        raise InvalidInputError(
            "give either factors={name: [levels]} (choose one level of each) or arms=[...] "
            f"(compare two at a time), not {given}"
        )
    if duels and arms is not None:
        raise InvalidInputError(
            "duels=True compares two combinations of factors at a time; arms are compared anyway"
        )

    if arms is not None:
        checked = _levels("arms", arms)
        if len(checked) < 2:
            raise InvalidInputError(
                f"arms must be at least two, there is nothing to compare among {list(checked)!r}"
            )
        return Labels("duel", POSITIONS, (checked, checked))

    if not isinstance(factors, Mapping) or not factors:
        raise InvalidInputError(
            f"factors must be a dict with a list of levels for at least one factor, not "
            f"{shown(factors)}"
        )

    for name in factors:
        if not isinstance(name, str):
            raise InvalidInputError(f"the names of factors must be strings, not {name!r}")

    levels = tuple(_levels(f"factor {name!r}", given) for name, given in factors.items())
    if duels:
        return _of_combinations(tuple(factors), levels)
    return Labels("factored", tuple(factors), levels)


def _of_combinations(factors: tuple[str, ...], levels: tuple[tuple[Label, ...], ...]) -> Labels:
    """Duels of combinations; a single factor has levels that are arms."""
    if len(factors) < 2:
        raise InvalidInputError(
            "duels=True needs at least two factors; of a single one the levels are arms: give "
            "arms=[...]"
        )
    if max(map(len, levels)) < 2:
        raise InvalidInputError("there is nothing to compare: every factor has a single level")
    columns = tuple(f"{position} {name}" for position in POSITIONS for name in factors)
    return Labels("duel", columns, (*levels, *levels), factors)


def _levels(what: str, given: Any) -> tuple[Label, ...]:
    # Anything in order will do, such as a column of a data frame; sets and tables are not.
    unordered = isinstance(given, (str, bytes, Mapping, Set)) or not isinstance(given, Iterable)
    if unordered or len(getattr(given, "shape", (1,))) != 1:
        raise InvalidInputError(f"{what} must be a list of labels, not {shown(given)}")
    found: dict[Any, None] = {}
    for item in given:
        label = item.item() if isinstance(item, np.generic) else item
        finite = not isinstance(label, float) or math.isfinite(label)
        if not finite or not (label is None or isinstance(label, (str, int, float))):
            raise InvalidInputError(
                f"{what}: a label must be a string or a finite number, not {item!r}"
            )
        if label in found:
            raise InvalidInputError(f"{what}: the label {label!r} stands there twice")
        found[label] = None

    if not found:
        raise InvalidInputError(f"{what} is empty; give at least one label")
    return tuple(found)
