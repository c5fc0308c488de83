"""`Log`: what was played, what came of it, and with which probability it had been chosen."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.errors import InvalidInputError

Label = str | int | float | bool | None


@dataclass(frozen=True, eq=False)
class Log:
    """Decisions of the past with their rewards, oldest first; made by `load_log`.

    Attributes
    ----------
    factors
        The levels of each factor.
    actions
        (rows, factors) the index of the level that was played.
    rewards
        (rows,) what came of it.
    reward_range
        What rewards can be at all, (low, high).
    propensities
        (rows, factors) the probability that each level had, given everything before; None if it is
        not known.
    joint
        (rows,) the probability that the combination had; None if it is not known.
    times
        The column of times as it was given, in order; None if there was none.
    blocks
        (rows,) which rows were planned together, by a number; propensities are then those before
        the first of them. None if every row was drawn anew.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> rows = [{"ad": "A", "clicked": 0, "p": 0.5}, {"ad": "B", "clicked": 1, "p": 0.5}]
    >>> log = fb.load_log(rows, factors=["ad"], reward="clicked", propensity="p")
    >>> log
    Log(2 rows, ad: 2 levels, mean reward 0.5, with propensities)
    >>> log.actions.tolist(), log.joint.tolist()
    ([[0], [1]], [0.5, 0.5])
    """

    factors: dict[str, tuple[Label, ...]]
    actions: Ints
    rewards: Floats
    reward_range: tuple[float, float] = (0.0, 1.0)
    propensities: Floats | None = None
    joint: Floats | None = None
    times: tuple[Any, ...] | None = None
    blocks: Ints | None = None

    def __len__(self) -> int:
        return len(self.rewards)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}: {len(levels)} levels" for name, levels in self.factors.items())
        known = "no propensities" if self.joint is None else "with propensities"
        mean = self.rewards.mean() if len(self) else float("nan")
        return f"Log({len(self):,} rows, {sizes}, mean reward {mean:.4g}, {known})"

    @property
    def sizes(self) -> Ints:
        """The number of levels of each factor."""
        return np.array([len(levels) for levels in self.factors.values()], dtype=np.int64)

    @property
    def shares(self) -> Floats:
        """The rewards as shares of their range, from 0 to 1."""
        low, high = self.reward_range
        return (self.rewards - low) / (high - low)

    def head(self, rows: int) -> Log:
        """Give the oldest rows, as a log of their own.

        Parameters
        ----------
        rows
            How many.

        Returns
        -------
        Log
            All of it, if there are not so many.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> rows = [{"ad": "A", "clicked": 0}, {"ad": "B", "clicked": 1}]
        >>> fb.load_log(rows, factors=["ad"], reward="clicked").head(1)
        Log(1 rows, ad: 2 levels, mean reward 0, no propensities)
        """
        return self.some(slice(0, rows))

    def some(self, rows: Any) -> Log:
        """Give some rows, as a log of their own.

        Parameters
        ----------
        rows
            A slice, or a flag for each row.

        Returns
        -------
        Log
            In the same order.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> rows = [{"ad": "A", "clicked": 0}, {"ad": "B", "clicked": 1}]
        >>> fb.load_log(rows, factors=["ad"], reward="clicked").some([False, True])
        Log(1 rows, ad: 2 levels, mean reward 1, no propensities)
        """
        chosen = np.arange(len(self))[rows]
        return dataclasses.replace(
            self,
            actions=self.actions[chosen],
            rewards=self.rewards[chosen],
            propensities=None if self.propensities is None else self.propensities[chosen],
            joint=None if self.joint is None else self.joint[chosen],
            times=None if self.times is None else tuple(self.times[i] for i in chosen),
            blocks=None if self.blocks is None else self.blocks[chosen],
        )

    def levels(self, row: int) -> dict[str, Label]:
        """Give the levels of a row by name.

        Parameters
        ----------
        row
            Counted from 0.

        Returns
        -------
        dict
            A level per factor.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> fb.load_log([{"ad": "B", "clicked": 1}], factors=["ad"], reward="clicked").levels(0)
        {'ad': 'B'}
        """
        action = self.actions[row].tolist()
        return {
            name: levels[i] for (name, levels), i in zip(self.factors.items(), action, strict=True)
        }

    def known_joint(self, purpose: str) -> Floats:
        """Give the probabilities of the combinations, or an error that says what needs them.

        Parameters
        ----------
        purpose
            What needs them.

        Returns
        -------
        array
            One per row.

        Raises
        ------
        InvalidInputError
            If they are not known.
        """
        if self.joint is None:
            raise InvalidInputError(
                f"{purpose} needs to know with which probability each row was chosen: "
                "fb.load_log(..., propensity=...)"
            )
        return self.joint
