"""Active sets over time: which level was eliminated or re-entered, after which decision.

The log is computed anew for that, a portion at a time, and what was found is kept.
"""

from __future__ import annotations

from typing import NamedTuple

from factored_bandits.core.arrays import Bools

from .config import Config
from .engine import Fold, FoldError
from .store import Event, Experiment, Transaction

PAGE = 1000  # events that are read at a time


class Change(NamedTuple):
    """A level that was eliminated, or re-entered."""

    event: int
    at: int  # microseconds
    decisions: int  # how many had been asked
    factor: str
    level: object
    active: bool


class Timeline:
    """The changes of one experiment, as far as its log was read.

    Parameters
    ----------
    row
        The experiment.
    """

    def __init__(self, row: Experiment) -> None:
        self._config = Config.of(row.config)
        self._number = row.id
        self._fold: Fold | None = Fold(self._config, compiled=False)
        self._active: Bools | None = None
        self._version = -1
        self.read = 0  # the number of the last event
        self.changes: list[Change] = []
        labels = self._config.factors
        if self._config.given["arms"] is not None:
            labels = {"arm": self._config.given["arms"]}
        self._names = [(factor, level) for factor, levels in labels.items() for level in levels]
        self._look(0, 0)

    @property
    def eliminates(self) -> bool:
        """Whether the policy has active sets at all."""
        return self._fold is None or self._fold.agent.policy.eliminates

    def advance(self, tx: Transaction, most: int) -> None:
        """Read on, `most` events of the log at most."""
        until = self.read + most
        while page := tx.events(self._number, self.read, min(PAGE, until - self.read)):
            for event in page:
                self._follow(event)
            self.read = page[-1].n

    def _follow(self, event: Event) -> None:
        if self._fold is None:
            # of another version of the library; from the next rebase on it can be computed
            if event.kind != "rebase":
                return
            self._fold = Fold(self._config, compiled=False, body=event.body["dump"], n=event.n)
            self._fold.at = event.at
        else:
            try:
                self._fold.follow([event])
            except FoldError:
                self._fold = None
                return
        if event.kind == "ask" and self.eliminates:
            self._look(event.n, event.at)

    def _look(self, n: int, at: int) -> None:
        """Compare the active sets with those before; a decision is made with what is learned."""
        fold = self._fold
        if fold is None or not fold.agent.policy.eliminates:
            return
        active, version = fold.driver.active_sets()
        if version == self._version:
            return
        if self._active is not None:
            for index in (active != self._active).nonzero()[0].tolist():
                factor, level = self._names[index]
                asked = fold.agent.status().asked
                self.changes.append(Change(n, at, asked, factor, level, bool(active[index])))
        self._active = active.copy()
        self._version = version
