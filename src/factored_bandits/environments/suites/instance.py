"""A named problem with a horizon and a reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from factored_bandits.environments import Environment


@dataclass(frozen=True)
class Instance:
    """One entry of a suite.

    >>> from factored_bandits.environments import identical_gap
    >>> Instance("small", lambda: identical_gap(4, 0.8), 1000, "to see something quickly").problem().sizes
    (4, 4)
    """

    name: str
    make: Callable[[], Environment]
    horizon: int
    why: str

    def problem(self) -> Environment:
        """The problem, made anew."""
        return self.make()
