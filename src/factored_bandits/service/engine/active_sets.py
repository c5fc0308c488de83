"""Which levels are active, as the decisions of an experiment show it; changes are stored."""

from __future__ import annotations

from collections.abc import Callable

from factored_bandits.agent.driver import Driver
from factored_bandits.service.store import Change


class ActiveSets:
    """The active sets that are stored, beside those of an agent at its next decision."""

    def __init__(self) -> None:
        self._stored: dict[int, bool] = {}  # levels that ever changed
        self._version = -1
        self._steps = (-1, -1)  # of the agent at the last look: planned, learned

    def followed(self, driver: Driver, stored: Callable[[], list[Change]]) -> None:
        """A log was followed; whoever wrote it has stored what changed."""
        if driver.eliminates and driver.active_sets()[1] != self._version:
            self._stored = {each.level: each.active for each in stored()}
            self._version = -1
            self._steps = (-1, -1)

    def look(self, driver: Driver, n: int, at: int) -> list[Change]:
        """What is other than it is stored; `n` and `at` are of a decision just made."""
        if not driver.eliminates:
            return []
        # most decisions are given out from a block that was planned before, and nothing is learned
        steps = driver.steps
        if steps == self._steps:
            return []
        self._steps = steps
        active, version = driver.active_sets()
        if version == self._version:
            return []

        self._version = version
        flags = enumerate(active.tolist())
        found = [Change(n, i, at, now) for i, now in flags if now != self._stored.get(i, True)]
        self._stored.update({each.level: each.active for each in found})
        return found
