"""Follows the logs of all experiments, in bounded portions, beside those who write them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from factored_bandits.service.store import Brief, HourTally, Store

from .shape import Shape
from .tally import Tally

PORTION = 5_000  # events of one experiment at a time
MOST = 64  # experiments in one transaction
ShapeOf = Callable[[int], Shape]


class Step(NamedTuple):
    """What is added to one experiment."""

    experiment: int
    expected: int | None  # the event of its brief before
    tally: Tally
    hours: list[HourTally]


class Follower:
    """Brings briefs and tallies up to date with the logs.

    Several processes may do so at once: who comes second with the same events changes nothing. Who
    finds that somebody else counts an experiment leaves it to them, until they stop.

    Parameters
    ----------
    store
        Where the experiments are.
    shape_of
        What an experiment is, by its number.
    """

    def __init__(self, store: Store, shape_of: ShapeOf) -> None:
        self._store = store
        self._shape_of = shape_of
        self._seen: dict[int, int] = {}  # the event of each brief when this one last looked

    def behind(self) -> list[int]:
        """Experiments with events that are not counted yet."""
        tx = self._store.reading()
        try:
            return tx.behind(MOST)
        finally:
            tx.rollback()

    def advance(
        self,
        experiments: list[int],
        said: Mapping[int, dict[str, Any]] | None = None,
        unlogged: Mapping[tuple[int, str], int] | None = None,
    ) -> int:
        """Count the next events of some experiments; gives how many there were.

        Parameters
        ----------
        experiments
            Their numbers.
        said
            What some of their agents say now.
        unlogged
            Rewards that are no events, to be added.
        """
        tried = [self._step(number, (said or {}).get(number)) for number in experiments]
        steps = [step for step in tried if step is not None]
        if not steps and not unlogged:
            return 0
        tx = self._store.begin()
        counted = 0
        try:
            now = time.time_ns() // 1000
            for step in steps:
                brief = Brief(step.tally.n, now, step.tally.text())
                if tx.save_brief(step.experiment, step.expected, brief):
                    tx.add_tallies(step.experiment, step.hours)
                    self._seen[step.experiment] = step.tally.n
                    counted += step.tally.n - (step.expected or 0)
            tx.add_unlogged(unlogged or {})
        except BaseException:
            tx.rollback()
            raise
        tx.commit()
        return counted

    def _step(self, number: int, said: dict[str, Any] | None) -> Step | None:
        """What is to be added; None if somebody else does that."""
        shape = self._shape_of(number)
        tx = self._store.reading()
        try:
            brief = tx.brief(number)
            if brief is not None:
                before = self._seen.get(number, brief.n)
                self._seen[number] = brief.n
                if brief.n != before and said is None:
                    return None
            tally = Tally.empty(shape) if brief is None else Tally.of(brief.body)
            events = tx.tail(number, tally.n, PORTION)
            out = [change.n for change in tx.changes(number) if not change.active]
        finally:
            tx.rollback()
        hours = tally.add(shape, events, min(out, default=math.inf))
        if said is not None:
            tally.agent = said
        return Step(number, None if brief is None else brief.n, tally, hours)


def advance(store: Store, shape_of: ShapeOf) -> int:
    """Count everything that is not counted yet; gives how many events there were.

    Parameters
    ----------
    store
        Where the experiments are.
    shape_of
        What an experiment is, by its number.

    Returns
    -------
    int
        Events that were counted.
    """
    follower = Follower(store, shape_of)
    total = 0
    while behind := follower.behind():
        total += follower.advance(behind)
    return total
