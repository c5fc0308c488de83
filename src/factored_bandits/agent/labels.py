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

    @property
    def sizes(self) -> Ints:
        """The number of levels in each column, in an array of its own."""
        return np.array([len(levels) for levels in self.levels], dtype=np.int64)

    @property
    def factor_names(self) -> tuple[str, ...]:
        """The names of what is chosen: those of the columns, or ("arm",) for duels.

        >>> labels({"ad": ["A", "B"]}, None).factor_names, labels(None, ["A", "B"]).factor_names
        (('ad',), ('arm',))
        """
        return ("arm",) if self.kind == "duel" else self.names

    def named(self, action: Sequence[int]) -> dict[str, Label]:
        """The labels of an action."""
        return {
            name: levels[i] for name, levels, i in zip(self.names, self.levels, action, strict=True)
        }

    def document(self) -> dict[str, Any]:
        """The arguments of `labels`, as JSON can hold them."""
        if self.kind == "duel":
            return {"factors": None, "arms": list(self.levels[0])}
        return {
            "factors": {n: list(v) for n, v in zip(self.names, self.levels, strict=True)},
            "arms": None,
        }


def labels(factors: Mapping[str, Sequence[Label]] | None, arms: Sequence[Label] | None) -> Labels:
    """Labels of a factored problem or of duels, checked.

    >>> labels(None, ["draft A", "draft B"]).sizes
    array([2, 2])
    """
    if (factors is None) == (arms is None):
        given = "neither" if factors is None else "both"
        raise InvalidInputError(
            "give either factors={name: [levels]} (choose one level of each) or arms=[...] "
            f"(compare two at a time), not {given}"
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
    return Labels("factored", tuple(factors), levels)


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
