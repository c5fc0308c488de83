"""Simulated visitors in the process of the server, a few a second."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

from factored_bandits.errors import FactoredBanditsError
from factored_bandits.service.engine import Ask, Engine, Handle, Tell

from .examples import Example

A_SECOND = 6.0  # visitors of each example
THINKING = 3.0  # seconds until most answer
PATIENCE = 150.0  # seconds after which those answer who are too late
WHO = "simulated visitor"


class Visitors:
    """A thread that asks and tells at a bounded rate until it is stopped.

    Parameters
    ----------
    engine
        Serves the examples.
    served
        Each example with its experiment.
    """

    def __init__(self, engine: Engine, served: list[tuple[Example, Handle]]) -> None:
        self._engine = engine
        self._served = served
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="simulated visitors", daemon=True)
        self._rng = random.Random()
        # when, which experiment, what
        self._answers: list[tuple[float, Handle, Tell]] = []

    def start(self) -> None:
        """Let them come."""
        self._thread.start()

    def stop(self) -> None:
        """Nobody comes any more."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(1.0 / A_SECOND):
            try:
                for example, handle in self._served:
                    self._visit(example, handle)
                self._answer(time.monotonic())
            except FactoredBanditsError:
                # paused or stopped by whoever plays with it, or the server is ending
                self._stopped.wait(1.0)

    def _visit(self, example: Example, handle: Handle) -> None:
        decision = self._engine.call(handle.id, Ask(who=WHO))
        if self._rng.random() < example.silent:
            return
        wait = PATIENCE if self._rng.random() < example.late else self._rng.uniform(0.0, THINKING)
        tell = Tell(decision=decision.id, reward=example.reward(decision, self._rng), who=WHO)
        self._answers.append((time.monotonic() + wait, handle, tell))

    def _answer(self, now: float) -> None:
        due: list[Any] = [each for each in self._answers if each[0] <= now]
        self._answers = [each for each in self._answers if each[0] > now]
        for _, handle, tell in due:
            self._engine.call(handle.id, tell)
