"""One unit of work: play its repetitions, give back three tables as the bytes of Parquet files."""

from __future__ import annotations

import dataclasses
import io
import os
import platform
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from importlib import metadata
from typing import Any

import numpy as np

from factored_bandits import __version__
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError, MissingExtraError
from factored_bandits.policies import Policy
from factored_bandits.simulation.checkpoints import checkpoints_of
from factored_bandits.simulation.result import ELIMINATED, RE_ENTERED, RunRecord
from factored_bandits.simulation.runner import Runner

from . import lookup as _lookup
from .spec import PresetName
from .tasks import Cell, Chunk, Task, make_tasks

FRAMES = ("results", "eliminations", "plays")
WHOLE = (
    "repetition",
    "round",
    "horizon",
    "seed",
    "factor",
    "level",
    "plays",
)  # columns of whole numbers
REAL = ("regret", "seconds")  # of real ones; all others are text
_warm: set[tuple[str, str]] = set()
_compiling = threading.Lock()


def work(name: str, size: PresetName, source: str = "", file: str = "") -> dict[str, bytes]:
    """Run the unit `name`; `source` is the text of the experiment's file, if it was not shipped.

    `file` is the name under which its results will be kept: a worker with other code would give it
    another.

    >>> sorted(work("horizon/0", "quick"))
    ['eliminations', 'plays', 'results']
    """
    experiment, _, number = name.rpartition("/")
    every = make_tasks(_lookup.spec_of(experiment, source), size)

    if file and file not in (task.file for task in every[int(number) : int(number) + 1]):
        raise InvalidInputError(
            f"{name}: the worker on {platform.node()} has other code; install the same version "
            "there"
        )

    task = every[int(number)]
    tables: dict[str, list[Any]] = {frame: [] for frame in FRAMES}

    for chunk in task.chunks:
        play = player(chunk.cell)
        last = chunk.first + chunk.repetitions
        records = [_timed(play, repetition) for repetition in range(chunk.first, last)]
        tables["results"].append(_results(task, chunk, records))
        tables["eliminations"].append(_eliminations(task, chunk, records))
        tables["plays"].append(_plays(task, chunk, records))

    return {frame: parquet(parts) for frame, parts in tables.items()}


def work_alone(
    name: str, size: PresetName, source: str, file: str, parent: int
) -> dict[str, bytes]:
    """`work` in a process of its own: leaves Ctrl-C to the parent, and ends with it."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(parent)
    return work(name, size, source, file)


_watched: set[int] = set()


def _end_with(parent: int) -> None:
    """A killed parent cannot tell its workers to stop, so they look."""
    if parent in _watched or os.getpid() == parent:
        return
    _watched.add(parent)

    def interaction_test() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=interaction_test, daemon=True).start()


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
    _compile(cell.policy, cell.problem)

    def play(repetition: int) -> RunRecord:
        record = runner.repetition(repetition, lambda index, t: False)
        assert record is not None  # nobody told it to stop
        return record

    return play


def _compile(policy: Policy, problem: Environment) -> None:
    """Compile before the clock runs, one thread at a time."""
    key = (policy.name, f"{problem.name} {problem.semi_bandit} {problem.params.get('noise')}")
    with _compiling:
        if key not in _warm:
            Runner(policy, problem, np.array([1]), seed=0).repetition(0, lambda index, t: True)
            _warm.add(key)


def _results(task: Task, chunk: Chunk, records: list[RunRecord]) -> dict[str, Any]:
    cell = chunk.cell
    points = checkpoints_of(cell.spec.checkpoints, cell.horizon)
    facts = {
        "horizon": cell.horizon,
        "regret_unit": cell.problem.unit,
        "arms": arms(cell.problem),
        "task": task.name,
        "size": task.size,
        "seed": cell.spec.seed,
        "code": cell.code,
        "version": __version__,
        "numpy": np.__version__,
        "numba": _version("numba"),
        "machine": f"{platform.system()} {platform.machine()} {platform.node()}",
    }
    rows = len(points) * chunk.repetitions

    return {
        **_labels(chunk, [len(points)] * chunk.repetitions),
        "round": np.tile(points, chunk.repetitions),
        "regret": np.concatenate([record.regret for record in records]),
        **{key: [value] * rows for key, value in facts.items()},
        "seconds": np.repeat([record.seconds for record in records], len(points)),
    }


def _labels(chunk: Chunk, counts: list[int]) -> dict[str, Any]:
    """The columns that say of what a row is, for so many rows per repetition."""
    cell = chunk.cell
    rows = sum(counts)

    return {
        "experiment": [cell.spec.name] * rows,
        "problem": [cell.instance.name] * rows,
        "policy": [cell.policy.label] * rows,
        "repetition": np.repeat(np.arange(chunk.first, chunk.first + chunk.repetitions), counts),
    }


def _eliminations(task: Task, chunk: Chunk, records: list[RunRecord]) -> dict[str, Any]:
    """When levels were eliminated and re-entered."""
    events = np.concatenate([record.events for record in records])

    return {
        **_labels(chunk, [len(record.events) for record in records]),
        "round": events[:, 0],
        "factor": events[:, 1],
        "level": events[:, 2],
        "event": np.where(events[:, 3] == 1, RE_ENTERED, ELIMINATED),
        "task": [task.name] * len(events),
    }


def _plays(task: Task, chunk: Chunk, records: list[RunRecord]) -> dict[str, Any]:
    """How often each level was played."""
    sizes = chunk.cell.problem.sizes
    levels = sum(sizes)

    return {
        **_labels(chunk, [levels] * chunk.repetitions),
        "factor": np.tile(np.repeat(np.arange(len(sizes)), sizes), chunk.repetitions),
        "level": np.tile(np.concatenate([np.arange(size) for size in sizes]), chunk.repetitions),
        "plays": np.concatenate([plays for record in records for plays in record.plays]),
        "task": [task.name] * (levels * chunk.repetitions),
    }


def arms(problem: Any) -> str:
    """How many arms or levels: "16", "16x16".

    >>> import factored_bandits as fb
    >>> arms(fb.environments.identical_gap(16, 0.7)), arms(fb.environments.spiked(4))
    ('16', '4x4')
    """
    sizes = problem.sizes[:1] if problem.kind == "duel" else problem.sizes
    return "x".join(map(str, sizes))


def parquet(parts: list[dict[str, Any]]) -> bytes:
    """Tables below each other, as the bytes of a Parquet file; a table without rows has the same
    types.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError.of("pyarrow", "lab", "the laboratory") from None

    kinds = {name: pyarrow.int64() for name in WHOLE} | {name: pyarrow.float64() for name in REAL}
    schema = pyarrow.schema([(name, kinds.get(name, pyarrow.string())) for name in parts[0]])
    buffer = io.BytesIO()
    tables = [pyarrow.table(columns, schema=schema) for columns in parts]
    pyarrow.parquet.write_table(pyarrow.concat_tables(tables), buffer, compression="zstd")
    return buffer.getvalue()


def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "none"
