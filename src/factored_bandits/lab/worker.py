"""One task: play its repetitions, and return three tables as the bytes of Parquet files."""

from __future__ import annotations

import dataclasses
import platform
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from factored_bandits.core.following import end_with
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy
from factored_bandits.simulation.checkpoints import checkpoints_of
from factored_bandits.simulation.record import RunRecord
from factored_bandits.simulation.runner import Runner

from . import lookup as _lookup
from .spec import PresetName
from .tables import FRAMES, parquet, tables_of
from .tasks import Cell, make_tasks

# What was compiled in this process already.
_warm: set[tuple[str, str]] = set()
_compiling = threading.Lock()


def work(name: str, preset: PresetName, source: str = "", file: str = "") -> dict[str, bytes]:
    """Run a task.

    Parameters
    ----------
    name
        The experiment and the number of the task, such as `"horizon/0"`.
    preset
        The preset that the task belongs to.
    source
        The text of the experiment's file, if it was not shipped.
    file
        The name under which the results will be kept: a worker with other code would give them
        another.

    Returns
    -------
    dict of bytes
        The tables `results`, `eliminations` and `plays` as Parquet files.

    Raises
    ------
    InvalidInputError
        If this worker has other code than the one who asks.

    Examples
    --------
    >>> sorted(work("horizon/0", "quick"))
    ['eliminations', 'plays', 'results']
    """
    experiment, _, digits = name.rpartition("/")
    number = int(digits)
    every = make_tasks(_lookup.spec_of(experiment, source), preset)

    # with other code there may be no task of this number
    if file and file not in [task.file for task in every[number : number + 1]]:
        raise InvalidInputError(
            f"{name}: the worker on {platform.node()} has other code; install the same version "
            "there"
        )

    task = every[number]
    tables: dict[str, list[Any]] = {frame: [] for frame in FRAMES}

    for chunk in task.chunks:
        play = player(chunk.cell)
        end = chunk.first + chunk.repetitions
        records = [_timed(play, repetition) for repetition in range(chunk.first, end)]
        for frame, columns in tables_of(task, chunk, records).items():
            tables[frame].append(columns)

    return {frame: parquet(parts) for frame, parts in tables.items()}


def work_alone(
    name: str, preset: PresetName, source: str, file: str, parent: int
) -> dict[str, bytes]:
    """`work` in a process of its own: leaves Ctrl-C to the parent, and ends with it."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(parent)
    return work(name, preset, source, file)


def _timed(play: Callable[[int], RunRecord], repetition: int) -> RunRecord:
    """The record of a repetition with the processor time that it took."""
    began = time.thread_time()
    record = play(repetition)
    return dataclasses.replace(record, seconds=time.thread_time() - began)


def player(cell: Cell) -> Callable[[int], RunRecord]:
    """What plays one repetition: the simulator, or the experiment's own way."""
    points = checkpoints_of(cell.spec.checkpoints, cell.horizon)
    own = _lookup.own_play(cell.spec.name) if cell.own_play else None
    if own is not None:
        return partial(own, cell, points)

    runner = Runner(cell.policy, cell.problem, points, cell.spec.seed)
    runner.certify = _certifies(runner)
    runner.follow = runner.certify and cell.spec.confidence
    _compile(cell.policy, cell.problem)

    def play(repetition: int) -> RunRecord:
        record = runner.repetition(repetition, lambda index, t: False)
        assert record is not None  # nobody told it to stop
        return record

    return play


def _certifies(runner: Runner) -> bool:
    """Whether the policy has p-values on this problem."""
    if not runner.policy.certifies:
        return False  # some of those have large states
    try:
        runner.p_values(runner.new_state())
    except InvalidInputError:
        return False
    return True


def _compile(policy: Policy, problem: Environment) -> None:
    """Compile before the clock runs, one thread at a time."""
    kind = f"{problem.name} {problem.semi_bandit} {problem.params.get('noise')}"
    key = (policy.name, f"{kind} {len(problem.sizes)}")
    with _compiling:
        if key not in _warm:
            Runner(policy, problem, np.array([1]), seed=0).repetition(0, lambda index, t: True)
            _warm.add(key)
