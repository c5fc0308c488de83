"""A problem: an environment's data together with what everyone must know of it."""

from __future__ import annotations

import operator
import types
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class Environment:
    """An environment ready for `simulate`; made by `environments.make` or a generator.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.make("rank1", factors=[[0.9, 0.5], [0.8, 0.2, 0.1]])
    >>> problem.sizes, problem.best, round(problem.mean([1, 1]), 3), round(problem.regret([1, 1]), 3)
    ((2, 3), (0, 0), 0.1, 0.62)
    """

    name: str
    kind: Literal["factored", "duel"]
    module: types.ModuleType  # holds the kernels `sample` and `regret`
    data: Any  # the NamedTuple of arrays that they read
    sizes: tuple[int, ...]  # one per column of an action; a duel has two columns over the same arms
    reward_range: tuple[float, float] | None
    unit: str  # of the regret
    best: tuple[int, ...]
    params: dict[str, Any] = field(default_factory=dict)
    stationary: bool = True
    # whether `sample_outcomes` of the module gives the outcome of each factor beside the reward
    semi_bandit: bool = False

    def mean(self, action: Any) -> float:
        """The expected reward of an action (in a duel, the chance that the first arm wins)."""
        return float(self.module.mean(self.data, 1, self._action(action)))

    def regret(self, action: Any) -> float:
        """What one round with this action loses, in `unit`."""
        return float(self.module.regret(self.data, 1, self._action(action)))

    def _action(self, action: Any) -> Ints:
        column, levels = ("place", "arms") if self.kind == "duel" else ("factor", "levels")
        try:
            chosen = [operator.index(level) for level in action]
        except TypeError:
            raise InvalidInputError(
                f"an action is a list of whole numbers, one per {column}, not {action!r}"
            ) from None

        if len(chosen) != len(self.sizes):
            raise InvalidInputError(
                f"an action of {self} has {len(self.sizes)} entries, one per {column}; {action!r} "
                f"has {len(chosen)}"
            )

        for l, (level, size) in enumerate(zip(chosen, self.sizes, strict=True)):
            if not 0 <= level < size:
                raise InvalidInputError(
                    f"{column} {l} of {self} has the {levels} 0 to {size - 1}; {action!r} asks for "
                    f"{level}"
                )

        return np.array(chosen, dtype=np.int64)

    def __str__(self) -> str:
        shape = (
            f"{self.sizes[0]} arms"
            if self.kind == "duel"
            else " x ".join(map(str, self.sizes)) + " levels"
        )
        return f"{self.name} ({shape})"
