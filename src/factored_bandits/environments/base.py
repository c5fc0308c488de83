"""An environment: the data of a reward model together with what everyone must know of it."""

from __future__ import annotations

import operator
import types
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class Environment:
    """A problem ready for `simulate`; made by `environments.make` or a generator.

    Attributes
    ----------
    name
        The name of the reward model.
    kind
        "factored", or "duel": whoever wants to know asks this, and never guesses.
    module
        Holds the kernels `sample`, `mean` and `regret`, and with `semi_bandit` also
        `sample_outcomes`. It may hold `sample_with_regret`, which is both at once and quicker.
    data
        The NamedTuple of arrays that the kernels read.
    sizes
        One number per column of an action; a duel has two columns over the same arms, and one of
        combinations of L factors 2 L: the levels of the first side, then those of the second.
    reward_range
        Between which numbers rewards lie; None for unbounded (1-sub-Gaussian) rewards.
    unit
        The unit of the regret.
    best
        The best action.
    params
        What `environments.make(name, **params)` makes the same problem of.
    stationary
        Whether the means stay the same over time.
    semi_bandit
        Whether the outcome of each factor can be observed beside the reward.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.make("rank1", factors=[[0.9, 0.5], [0.8, 0.2, 0.1]])
    >>> problem.sizes, problem.best
    ((2, 3), (0, 0))
    >>> round(problem.mean([1, 1]), 3), round(problem.regret([1, 1]), 3)
    (0.1, 0.62)
    """

    name: str
    kind: Literal["factored", "duel"]
    module: types.ModuleType
    data: Any
    sizes: tuple[int, ...]
    reward_range: tuple[float, float] | None
    unit: str
    best: tuple[int, ...]
    params: dict[str, Any] = field(default_factory=dict)
    stationary: bool = True
    semi_bandit: bool = False

    @property
    def factor_names(self) -> tuple[str, ...]:
        """What is chosen: the numbers of the factors, or ("arm",) in a duel of arms.

        >>> from factored_bandits.environments import identical_gap, spiked
        >>> identical_gap(16).factor_names, spiked(16).factor_names
        (('arm',), ('0', '1'))
        """
        if self.kind == "duel" and not self.compares_combinations:
            return ("arm",)
        return tuple(str(l) for l in range(len(self.factor_sizes)))

    @property
    def factor_sizes(self) -> tuple[int, ...]:
        """How many levels there are of each of `factor_names`; in a duel those of one side.

        >>> from factored_bandits.environments import identical_gap, spiked
        >>> identical_gap(16).factor_sizes, spiked(16).factor_sizes
        ((16,), (16, 16))
        """
        return self.sizes[: len(self.sizes) // 2] if self.kind == "duel" else self.sizes

    @property
    def compares_combinations(self) -> bool:
        """Whether it is a duel of two whole combinations of several factors.

        >>> from factored_bandits.environments import conjoint, identical_gap
        >>> identical_gap(16).compares_combinations, conjoint(4, 5).compares_combinations
        (False, True)
        """
        return self.kind == "duel" and len(self.sizes) > 2

    @property
    def own(self) -> bool:
        """Whether the module is from outside the library.

        >>> from factored_bandits.environments import spiked
        >>> spiked(16).own
        False
        """
        return not self.module.__name__.startswith(f"{__package__}.")

    def mean(self, action: Any) -> float:
        """The expected reward of an action; in a duel, the probability that the first arm wins.

        Parameters
        ----------
        action
            One level per factor, or the two arms of a duel; of two combinations all levels of
            the first, then those of the second.

        Returns
        -------
        The mean in the first round; it differs later if the problem is not stationary.

        Raises
        ------
        InvalidInputError
            If the action does not fit the problem.

        Examples
        --------
        >>> from factored_bandits.environments import identical_gap
        >>> identical_gap(16, 0.7).mean([0, 5])
        0.7
        """
        return float(self.module.mean(self.data, 1, self._action(action)))

    def regret(self, action: Any) -> float:
        """What one round with this action loses, in `unit`.

        Parameters
        ----------
        action
            One level per factor, or the two arms of a duel.

        Returns
        -------
        The regret in the first round, 0 for the best action.

        Raises
        ------
        InvalidInputError
            If the action does not fit the problem.

        Examples
        --------
        >>> from factored_bandits.environments import identical_gap
        >>> round(identical_gap(16, 0.7).regret([0, 5]), 9)
        0.1
        """
        return float(self.module.regret(self.data, 1, self._action(action)))

    def _action(self, action: Any) -> Ints:
        duel = self.kind == "duel" and not self.compares_combinations
        column = "position" if duel else "factor"
        column = "factor and side" if self.compares_combinations else column
        levels = "arms" if duel else "levels"

        try:
            chosen = [operator.index(level) for level in action]
        except TypeError:
            raise InvalidInputError(
                f"an action is a list of whole numbers, one per {column}, not {shown(action)}"
            ) from None

        if len(chosen) != len(self.sizes):
            raise InvalidInputError(
                f"an action of {self} has {len(self.sizes)} entries, one per {column}; "
                f"{shown(action)} "
                f"has {len(chosen)}"
            )

        for l, (level, size) in enumerate(zip(chosen, self.sizes, strict=True)):
            if not 0 <= level < size:
                raise InvalidInputError(
                    f"{column} {l} of {self} has the {levels} 0 to {size - 1}; "
                    f"{shown(action)} asks for "
                    f"{level}"
                )

        return np.array(chosen, dtype=np.int64)

    def __str__(self) -> str:
        if self.kind == "duel" and not self.compares_combinations:
            return f"{self.name} ({self.sizes[0]} arms)"
        return f"{self.name} ({' x '.join(map(str, self.factor_sizes))} levels)"
