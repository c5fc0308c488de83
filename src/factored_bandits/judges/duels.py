"""What is compared two at a time: candidates in `arena`, whole combinations in `tune`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from factored_bandits.agent.labels import Labels, labels
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy

from .pairs import Pairs
from .problem import agent_for, digest
from .settings import Settings


class Duels(Pairs):
    """Candidates: the problem of `arena`."""

    def __init__(
        self,
        candidates: Any,
        judge: Any,
        items: Any,
        swap: Any,
        policy: str | Policy | None,
        seed: int,
        how: Settings,
    ) -> None:
        # a mapping gives names to what the judge sees; otherwise names are all there is
        named = isinstance(candidates, Mapping)
        names = list(candidates) if named else candidates
        self.names = checked_names(names)
        self._shown: dict[Any, Any] = (
            dict(candidates) if named else dict(zip(self.names, self.names, strict=True))
        )
        agent = agent_for(policy, "duel", how, seed, arms=names, self_duels="skip")
        super().__init__(agent, judge, items, swap, seed, how)

    def what(self) -> dict[str, Any]:
        """The candidates."""
        return {
            "kind": "arena",
            "candidates": list(self.names),
            "contents": digest([self._shown[name] for name in self.names]),
        }

    def shown(self, side: Any) -> Any:
        """What the name stands for."""
        return self._shown[side]


class CombinationDuels(Pairs):
    """Whole combinations, of which every factor learns: `tune` with a judge and no baseline."""

    def __init__(
        self,
        factors: Any,
        judge: Any,
        items: Any,
        swap: Any,
        policy: str | Policy | None,
        seed: int,
        how: Settings,
    ) -> None:
        self.labels: Labels = labels(factors, None)
        self.range = (0.0, 1.0)
        agent = agent_for(policy, "duel", how, seed, factors=factors, duels=True, self_duels="skip")
        super().__init__(agent, judge, items, swap, seed, how)

    def what(self) -> dict[str, Any]:
        """The factors."""
        return {
            "kind": "tune",
            "asks": "judge",
            "factors": self.labels.document()["factors"],
            "against": None,
        }

    def shown(self, side: Any) -> Any:
        """A level of each factor."""
        return dict(side)


def checked_names(given: Any) -> tuple[Any, ...]:
    """Labels that an agent takes; complaints call them what the user calls them.

    >>> checked_names(["A", "A"])
    Traceback (most recent call last):
    factored_bandits.errors.InvalidInputError: candidates: the label 'A' stands there twice
    """
    try:
        return labels(None, given).levels[0]
    except InvalidInputError as error:
        raise InvalidInputError(str(error).replace("arms", "candidates", 1)) from None
