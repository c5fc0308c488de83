"""Uniform identifiability and its gaps (Definition 1, equation (1) of the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.environments import Environment

from .views import changed, decided, modules, view


def gaps(environment: Environment) -> list[Floats]:
    """Compute the gaps of equation (1): the smallest lead of the best level over each level.

    The smallest lead is taken over all reference sets: what the other factors play. Gaps are in
    units of reward (for duels 1 for a win and 1/2 for a tie), not on the scale [-1, 1] of TEM, on
    which the gaps of rewards in [0, 1] are twice as large.

    Parameters
    ----------
    environment
        The problem.

    Returns
    -------
    list of arrays
        One array per factor, 0 at its best level; for duels one array, of the arms in the first
        position against every arm in the second. Not positive where the problem is not
        identifiable.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.make("rank1", factors=[[0.9, 0.5], [0.8, 0.2]])
    >>> [gap.round(3).tolist() for gap in fb.theory.gaps(problem)]
    [[0.0, 0.08], [0.0, 0.3]]
    >>> fb.theory.gaps(fb.environments.identical_gap(3, 0.7))[0].round(3).tolist()
    [0.0, 0.2, 0.2]
    """
    seen = view(environment)
    share = decided(environment)
    return [share * seen.gaps(l)[0] for l in modules(environment)]


@dataclass(frozen=True)
class Witness:
    """A level that does as well as the best one, or better, in some context.

    Attributes
    ----------
    factor, level, best
        The factor, the level, and the best level.
    context
        The combination with `level` in it.
    mean
        The mean of that combination.
    mean_of_best
        The mean of the same with `best` instead.
    duel
        Whether the problem is one of duels.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.make("table", means=[[0.9, 0.2], [0.1, 0.4]])
    >>> witness = fb.theory.identifiability(problem).witnesses[0]
    >>> witness.level, witness.context, witness.mean, witness.mean_of_best
    (1, (1, 1), 0.4, 0.2)
    """

    factor: int
    level: int
    best: int
    context: tuple[int, ...]
    mean: float
    mean_of_best: float
    duel: bool = False

    def __str__(self) -> str:
        with_best = changed(self.context, self.factor, self.best)
        beats = "beats" if self.mean > self.mean_of_best else "does as well as"

        if self.duel:
            return (
                f"arm {self.level} {beats} the best arm {self.best} against arm {self.context[1]}: "
                f"it wins with probability {self.mean:.6g}, the best arm "
                f"with {self.mean_of_best:.6g}"
            )

        return (
            f"factor {self.factor}: level {self.level} {beats} the best level {self.best} in some "
            f"context: the mean of {self.context} is {self.mean:.6g}, of {with_best} "
            f"{self.mean_of_best:.6g}"
        )


@dataclass(frozen=True)
class Identifiability:
    """Whether every factor has a level that is best in every context.

    Attributes
    ----------
    witnesses
        Per factor a witness against it; None where the factor has a uniformly best level.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> found = fb.theory.identifiability(fb.environments.spiked(4))
    >>> found.holds, found.factors, found.witnesses
    (True, (True, True), (None, None))
    """

    witnesses: tuple[Witness | None, ...]

    @property
    def holds(self) -> bool:
        """Whether it holds for all factors."""
        return all(witness is None for witness in self.witnesses)

    @property
    def factors(self) -> tuple[bool, ...]:
        """Whether it holds, per factor."""
        return tuple(witness is None for witness in self.witnesses)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        if self.holds:
            return "uniformly identifiable"
        witnesses = [f"  {witness}" for witness in self.witnesses if witness is not None]
        return "\n".join(["not uniformly identifiable", *witnesses])


def identifiability(environment: Environment) -> Identifiability:
    """Test Definition 1: whether the best level of every factor is the best in every context.

    Parameters
    ----------
    environment
        The problem.

    Returns
    -------
    Identifiability
        True if it holds; otherwise it has a witness for each factor where it does not. Print it.

    Raises
    ------
    InvalidInputError
        If the means of the problem change over time, or there are too many combinations to look at.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.make("table", means=[[0.9, 0.2], [0.1, 0.4]])
    >>> print(fb.theory.identifiability(problem))  # doctest: +ELLIPSIS
    not uniformly identifiable
      factor 0: level 1 beats the best level 0 in some context: the mean of (1, 1) is 0.4, of ...
      factor 1: level 1 beats the best level 0 in some context: the mean of (1, 1) is 0.4, of ...
    >>> fb.theory.identifiability(fb.environments.arithmetic(8)).holds
    True
    """
    return Identifiability(tuple(_witness(environment, l) for l in modules(environment)))


def _witness(environment: Environment, l: int) -> Witness | None:
    """The level with the least lead over it, if that is none."""
    best = environment.best[l]
    sizes, context = view(environment).gaps(l)
    others = np.delete(np.arange(len(sizes)), best)
    if len(others) == 0 or sizes[others].min() > 0.0:
        return None
    level = int(others[sizes[others].argmin()])
    where = context[level]
    means = environment.mean(where), environment.mean(changed(where, l, best))
    return Witness(l, level, best, where, *means, duel=environment.kind == "duel")
