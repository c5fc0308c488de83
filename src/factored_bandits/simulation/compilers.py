"""Loops compiled in processes of their own, side by side, into the cache on disk.

`python -m factored_bandits.simulation.compilers` is such a process: it reads policies and
problems from standard input, compiles their loops, and ends.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import io
import os
import pickle
import signal
import subprocess
import sys
import threading
import types
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from factored_bandits.core import loop
from factored_bandits.core.following import end_with
from factored_bandits.core.kept import may_be_kept

from .runner import Runner

NOT_KEPT = 3  # exit code: compiled, but there is nowhere to keep it


class Job:
    """Loops that are to be compiled elsewhere, one after the other.

    Parameters
    ----------
    runners
        Whose loops; of one policy, so that they share kernels.
    """

    def __init__(self, runners: Sequence[Runner]) -> None:
        self.names = {runner.loop_name for runner in runners}
        self.label = runners[0].policy.label
        self.wanted = 1  # by how many
        self.process: subprocess.Popen[bytes] | None = None
        self.failed = False
        self._message = _pickled(runners)

    def start(self) -> None:
        """Begin to compile."""
        path = os.pathsep.join(filter(None, sys.path))
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(self._message)
            self.process.stdin.close()
        except BrokenPipeError:  # it has ended already; its exit code says so
            self.failed = True

    @property
    def ended(self) -> bool:
        """Whether it is over, well or not."""
        if self.process is None or self.process.poll() is None:
            return False
        self.failed = self.failed or self.process.returncode != 0
        return True


class Compilers:
    """As many processes as there are processors; what comes later waits.

    Parameters
    ----------
    slots
        How many at a time; None for one per processor.
    """

    def __init__(self, slots: int | None = None) -> None:
        self.slots = slots or os.cpu_count() or 1
        self._lock = threading.Lock()
        self._waiting: deque[Job] = deque()
        self._running: list[Job] = []
        self._ahead: list[Job] = []

    def want(self, runners: Sequence[Runner]) -> Job:
        """Have loops compiled; the same job for everybody who wants it."""
        job = Job(runners)
        with self._lock:
            for other in (*self._running, *self._waiting):
                if job.names <= other.names:
                    other.wanted += 1
                    return other
            self._waiting.append(job)
            # Whoever waits for this one will want those that come next, too.
            self._waiting.extend(self._ahead)
            self._ahead = []
        self.poll()
        return job

    @contextlib.contextmanager
    def ahead(self, runners: Sequence[Runner]) -> Iterator[None]:
        """While it lasts, the first loop that is wanted brings these with it."""
        missing = [r for r in runners if not may_be_kept(loop.play, r.loop_name)]
        jobs = [Job([runner]) for runner in missing]
        self._ahead = list(jobs)
        try:
            yield
        finally:
            self._ahead = []
            for job in jobs:
                self.leave(job)

    def poll(self) -> None:
        """Start what waits, where another has ended."""
        with self._lock:
            self._running = [job for job in self._running if not job.ended]
            while self._waiting and len(self._running) < self.slots:
                job = self._waiting.popleft()
                job.start()
                self._running.append(job)

    def leave(self, job: Job) -> None:
        """Say that a job is not wanted any more; the last one stops it."""
        with self._lock:
            job.wanted -= 1
            if job.wanted > 0:
                return
            if job in self._waiting:
                self._waiting.remove(job)
            if job.process is not None and job.process.poll() is None:
                job.process.terminate()
                job.process.wait()
        self.poll()

    def stop(self) -> None:
        """End everything."""
        with self._lock:
            self._waiting.clear()
            for job in self._running:
                if job.process is not None and job.process.poll() is None:
                    job.process.terminate()


COMPILERS = Compilers()
atexit.register(COMPILERS.stop)


class _Pickler(pickle.Pickler):
    """Modules by their names."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, types.ModuleType):
            return importlib.import_module, (value.__name__,)
        return NotImplemented


def _pickled(runners: Sequence[Runner]) -> bytes:
    facts = [(r.policy, r.environment, r.checkpoints, r.skip_idle) for r in runners]
    buffer = io.BytesIO()
    _Pickler(buffer).dump(facts)
    return buffer.getvalue()


def main() -> int:
    """Compile what standard input names.

    Returns
    -------
    int
        The exit code: 0, or `NOT_KEPT`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    end_with(os.getppid())
    for policy, environment, checkpoints, skip_idle in pickle.load(sys.stdin.buffer):
        runner = Runner(policy, environment, checkpoints, seed=0, skip_idle=skip_idle)
        runner.compile()
        if not may_be_kept(loop.play, runner.loop_name):
            return NOT_KEPT
    return 0


if __name__ == "__main__":
    sys.exit(main())
