"""A named problem with a horizon and a reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from factored_bandits.environments import Environment


@dataclass(frozen=True)
class Instance:
    """One entry of a suite.

    Attributes
    ----------
    name
        How results call it.
    make
        Makes the problem.
    horizon
        For how many rounds to play it.
    why
        The reason why it is in the suite.

    Examples
    --------
    >>> from factored_bandits.environments import identical_gap
    >>> small = Instance("small", lambda: identical_gap(4, 0.8), 1000, "to see something quickly")
    >>> small.problem().sizes
    (4, 4)
    """

    name: str
    make: Callable[[], Environment]
    horizon: int
    why: str

    def problem(self) -> Environment:
        """The problem, made anew.

        Returns
        -------
        What `make` makes.
        """
        return self.make()
