"""`simulate`: one policy on one problem, many repetitions, equal on any number of workers."""

from __future__ import annotations

import itertools
import math
import os
import threading
import time
import types
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Literal

import numpy as np

from factored_bandits.core import memory
from factored_bandits.core.checks import Form, flag, form, integer
from factored_bandits.core.kernel import compiles
from factored_bandits.core.progress import Progress
from factored_bandits.environments import Environment
from factored_bandits.policies import Policy, make
from factored_bandits.policies.footprint import check_memory

from .checkpoints import checkpoints_of, horizon_of
from .record import RunRecord
from .result import Result
from .runner import Runner, check_playable
from .tiers import Tiers, tiers_for
from .trial import try_out

MOST_REPETITIONS = 10**9
MOST_WORKERS = 4096
LARGEST_SEED = 2**63
BYTES_PER_RECORD = 1_500  # of a repetition, beside its checkpoints, plays and eliminations
WATCH_EVERY = 0.5  # seconds
COMPILING = "compiling (once; kept for next time)"


def simulate(
    policy: str | types.ModuleType | Policy,
    environment: Environment,
    horizon: float,
    repetitions: int = 20,
    seed: int = 0,
    checkpoints: Sequence[int] | int | None = None,
    workers: int | None = None,
    *,
    permute: bool = True,
    skip_idle: bool = True,
    progress: bool = True,
    certify: bool | Literal["checkpoints"] = False,
    compiled: Form = "auto",
    watch: Callable[[Result], str] | None = None,
) -> Result:
    """Run a policy on a problem and measure its regret.

    After Ctrl-C the repetitions that are finished are returned, marked `interrupted`.

    Parameters
    ----------
    policy
        A label such as `"tea(bound=betting)"`, a made policy, a module that follows the contract,
        or the path of its file, `"path/to/mine.py"`.
    environment
        The problem, made by `fb.environments`.
    horizon
        The number of rounds of a repetition.
    repetitions
        How many independent repetitions to run.
    seed
        Same seed, same numbers; policies compared under one seed meet the same noise.
    checkpoints
        The rounds at which regret is noted, or how many (log-spaced; 100 by default).
    workers
        The number of threads; by default one per processor.
    permute
        Shuffle the levels in every repetition, so that no policy profits from the order in which
        they are listed. Results are always in the order of the environment.
    skip_idle
        Jump over rounds in which nothing can change.
    progress
        Show a progress bar if it takes more than two seconds.
    certify
        Keep what `fb.certificate` needs; with "checkpoints" also how sure it was at each of them,
        which says how many rounds it took (`Result.certified_after`).
    compiled
        "auto" begins in plain Python and goes over to compiled code as soon as it is there, which
        another process makes if the run would take long; True waits for it; False stays in plain
        Python. The numbers are the same.
    watch
        Called with all repetitions that are finished, twice a second and at the end; what it
        returns stands behind the progress bar.

    Returns
    -------
    A `Result`: a record per repetition, and arrays made of them.

    Raises
    ------
    InvalidInputError
        If an argument is wrong, or the policy cannot play the problem.
    RewardOutOfRangeError
        If a reward lies outside the range that was declared to the policy.
    ContractError
        If a policy or an environment of your own breaks the contract; the message names the file
        and the line.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> environment = fb.environments.spiked(levels=4, best=0.81, gap=0.5)
    >>> result = fb.simulate("tea", environment, 100_000, repetitions=4, seed=1, progress=False)
    >>> result.regret.shape, result.summary().correct
    ((4, 100), 1.0)
    """
    made = make(policy)
    rounds = horizon_of(horizon)
    repetitions = integer("repetitions", repetitions, 1, MOST_REPETITIONS)
    seed = integer("seed", seed, 0, LARGEST_SEED)
    threads = _threads(workers)
    points = checkpoints_of(checkpoints, rounds)
    permute = flag("permute", permute)
    skip_idle = flag("skip_idle", skip_idle)
    progress = flag("progress", progress)
    follow = isinstance(certify, str) and certify == "checkpoints"
    certify = follow or flag("certify", certify)
    compiled = form("compiled", compiled)
    check_playable(made, environment, rounds)
    check_memory(made, np.array(environment.sizes), copies=min(threads, repetitions))
    _check_records(repetitions, len(points), environment)

    runner = Runner(
        made,
        environment,
        points,
        seed,
        permute=permute,
        skip_idle=skip_idle,
        certify=certify,
        follow=follow,
    )
    if runner.own:
        try_out(runner)
    if certify:
        # Refuses a policy that cannot certify; those that can have small states.
        runner.p_values(runner.new_state() if made.certifies else None)

    title = f"{made.label} on {environment}"
    total = repetitions * math.log1p(rounds)
    with Progress(title, total, progress) as bar:

        def watched(records: tuple[RunRecord, ...]) -> str:
            return watch(Result(made, environment, records, points, seed)) if watch else ""

        tiers = tiers_for(runner, repetitions, compiled)
        try:
            records, interrupted = _run_all(runner, tiers, repetitions, threads, bar, watched)
        finally:
            if tiers is not None:
                tiers.close()

    if not records:
        raise KeyboardInterrupt
    return Result(made, environment, records, points, seed, interrupted)


