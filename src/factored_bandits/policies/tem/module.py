"""TEM as an object, to be held beside Algorithm 3: the very kernels that the simulator compiles.

>>> import numpy as np
>>> import factored_bandits as fb
>>> rng, tem = np.random.default_rng(0), fb.TEM(3)
>>> for phase in range(400):
...     active = tem.active_set(delta=0.01)
...     arms = tem.schedule(len(active), rng)
...     tem.feedback(arms, np.where(arms == 2, 0.9, -0.1) + 0.1 * rng.uniform(-1, 1, len(arms)))
>>> tem.active, bool(tem.N[0, 2] < 400)
(array([2]), True)
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.checks import integer
from factored_bandits.errors import InvalidInputError, RewardOutOfRangeError

from . import active_set, phase
from .bounds import BOUNDS
from .state import OUTSIDE_B, new_state, pair

# 1 / f(1) is 1.04, so delta may exceed 1; below 2 every logarithm in the bound is positive
LARGEST_DELTA = 2.0


class TEM:
    """A Temporary Elimination Module over arms 0 .. size - 1 (Algorithm 3).

    Parameters
    ----------
    size
        The number of arms, K.
    bound
        The confidence bound that eliminates arms: the paper's, or a sharper one for rewards in
        [-1, 1].

    Raises
    ------
    InvalidInputError
        If `size` is not a whole number from 1, or `bound` is not one of the four.

    Examples
    --------
    >>> tem = TEM(4)
    >>> tem.active_set(delta=0.5)
    array([0, 1, 2, 3])
    """

    def __init__(
        self, size: int, bound: Literal["paper", "hoeffding", "bernstein", "betting"] = "paper"
    ) -> None:
        self.size = integer("size", size, low=1)
        if bound not in BOUNDS:
            raise InvalidInputError(f"bound must be one of {', '.join(BOUNDS)}, not {bound!r}")
        self.bound = bound
        self._state = new_state(np.array([self.size]), BOUNDS[bound])
        self._plays = np.zeros(self.size, dtype=np.int64)
        self._planned: Ints | None = None

    @property
    def active(self) -> Ints:
        """K*: the arms in the active set of the last call."""
        return np.flatnonzero(self._state.active)

    @property
    def B(self) -> Ints:
        """B: the active arms that were never eliminated (since B last ran empty)."""
        return np.flatnonzero(self._state.membership != OUTSIDE_B)

    @property
    def D(self) -> Floats:
        """D_ij: the sum of reward differences of arm i over arm j, K x K."""
        return self._matrices()[0]

    @property
    def N(self) -> Ints:
        """N_ij: how many comparisons went into D_ij; on the diagonal, the plays of arm i. K x K."""
        return self._matrices()[1]

    def _matrices(self) -> tuple[Floats, Ints]:
        D = np.zeros((self.size, self.size))
        N = np.diag(self._plays)
        for i in range(self.size):
            for j in range(self.size):
                if i != j:
                    D[i, j], N[i, j] = pair(self._state, 0, i, j)
        return D, N

    def active_set(self, delta: float) -> Ints:
        """getActiveSet: the arms that nobody beats at confidence 1 - delta; all if none is left.

        Parameters
        ----------
        delta
            The probability of error, in (0, 2]. TEA asks for 1 / f(t), which is 1.04 at t = 1.

        Returns
        -------
        K*, in increasing order.

        Raises
        ------
        InvalidInputError
            If `delta` lies outside (0, 2].

        Examples
        --------
        >>> TEM(2).active_set(0.1)
        array([0, 1])
        """
        if not (isinstance(delta, (int, float)) and 0.0 < delta <= LARGEST_DELTA):
            raise InvalidInputError(f"delta must lie in (0, {LARGEST_DELTA:g}], not {delta!r}")
        active_set.active_set(self._state, 0, -math.log(delta))
        return self.active

    def schedule(self, length: int, rng: np.random.Generator) -> Ints:
        """scheduleNext: every active arm at least once, the rest in turns over B, in random order.

        Parameters
        ----------
        length
            The number of plays, at least one for each active arm.
        rng
            Draws the order.

        Returns
        -------
        The arms to play, (length,).

        Raises
        ------
        InvalidInputError
            If `length` is not a whole number, or less than the number of active arms.

        Examples
        --------
        >>> sorted(TEM(3).schedule(3, np.random.default_rng(0)).tolist())
        [0, 1, 2]
        """
        fewest = len(self.active)
        length = integer("length, one play for each active arm,", length, low=fewest)

        # TEA's phases are no longer than a factor, here they may be
        if length > len(self._state.phase_rewards):
            self._state = self._state._replace(phase_rewards=np.zeros(length))

        actions = np.zeros((length, 1), dtype=np.int64)
        phase.schedule(self._state, 0, length, rng, actions)
        self._planned = actions[:, 0].copy()
        return actions[:, 0]

    def feedback(self, arms: Any, rewards: Any) -> None:
        """feedback: learn the rewards of the plays that `schedule` returned.

        Parameters
        ----------
        arms
            The arms played: the array that `schedule` returned.
        rewards
            One reward in [-1, 1] for each play.

        Raises
        ------
        InvalidInputError
            If there was no `schedule` before, or `arms` or the number of rewards do not match it.
        RewardOutOfRangeError
            If a reward lies outside [-1, 1].

        Examples
        --------
        >>> tem = TEM(2)
        >>> tem.feedback(tem.schedule(2, np.random.default_rng(0)), [0.5, 0.5])
        >>> tem.N
        array([[1, 1],
               [1, 1]])
        """
        if self._planned is None:
            raise InvalidInputError(
                "feedback() answers a schedule(): call schedule(length, rng) first"
            )

        played = np.asarray(arms)
        if played.shape != self._planned.shape or not np.array_equal(
            np.sort(played), np.sort(self._planned)
        ):
            raise InvalidInputError(
                f"arms must be the array that schedule() returned, {self._planned}, not {arms!r}"
            )

        values = np.asarray(rewards, dtype=np.float64)
        if values.shape != played.shape:
            raise InvalidInputError(
                f"rewards must be {len(played)} numbers, one for each play, not of shape "
                f"{values.shape}"
            )

        outside = ~((values >= -1.0) & (values <= 1.0))
        if outside.any():
            at = int(outside.argmax())
            raise RewardOutOfRangeError(f"rewards[{at}] = {values[at]} lies outside [-1, 1]")

        phase.feedback(self._state, 0, played.astype(np.int64).reshape(-1, 1), values)
        self._plays += np.bincount(played, minlength=self.size)
        self._planned = None
