"""Unimodality: whether changing one factor at a time leads to the best from anywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from factored_bandits.environments import Environment

from .views import ROUNDING, view

SHOWN = 5  # of the local optima, as text


@dataclass(frozen=True)
class Unimodality:
    """The combinations that no change of a single factor improves.

    Attributes
    ----------
    optima
        The local optima, the best one first.
    means
        Their mean rewards.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> found = fb.theory.unimodality(fb.environments.spiked(4))
    >>> found.holds, found.optima
    (True, ((0, 0),))
    """

    optima: tuple[tuple[int, ...], ...]
    means: tuple[float, ...]

    @property
    def holds(self) -> bool:
        """Whether there is one local optimum only, the best combination."""
        return len(self.optima) == 1

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        if self.holds:
            return "unimodal"

        listed = [
            f"{combination}: {mean:.4g}"
            for combination, mean in zip(self.optima[:SHOWN], self.means[:SHOWN], strict=True)
        ]
        more = ["..."] if len(self.optima) > SHOWN else []
        return f"not unimodal, {len(self.optima)} local optima: " + ", ".join(listed + more)


def unimodality(environment: Environment) -> Unimodality:
    """Find the combinations that no change of one factor improves (Combes and Proutiere 2014).

    A problem that is uniformly identifiable is unimodal: from any combination, put in the best
    level of some factor. The converse does not hold. Policies that compare a leader with its
    neighbours (`osub`, `ossb`, `unimodal_thompson`, `imed_ub`) assume no more than this.

    Parameters
    ----------
    environment
        A factored problem.

    Returns
    -------
    Unimodality
        True if only the best combination is such; print it.

    Raises
    ------
    InvalidInputError
        If the means of the problem change over time, or there are too many combinations to look at.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.make("table", means=[[0.9, 0.2], [0.1, 0.4]])
    >>> print(fb.theory.unimodality(problem))
    not unimodal, 2 local optima: (0, 0): 0.9, (1, 1): 0.4
    """
    means = view(environment).table().means
    local = np.ones(means.shape, dtype=bool)
    for l in range(means.ndim):
        local &= means >= means.max(axis=l, keepdims=True) - ROUNDING

    found = [tuple(int(i) for i in one) for one in np.argwhere(local)]
    found.sort(key=lambda one: -float(means[one]))
    return Unimodality(tuple(found), tuple(float(means[one]) for one in found))
