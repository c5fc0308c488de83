"""One call at a time, and as a whole or not at all."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

from factored_bandits.core.arrays import Ints
from factored_bandits.errors import AgentError, FactoredBanditsError

from .learner import Learner
from .ledger import Counters, Ledger

Given = TypeVarTuple("Given")
T = TypeVar("T")
UNDONE = "The agent is as it was before this call, which can be made again."


class Calls:
    """The lock of an agent, and what returns everything to where it was before a failed call."""

    def __init__(self, learner: Learner, ledger: Ledger, plays: list[Ints]) -> None:
        self._lock = threading.RLock()
        self._busy = False
        self._learner = learner
        self.ledger = ledger
        self._plays = plays
        self._mark: tuple[Counters, int] | None = None  # set from `begin` on, until a call is over
        self._played: list[tuple[Ints, int, int]] = []  # of a factor: level and plays before

    def change(self, work: Callable[[*Given], T], *args: *Given) -> T:
        """Do `work`, which may change the agent; undo what it did if it raises anything."""
        with self._lock:
            if self._busy or self._mark is not None:
                self._enter()
            self._busy = True
            try:
                self._played = []
                self._mark = (self.ledger.begin(), self._learner.begin())
                result = work(*args)
                self._mark = None
                return result
            except BaseException as error:
                self._undo()
                if not isinstance(error, FactoredBanditsError):
                    error.add_note(UNDONE)
                raise
            finally:
                self._busy = False

    def count(self, action: tuple[int, ...]) -> None:
        """Count the plays of a decision; a part of a change."""
        for plays, level in zip(self._plays, action, strict=True):
            count = int(plays[level])
            self._played.append((plays, level, count))
            plays[level] = count + 1

    def read(self, work: Callable[[*Given], T], *args: *Given) -> T:
        """Do `work`, which changes nothing."""
        with self._lock:
            if self._busy or self._mark is not None:
                self._enter()
            return work(*args)

    def _enter(self) -> None:
        if self._busy:
            raise AgentError(
                "the agent is in the middle of another call, from which this one was made (by a "
                "signal handler, or by the policy itself): it can be used when that call is over"
            )
        self._undo()  # if an interruption kept it from being completed

    def _undo(self) -> None:
        if self._mark is None:
            return

        counters, steps = self._mark
        try:
            self._learner.undo(steps)
        except Exception as error:
            raise AgentError(
                "the agent is unusable: a call failed, and the steps before it cannot be repeated "
                f"({type(error).__name__}: {error}). Mend its policy, or load its last dump"
            ) from error

        self.ledger.undo(counters)
        for plays, level, count in reversed(self._played):
            plays[level] = count
        self._mark = None