def _note(tiers: Tiers | None, reached: Sequence[float]) -> str:
    """What to say beside how far the run is."""
    if tiers is not None:
        return tiers.note
    return COMPILING if compiles() and not any(reached) else ""


def _check_records(repetitions: int, checkpoints: int, environment: Environment) -> None:
    """Refuse more repetitions than records fit into memory."""
    each = BYTES_PER_RECORD + 9 * checkpoints + 8 * sum(environment.sizes)
    memory.check(
        f"{repetitions:,} repetitions with {checkpoints:,} checkpoints",
        each * repetitions,
        fits=lambda free: f"{free // each:,} repetitions would fit",
    )


def _threads(workers: int | None) -> int:
    """How many threads to use: interpreted loops hold the lock, so one suffices for them."""
    asked = (os.cpu_count() or 1) if workers is None else workers
    checked = integer("workers", asked, 1, MOST_WORKERS)
    return checked if compiles() else 1


class Threads(ThreadPoolExecutor):
    """Threads that nobody waits for: one that compiles hears of Ctrl-C only when it has ended."""

    def __exit__(self, *error: object) -> None:
        self.shutdown(wait=False)


def _run_all(
    runner: Runner,
    tiers: Tiers | None,
    repetitions: int,
    workers: int,
    bar: Progress,
    watched: Callable[[tuple[RunRecord, ...]], str],
) -> tuple[tuple[RunRecord, ...], bool]:
    """All repetitions, on threads (the compiled loop runs outside the interpreter's lock)."""
    stop = threading.Event()
    reached = [0.0] * repetitions

    def report(index: int, t: int) -> bool:
        reached[index] = math.log1p(min(t, runner.horizon))
        return stop.is_set()

    done: dict[int, RunRecord] = {}
    pending: set[Future[RunRecord | None]] = set()
    remaining = iter(range(repetitions))
    interrupted = False
    seen = ""
    said = 0.0

    with Threads(workers) as pool:
        try:
            while len(done) < repetitions:
                # Only a few are queued at a time, so that memory does not grow with repetitions.
                for index in itertools.islice(remaining, 2 * workers - len(pending)):
                    pending.add(pool.submit(runner.repetition, index, report, tiers))

                finished, pending = wait(pending, timeout=0.1, return_when="FIRST_COMPLETED")
                for future in finished:
                    record = future.result()
                    assert record is not None  # nobody has told it to stop
                    done[record.repetition] = record
                now = time.monotonic()
                if finished and (now - said > WATCH_EVERY or len(done) == repetitions):
                    seen = watched(tuple(done[index] for index in sorted(done)))
                    said = now

                bar.update(sum(reached), _note(tiers, reached), seen)
        except BaseException as error:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            if not isinstance(error, KeyboardInterrupt):
                raise
            interrupted = True

    return tuple(done[index] for index in sorted(done)), interrupted
