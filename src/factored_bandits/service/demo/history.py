"""The past of the examples: some days of visitors, in some seconds, by a clock that is ahead."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from factored_bandits.service.config import made
from factored_bandits.service.engine import Ask, Engine, Tell
from factored_bandits.service.fingerprint import fingerprint
from factored_bandits.service.store import opened

from .examples import EXAMPLES, Example
from .visitors import WHO

DAYS = 6
STEPS = 12 * DAYS  # times a day at which visitors come
TOGETHER = 50  # visitors each time
SECOND = 1_000_000  # microseconds


class Past:
    """A clock that is set by hand."""

    def __init__(self, at: float) -> None:
        self.at = at

    def __call__(self) -> int:
        """Microseconds since 1970."""
        return int(self.at * SECOND)


def past(location: str, progress: Callable[[int], None] | None = None) -> None:
    """Make the examples with their past, unless they are there.

    Parameters
    ----------
    location
        The database.
    progress
        Called with the number of visitors after each step; there are
        `STEPS * TOGETHER * len(EXAMPLES)` of them.
    """
    now = time.time()
    clock = Past(now - 86_400 * DAYS)
    store = opened(location, clock=clock)
    engine = Engine(store)
    engine.meter.steady = False
    try:
        rng = random.Random(1)
        numbers = []
        for example in EXAMPLES:
            config, _ = made(example.given, {})
            row = store.create(example.key, config.text(), fingerprint())
            if row.head > 0:
                return
            engine.serve(row)
            numbers.append(row.id)

        for step in range(STEPS):
            clock.at = now - 86_400 * DAYS * (1.0 - step / STEPS)
            late = [
                _come(engine, number, example, rng)
                for number, example in zip(numbers, EXAMPLES, strict=True)
            ]
            clock.at += 1000.0
            for number, tells in zip(numbers, late, strict=True):
                _all(engine, number, tells)
            if progress is not None:
                progress(TOGETHER * len(EXAMPLES))
        clock.at = now
    finally:
        engine.close()


def _come(engine: Engine, number: int, example: Example, rng: random.Random) -> list[Any]:
    """Visitors of one moment, most of whom answer; gives the answers that come too late."""
    decisions = _all(engine, number, [Ask(who=WHO) for _ in range(TOGETHER)])
    tells: list[Any] = []
    late: list[Any] = []
    for decision in decisions:
        if rng.random() >= example.silent:
            tell = Tell(decision=decision.id, reward=example.reward(decision, rng), who=WHO)
            (late if rng.random() < example.late else tells).append(tell)
    _all(engine, number, tells)
    return late


def _all(engine: Engine, number: int, requests: list[Any]) -> list[Any]:
    """The answers to requests that are made at once."""
    for request in requests:
        engine.submit(number, request)
    return [request.waiter.result() for request in requests]
