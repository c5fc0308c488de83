"""Loops compiled in processes of their own, side by side, into the cache on disk.

`python -m factored_bandits.simulation.compilers` is such a process: it reads policies and
problems from standard input, compiles their loops, answers with a byte, and goes on to the next
ones until there are none. What their loops share it compiles once.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import io
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import types
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

from factored_bandits.core import loop
from factored_bandits.core.following import end_with
from factored_bandits.core.kept import may_be_kept

from .runner import Runner

# What a process answers.
DONE = 0
FAILED = 1
NOT_KEPT = 3  # compiled, but there is nowhere to keep it

MOST_JOBS = 8  # of a process, which grows with each of them


class Compiler:
    """A process that compiles one job after the other.

    Parameters
    ----------
    command
        What to start, if it is not this module.
    """

    def __init__(self, *command: str) -> None:
        path = os.pathsep.join(filter(None, sys.path))
        self.begun = 0
        self.process = subprocess.Popen(
            command or (sys.executable, "-m", __name__),
            # Nobody reads numba's messages there, and colours take time.
            env={
                **os.environ,
                "PYTHONPATH": path,
                "NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING": "1",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._answers: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._ended = False  # it answers no more
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def alive(self) -> bool:
        """Whether it could do another job."""
        return not self._ended and self.process.poll() is None

    def begin(self, message: bytes) -> None:
        """Have it compile what the message names."""
        assert self.process.stdin is not None
        self.begun += 1
        # A broken pipe: it has ended already, which is its answer.
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(message)
            self.process.stdin.flush()

    def answer(self) -> int | None:
        """What came of the job; None while it is at it."""
        ended = self._ended  # looked at first: what it answered before that is in the queue
        try:
            return self._answers.get_nowait()
        except queue.Empty:
            return FAILED if ended else None

    def end(self) -> None:
        """There is nothing more to do."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()

    def kill(self) -> None:
        """End it in the middle of a job."""
        self.process.terminate()
        self._listener.join()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as answers:
            while answer := answers.read(1):
                self._answers.put(answer[0])
        self._ended = True  # if need be in the middle of a job
        self.process.wait()


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
        self.compiler: Compiler | None = None
        self._answer: int | None = None
        self._lock = threading.Lock()
        self._message = packed(runners)

    def start(self, compiler: Compiler) -> None:
        """Begin to compile."""
        self.compiler = compiler
        compiler.begin(self._message)

    @property
    def running(self) -> bool:
        """Whether it has begun and is not over."""
        return self.compiler is not None and not self.ended

    @property
    def ended(self) -> bool:
        """Whether it is over, well or not."""
        with self._lock:
            if self._answer is None and self.compiler is not None:
                self._answer = self.compiler.answer()
            return self._answer is not None

    @property
    def failed(self) -> bool:
        """Whether it is over, and not well."""
        return self.ended and self._answer != DONE


class Compilers:
    """As many processes as there are processors; what comes later waits.

    Parameters
    ----------
    slots
        How many at a time; None for one per processor.
    start
        What makes a process.
    """

    def __init__(self, slots: int | None = None, start: Callable[[], Compiler] = Compiler) -> None:
        self.slots = slots or os.cpu_count() or 1
        self._start = start
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
            ended = [job for job in self._running if job.ended]
            self._running = [job for job in self._running if job not in ended]
            free = [job.compiler for job in ended if job.compiler is not None]
            while self._waiting and len(self._running) < self.slots:
                job = self._waiting.popleft()
                job.start(self._next(free))
                self._running.append(job)
            for compiler in free:
                compiler.end()

    def _next(self, free: list[Compiler]) -> Compiler:
        """A process that has nothing to do, or a new one."""
        while free:
            compiler = free.pop()
            if compiler.alive and compiler.begun < MOST_JOBS:
                return compiler
            compiler.end()
        return self._start()

    def leave(self, job: Job) -> None:
        """Say that a job is not wanted any more; the last one stops it."""
        with self._lock:
            job.wanted -= 1
            if job.wanted > 0:
                return
            if job in self._waiting:
                self._waiting.remove(job)
            if job.running:
                assert job.compiler is not None
                job.compiler.kill()
        self.poll()

    def stop(self) -> None:
        """End everything."""
        with self._lock:
            self._waiting.clear()
            for job in self._running:
                if job.compiler is not None:
                    job.compiler.kill()


COMPILERS = Compilers()
atexit.register(COMPILERS.stop)


class _Pickler(pickle.Pickler):
    """Modules by their names."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, types.ModuleType):
            return importlib.import_module, (value.__name__,)
        return NotImplemented


def packed(runners: Sequence[Runner]) -> bytes:
    """Runners as another process reads them, to compile their loops."""
    facts = [(r.policy, r.environment, r.checkpoints, r.skip_idle) for r in runners]
    buffer = io.BytesIO()
    _Pickler(buffer).dump(facts)
    return buffer.getvalue()


def read_packed(file: IO[bytes]) -> list[Runner]:
    """The runners of the next `packed` ones in a file."""
    return [
        Runner(policy, environment, checkpoints, seed=0, skip_idle=skip_idle)
        for policy, environment, checkpoints, skip_idle in pickle.load(file)
    ]


def main() -> None:
    """Compile what standard input names, job by job, and answer each with a byte."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    end_with(os.getppid())
    # What others might print is no answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    with contextlib.suppress(EOFError):
        while True:
            answers.write(bytes([_compiled(read_packed(sys.stdin.buffer))]))


def _compiled(runners: Sequence[Runner]) -> int:
    """Compile the loops of a job; what to answer."""
    try:
        for runner in runners:
            runner.compile()
            if not may_be_kept(loop.play, runner.loop_name):
                return NOT_KEPT
    except Exception:  # whoever wanted it compiles it again, and says what is wrong
        return FAILED
    return DONE


if __name__ == "__main__":
    main()
