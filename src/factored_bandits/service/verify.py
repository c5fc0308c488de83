"""The whole log computed anew, and compared with what is stored."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass, field

from .config import Config
from .engine import Fold, FoldError
from .export import pages
from .fingerprint import fingerprint
from .store import Event, Experiment, Snapshot, Transaction

Progress = Callable[[int], None]


@dataclass
class Verification:
    """What came out of it.

    Attributes
    ----------
    key
        The experiment.
    events
        How many events were read.
    recomputed
        How many of them were computed anew; those of another version or machine cannot be.
    counts
        How many events there are of each kind.
    snapshot
        The number of the event after which a snapshot was compared; 0 if none was.
    fault
        What is wrong, with the number of the first event that differs; None if all is well.
    """

    key: str
    events: int = 0
    recomputed: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    snapshot: int = 0
    fault: str | None = None


def verify(
    tx: Transaction,
    row: Experiment,
    module: types.ModuleType | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Fold the log of an experiment from the start, and compare everything that is stored.

    Parameters
    ----------
    tx
        A transaction of the store; it is not ended.
    row
        The experiment, as that transaction sees it.
    module
        The policy, if it is a module of one's own.
    progress
        Called with the number of events after every page.

    Returns
    -------
    Verification
        With a fault, if there is one.
    """
    found = Verification(row.key)
    walk = _Walk(row, tx.snapshot(row.id), module, found, _first_fingerprint(tx, row))
    try:
        for page in pages(tx, row.id):
            for event in page:
                walk.take(event)
            if progress is not None:
                progress(len(page))
        walk.end()
    except FoldError as error:
        found.fault = str(error)
    return found


def _first_fingerprint(tx: Transaction, row: Experiment) -> str:
    """What the log began with: the first rebase says it; without one, the experiment does."""
    for page in pages(tx, row.id):
        for event in page:
            if event.kind == "rebase":
                return str(event.body["from"])
    return row.fingerprint


class _Walk:
    """From event to event: numbers, times, who settled what, and the fold where it can be."""

    def __init__(
        self,
        row: Experiment,
        snapshot: Snapshot | None,
        module: types.ModuleType | None,
        found: Verification,
        first: str,
    ) -> None:
        self._row = row
        self._snapshot = snapshot
        self._module = module
        self._config = Config.of(row.config)
        self._found = found
        self._asked: set[int] = set()
        self._settled: set[int] = set()
        self._units: set[bytes] = set()
        self._last = Event(0, 0, 0, "ask")
        self._fold: Fold | None = None  # where the log is of another library, it is not computed
        if first == fingerprint():
            self._fold = Fold(self._config, module)

    def take(self, event: Event) -> None:
        """The next event."""
        found = self._found
        found.events += 1
        found.counts[event.kind] = found.counts.get(event.kind, 0) + 1
        self._check_order(event)
        self._check_once(event)

        if event.kind == "rebase" and event.body["to"] == fingerprint():
            self._fold = Fold(self._config, self._module, body=event.body["dump"], n=event.n)
            self._fold.at = event.at
        elif event.kind == "rebase":
            self._fold = None
        elif self._fold is not None:
            self._fold.follow([event])
            found.recomputed += 1

        self._check_snapshot(event)
        self._last = event

    def _check_order(self, event: Event) -> None:
        last = self._last
        if event.n != last.n + 1:
            raise FoldError(last.n + 1, f"it is missing; the next one is {event.n}")
        if event.at <= last.at and event.tx != last.tx:
            raise FoldError(event.n, "its transaction is not younger than the one before it")

    def _check_once(self, event: Event) -> None:
        decision = event.decision
        if event.kind == "ask" and decision is not None:
            if decision in self._asked or (event.unit is not None and event.unit in self._units):
                raise FoldError(event.n, f"decision {decision} or its unit was asked before")
            self._asked.add(decision)
            if event.unit is not None:
                self._units.add(event.unit)
        elif event.kind in ("tell", "expire") and decision is not None:
            if decision not in self._asked or decision in self._settled:
                raise FoldError(event.n, f"decision {decision} was not open")
            self._settled.add(decision)

    def _check_snapshot(self, event: Event) -> None:
        snapshot = self._snapshot
        if snapshot is None or self._fold is None or snapshot.n != event.n:
            return
        if self._fold.dump() != snapshot.body:
            raise FoldError(event.n, "the snapshot after it holds another state")
        self._found.snapshot = event.n

    def end(self) -> None:
        """After the last event."""
        if self._last.n != self._row.head:
            raise FoldError(self._last.n + 1, f"it is missing; the head is {self._row.head}")
        if self._last.at != self._row.at:
            raise FoldError(self._last.n, "the experiment has another time than its last event")
