"""The holdout: units that the agent never decides for, to say afterwards what it was worth.

Who belongs to it is a hash of the unit, so it depends neither on the action nor on the time. Its
decisions are in the log like all others, with numbers that the agent never gives out.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction
from typing import Any

from factored_bandits.agent import Decision
from factored_bandits.errors import DumpError
from factored_bandits.service.config import Config
from factored_bandits.service.store import Event

FIRST = 10**14  # decisions of the holdout have the number of their event above this one
SECOND = 1_000_000  # microseconds


def is_held(decision: Any) -> bool:
    """Whether a decision is one of the holdout.

    >>> is_held(7), is_held(FIRST + 7)
    (False, True)
    """
    return isinstance(decision, int) and decision > FIRST


@dataclass
class Group:
    """Decisions and rewards of the holdout, or of the rest.

    The sums are exact, so that the order of rewards makes no difference.
    """

    asked: int = 0
    settled: int = 0
    total: Fraction = Fraction(0)
    squares: Fraction = Fraction(0)

    def add(self, reward: Any) -> None:
        """The reward of a decision; with semi-bandit feedback the sum of its outcomes."""
        value = Fraction(sum(reward) if isinstance(reward, list) else reward)
        self.settled += 1
        self.total += value
        self.squares += value * value

    def document(self) -> list[Any]:
        """As JSON holds it."""
        return [self.asked, self.settled, str(self.total), str(self.squares)]

    @classmethod
    def of(cls, document: Any) -> Group:
        """From what `document` gave."""
        asked, settled, total, squares = document
        return cls(int(asked), int(settled), Fraction(total), Fraction(squares))

    def mean(self) -> tuple[float, float]:
        """The mean reward and its standard error; nan where there are too few.

        >>> group = Group()
        >>> for reward in (0.0, 1.0, 1.0):
        ...     group.add(reward)
        >>> [round(x, 4) for x in group.mean()]
        [0.6667, 0.3333]
        """
        n = self.settled
        if n == 0:
            return math.nan, math.nan
        mean = self.total / n
        if n == 1:
            return float(mean), math.nan
        variance = (self.squares - n * mean * mean) / (n - 1)
        return float(mean), math.sqrt(variance / n)


class Holdout:
    """Who is held out, what they are shown, and what came of it.

    Parameters
    ----------
    config
        What the experiment is; it has a holdout.
    document
        What the method of that name gave, to go on with.
    """

    def __init__(self, config: Config, document: Any = None) -> None:
        self._config = config
        self._sizes = [len(levels) for levels in config.factors.values()]
        self._most = int(config.holdout * 2**64)
        self._salt = hashlib.sha256(json.dumps(config.given).encode()).digest()
        self.held = Group()
        self.rest = Group()
        self.open: dict[int, int] = {}  # decisions and when they were asked, the oldest first
        if document is not None:
            self._restore(document)

    def takes(self, seed: bytes) -> bool:
        """Whether whoever has this hash is held out."""
        return int.from_bytes(self._hash(b"member", seed)[:8]) < self._most

    def action(self, seed: bytes) -> tuple[int, ...]:
        """What the holdout is shown: the baseline, or with none each combination alike."""
        if self._config.baseline is not None:
            return self._config.baseline
        number = int.from_bytes(self._hash(b"action", seed))
        action = []
        for size in self._sizes:
            number, level = divmod(number, size)
            action.append(level)
        return tuple(action)

    def _hash(self, purpose: bytes, seed: bytes) -> bytes:
        return hashlib.sha256(self._salt + purpose + seed).digest()

    def decision(self, n: int, seed: bytes) -> Decision:
        """The decision of a unit of the holdout, in the event `n`."""
        uniform = self._config.baseline is None
        propensity = tuple(1 / size if uniform else 1.0 for size in self._sizes)
        event = Event(n, 0, 0, "ask", FIRST + n, action=self.action(seed), propensity=propensity)
        return self._config.decision(event)

    def asked(self, decision: int, at: int) -> None:
        """Somebody has a decision, of the holdout or not."""
        if is_held(decision):
            self.open[decision] = at
            self.held.asked += 1
        else:
            self.rest.asked += 1

    def settled(self, decision: int, reward: Any) -> None:
        """A decision has its reward, or none within its time."""
        self.open.pop(decision, None)
        group = self.held if is_held(decision) else self.rest
        group.add(reward)

    def older(self, at: int, age: timedelta) -> tuple[int, ...]:
        """The open decisions of the holdout that are older than an age."""
        limit = at - age.total_seconds() * SECOND
        return tuple(number for number, asked in self.open.items() if asked < limit)

    def oldest_age(self, at: int) -> timedelta | None:
        """How old the oldest open decision is."""
        oldest = next(iter(self.open.values()), None)
        return None if oldest is None else timedelta(microseconds=at - oldest)

    # ------------------------------------------------------------ in a snapshot

    def document(self) -> dict[str, Any]:
        """All of it, as JSON holds it."""
        opened = [[number, at] for number, at in self.open.items()]
        return {"open": opened, "held": self.held.document(), "rest": self.rest.document()}

    def _restore(self, document: Any) -> None:
        try:
            self.open = {int(number): int(at) for number, at in document["open"]}
            self.held = Group.of(document["held"])
            self.rest = Group.of(document["rest"])
        except (KeyError, TypeError, ValueError) as error:
            raise DumpError(f"the holdout of a snapshot cannot be read: {error}") from None
