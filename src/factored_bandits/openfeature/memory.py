"""Which decision a targeting key has: for a number of keys and a time, the oldest forgotten first.

By the age of the decision and not by its last use. A decision that is forgotten before its reward
came expires, so how long a reward may take must not depend on what was shown: a page that is loaded
again and again would otherwise be given more time to succeed than others.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from factored_bandits.agent import Decision
from factored_bandits.agent.expiry import Clock
from factored_bandits.agent.journal import LOGGER
from factored_bandits.errors import DecisionError, DumpError, InvalidInputError

from .protocol import AgentLike


@dataclass(slots=True)
class Kept:
    """A decision, when it was made, and whether its reward has come or never will."""

    decision: Decision
    time: float
    settled: bool = False


class Memory:
    """The decisions of one flag by targeting key; threads may share it.

    Parameters
    ----------
    agent
        Who decides.
    most
        How many keys are remembered.
    seconds
        For how long; infinite for ever.
    clock
        Gives the time in seconds.
    """

    def __init__(self, agent: AgentLike, most: int, seconds: float, clock: Clock) -> None:
        self.agent = agent
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[str, Kept] = {}  # the oldest first

    def find(self, key: str) -> Kept | None:
        """The decision of a key, if it is remembered; it never waits."""
        kept = self._kept.get(key)
        if kept is None or self._is_old(kept):
            return None
        return kept

    def decide(self, key: str) -> tuple[Kept, bool]:
        """The decision of a key, and whether it is a new one."""
        with self._lock:
            kept = self.find(key)
            if kept is not None:
                return kept, False

            self._forget()
            kept = Kept(self.agent.ask(), self._clock())
            self._kept[key] = kept
            return kept, True

    def tell(self, key: str, reward: Any) -> str:
        """Give a reward to the decision of a key; returns what was wrong, empty if nothing."""
        kept = self.find(key)
        if kept is None:
            return f"the targeting key {key!r} has no decision that is remembered"
        if kept.settled:
            return f"decision {kept.decision.id} is settled; it takes one reward"

        try:
            self.agent.tell(kept.decision.id, reward)
        except DecisionError as error:  # by another thread, or it has expired in the agent
            kept.settled = True
            return str(error)
        kept.settled = True
        return ""

    def tell_decision(self, id: int, reward: Any) -> None:
        """Give a reward to a decision, whoever has it."""
        self.agent.tell(id, reward)

    def expire(self) -> int:
        """Settle all that wait, without a reward; returns how many they were."""
        with self._lock:
            return sum(self._expire(kept) for kept in self._kept.values())

    def _is_old(self, kept: Kept) -> bool:
        return self._clock() - kept.time > self._seconds

    def _forget(self) -> None:
        """Make room for a key, and let go what is too old."""
        while self._kept:
            key, kept = next(iter(self._kept.items()))
            if len(self._kept) < self._most and not self._is_old(kept):
                return
            self._expire(kept)
            del self._kept[key]

    def _expire(self, kept: Kept) -> bool:
        if kept.settled:
            return False

        try:
            self.agent.expire(kept.decision.id)
            expired = True
        except DecisionError:  # the agent was told by somebody else, or let it expire
            expired = False
        except InvalidInputError as error:
            # The page must go on. The agent warns of what it waits for in vain.
            LOGGER.error("decision %d is forgotten and cannot expire: %s", kept.decision.id, error)
            expired = False

        # not after any other error, such as a lost connection: it is tried again
        kept.settled = True
        return expired

    # ------------------------------------------------------------ through a restart

    def document(self) -> list[list[Any]]:
        """All of it, as JSON can hold it."""
        with self._lock:
            return [[key, kept.time, *_fields(kept.decision)] for key, kept in self._kept.items()]

    def restore(self, document: Any, names: tuple[str, ...]) -> None:
        """What `document` gave, as far as the agent knows of it.

        An agent that was saved before a decision was made will give its id to another key.
        """
        asked = self.agent.status().asked
        for key, kept in _read(document, names):
            if kept.decision.id <= asked:
                kept.settled = not self.agent.is_waiting(kept.decision.id)
                self._kept[key] = kept


def _fields(decision: Decision) -> list[Any]:
    return [decision.id, decision.action, decision.levels, decision.propensity]


def _read(document: Any, names: tuple[str, ...]) -> Iterator[tuple[str, Kept]]:
    try:
        for key, time, id, action, levels, propensity in document:
            decision = Decision(int(id), tuple(map(int, action)), dict(levels), propensity)
            if tuple(decision.levels) != names or not isinstance(key, str):
                raise ValueError(f"the factors are {', '.join(names)}, not {', '.join(levels)}")
            yield key, Kept(decision, float(time))
    except (TypeError, ValueError) as error:
        raise DumpError(f"memory: not what the dump of such a provider holds: {error}") from None
