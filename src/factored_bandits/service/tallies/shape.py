"""What the tallies must know of an experiment."""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

from factored_bandits.service.config import Config

SECOND = 1_000_000  # microseconds


class Shape(NamedTuple):
    """The levels of an experiment, counted over all factors; the arms of a duel have one place.

    Attributes
    ----------
    sizes
        How many levels each factor has; one entry for the arms of a duel.
    is_duel
        Whether two arms are compared.
    ttl
        Microseconds that a decision waits; None for ever.
    is_rate
        Whether rewards are from 0 to 1.

    Examples
    --------
    >>> shape = Shape((2, 3), False, None)
    >>> shape.levels((1, 2)), shape.amount
    ([1, 4], 5)
    """

    sizes: tuple[int, ...]
    is_duel: bool
    ttl: int | None
    is_rate: bool = True

    @classmethod
    def of(cls, config: Config) -> Shape:
        """From what the experiment is."""
        arms = config.given["arms"]
        sizes = [len(arms)] if arms is not None else [len(v) for v in config.factors.values()]
        ttl = config.ttl
        waits = None if ttl is None else int(ttl.total_seconds() * SECOND)
        is_rate = arms is not None or list(config.given["reward_range"]) == [0.0, 1.0]
        return cls(tuple(sizes), arms is not None, waits, is_rate)

    @property
    def amount(self) -> int:
        """How many levels there are in all."""
        return sum(self.sizes)

    def levels(self, action: tuple[int, ...]) -> list[int]:
        """The levels of an action."""
        if self.is_duel:
            return list(action)
        offsets = accumulate(self.sizes[:-1], initial=0)
        return [offset + level for offset, level in zip(offsets, action, strict=True)]
