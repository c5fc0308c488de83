"""A run that does not wait for the compiler: in plain Python at once, compiled later.

The loop is called in slices over arrays, and its two forms give the same numbers to the bit. So a
run begins interpreted; if it will take long, another process compiles the loop into the cache
meanwhile, and the next slice after that is a compiled one.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from factored_bandits.core import loop
from factored_bandits.core.checks import Form
from factored_bandits.core.kept import may_be_kept
from factored_bandits.core.kernel import bind, compiles
from factored_bandits.core.run import ROUND

from .compilers import COMPILERS, Job
from .runner import Runner

WORTH = 2.0  # seconds that are left interpreted, from which on a loop is compiled
COMPILING = "in plain Python, while it is compiled (once; kept for next time)"
PLAIN = "in plain Python"


class Tiers:
    """The loop of a runner, interpreted or compiled.

    Parameters
    ----------
    runner
        The policy on the problem.
    rounds
        How many rounds will be played in all.
    compiles
        Whether to go over to a compiled form at all.
    """

    def __init__(self, runner: Runner, rounds: float, compiles: bool = True) -> None:
        self.is_compiled = False
        self._runner = runner
        self._rounds = rounds
        self._played = 0
        self._seconds = 0.0
        self._job: Job | None = None
        self._lock = threading.Lock()
        self._interpreted = bind(
            loop.play,
            runner.policy.name,
            compiled=False,
            bounds_checked=False,
            **runner.kernels(runner.skip_idle),
        )
        self._look = compiles  # for a form that was kept, at the first call
        self._compiles = compiles

    @property
    def note(self) -> str:
        """What runs, to stand behind a progress bar; nothing if it is compiled."""
        if self.is_compiled or self._look:
            return ""
        return COMPILING if self._job is not None else PLAIN

    def __call__(self, *arguments: Any) -> None:
        """Play a slice."""
        if self._compiles and not self.is_compiled:
            self._change(arguments)
        if self.is_compiled:
            self._runner.loop(*arguments)
        else:
            self._interpret(arguments)

    def close(self) -> None:
        """The run is over: nobody waits for the compiled form any more."""
        if self._job is not None:
            COMPILERS.leave(self._job)

    def _interpret(self, arguments: tuple[Any, ...]) -> None:
        clock = arguments[3].clock
        began = time.perf_counter()
        first = clock[ROUND]

        # Compiled, a division by zero or an overflow is no warning either.
        with np.errstate(all="ignore"):
            self._interpreted(*arguments)

        with self._lock:
            self._seconds += time.perf_counter() - began
            self._played += int(clock[ROUND] - first)

    def _change(self, arguments: tuple[Any, ...]) -> None:
        """Go over to the compiled form if it is there, or have it made if that is worth it."""
        # One thread at a time looks; the others go on as they are.
        if not self._lock.acquire(blocking=False):
            return
        try:
            if self._look or (self._job is None and self._left() > WORTH):
                self.is_compiled = self._load(arguments)
                if not self.is_compiled and not self._look:
                    self._job = COMPILERS.want([self._runner])
                self._look = False
            elif self._job is not None:
                COMPILERS.poll()
                if self._job.ended:
                    # If it went wrong there, the first call compiles here, and says what is wrong.
                    self.is_compiled = True
        finally:
            self._lock.release()

    def _load(self, arguments: tuple[Any, ...]) -> bool:
        """Whether a form that was kept could be loaded."""
        kept = may_be_kept(loop.play, self._runner.loop_name)
        return kept and bool(self._runner.loop.load(*arguments))

    def _left(self) -> float:
        """Seconds that the rest would take interpreted, if it goes on like this."""
        if self._played == 0:
            return 0.0
        return self._seconds / self._played * (self._rounds - self._played)


def tiers_for(runner: Runner, repetitions: int, compiled: Form) -> Tiers | None:
    """The tiers of a run; None where the runner's own loop is to be waited for."""
    rounds = float(repetitions) * runner.horizon
    if compiled is False:
        return Tiers(runner, rounds, compiles=False)
    return Tiers(runner, rounds) if compiled == "auto" and can_be_elsewhere(runner) else None


def can_be_elsewhere(runner: Runner) -> bool:
    """Whether another process can compile the loop: not one of one's own."""
    return runner.policy.compiled and compiles() and not runner.own
