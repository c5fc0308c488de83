"""Decisions by targeting key where the agent itself remembers them: in a database or a service."""

from __future__ import annotations

import inspect
from typing import Any

from .memory import Kept
from .protocol import UnitAgentLike


class UnitMemory:
    """The place of a `Memory`, without anything in it: the targeting key is the unit.

    Parameters
    ----------
    agent
        Who decides, and remembers.
    """

    def __init__(self, agent: UnitAgentLike) -> None:
        self.agent = agent
        # over a network a reward is sent in the background: the page goes on
        can_wait = "wait" in inspect.signature(agent.tell).parameters
        self._later: dict[str, Any] = {"wait": False} if can_wait else {}

    def find(self, key: str) -> Kept | None:
        """Nothing is remembered here."""
        return None

    def decide(self, key: str) -> tuple[Kept, bool]:
        """The decision of a key; whether it is a new one is not known here."""
        return Kept(self.agent.ask(key), 0.0), True

    def tell(self, key: str, reward: Any) -> str:
        """Give a reward to the decision of a key; an error is raised, and not returned."""
        self.agent.tell_unit(key, reward, **self._later)
        return ""

    def tell_decision(self, id: int, reward: Any) -> None:
        """Give a reward to a decision."""
        self.agent.tell(id, reward, **self._later)

    def expire(self) -> int:
        """Nothing: the `ttl` of the experiment settles what waits."""
        return 0

    def document(self) -> list[list[Any]]:
        """Nothing has to be saved."""
        return []

    def restore(self, document: Any, names: tuple[str, ...]) -> None:
        """Nothing has to be read."""
