"""One unit of work: play its repetitions, give back three tables as the bytes of Parquet files."""

from __future__ import annotations

import io
import os
import platform
import signal
import threading
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np

from .. import __version__
from ..errors import MissingExtra
from ..policies import Policy
from ..simulation import Job, checkpoints_of
from . import _lookup
from ._record import Record
from ._spec import SizeName
from ._units import Unit, units

FRAMES = ("results", "eliminations", "plays")
_warm: set[tuple[str, str]] = set()
_compiling = threading.Lock()


def work(name: str, size: SizeName, source: str = "") -> dict[str, bytes]:
    """Run the unit `name`; `source` is the text of the experiment's file, if it was not shipped.

    >>> sorted(work("horizon/0", "quick"))
    ['eliminations', 'plays', 'results']
    """
    experiment, _, number = name.rpartition("/")
    unit = units(_lookup.spec_of(experiment, source), size)[int(number)]
    play = player(unit, source)
    records, seconds = [], []
    for repetition in range(unit.first, unit.first + unit.count):
        began = time.thread_time()
        records.append(play(repetition))
        seconds.append(time.thread_time() - began)
    return {"results": parquet(_results(unit, records, seconds)), **_details(unit, records)}


def work_alone(name: str, size: SizeName, source: str, parent: int) -> dict[str, bytes]:
    """`work` in a process of its own: leaves Ctrl-C to the parent, and ends with it."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(parent)
    return work(name, size, source)


_watched: set[int] = set()


def _end_with(parent: int) -> None:
    """A killed parent cannot tell its workers to stop, so they look."""
    if parent in _watched or os.getpid() == parent:
        return
    _watched.add(parent)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def player(unit: Unit, source: str = "") -> Callable[[int], Record]:
    """What plays one repetition: the simulator, or the experiment's own way."""
    setting = unit.setting
    points = checkpoints_of(setting.spec.checkpoints, setting.horizon)
    own = None if source else _lookup.own_play(setting.spec.name)
    if own is not None:
        return lambda repetition: own(setting, points, repetition)
    job = Job(setting.policy, setting.problem, points, setting.spec.seed, True, True)
    _compile(setting.policy, job)

    def play(repetition: int) -> Record:
        done = job.repetition(repetition, lambda index, t: False)
        assert done is not None  # nobody told it to stop
        return Record(done[0].regret[:-1], done[0].plays, done[1])

    return play


def _compile(policy: Policy, job: Job) -> None:
    """Compile before the clock runs, one thread at a time."""
    key = policy.name, f"{job.problem.name} {job.problem.parts} {job.problem.params.get('noise')}"
    with _compiling:
        if key not in _warm:
            Job(policy, job.problem, np.array([1, int(job.checkpoints[-1])])[:1], 0, True, True).repetition(
                0, lambda index, t: True
            )
            _warm.add(key)


def _results(unit: Unit, records: list[Record], seconds: list[float]) -> dict[str, Any]:
    setting = unit.setting
    points = checkpoints_of(setting.spec.checkpoints, setting.horizon)
    rows = len(points) * unit.count
    constant = {
        "experiment": setting.spec.name,
        "problem": setting.case.name,
        "policy": setting.policy.label,
    }
    facts = {
        "horizon": setting.horizon,
        "regret_unit": setting.problem.unit,
        "arms": arms(setting.problem),
        "unit": unit.name,
        "size": unit.size,
        "seed": setting.spec.seed,
        "code": setting.code,
        "version": __version__,
        "numpy": np.__version__,
        "numba": _version("numba"),
        "machine": f"{platform.system()} {platform.machine()} {platform.node()}",
    }
    return {
        **{key: [value] * rows for key, value in constant.items()},
        "repetition": np.repeat(np.arange(unit.first, unit.first + unit.count), len(points)),
        "round": np.tile(points, unit.count),
        "regret": np.concatenate([record.regret for record in records]),
        **{key: [value] * rows for key, value in facts.items()},
        "seconds": np.repeat(seconds, len(points)),
    }


def arms(problem: Any) -> str:
    """How many arms or levels: "16", "16x16".

    >>> import factored_bandits as fb
    >>> arms(fb.environments.identical_gap(16, 0.7)), arms(fb.environments.spiked(4))
    ('16', '4x4')
    """
    sizes = problem.sizes[:1] if problem.kind == "duel" else problem.sizes
    return "x".join(map(str, sizes))


def _details(unit: Unit, records: list[Record]) -> dict[str, bytes]:
    """When levels went out and came back, and how often each was played."""
    setting = unit.setting
    start = np.concatenate([[0], np.cumsum(setting.problem.sizes)])
    labels = (setting.spec.name, setting.case.name, setting.policy.label, unit.name)

    def table(columns: dict[str, Any], counts: list[int]) -> dict[str, Any]:
        rows = sum(counts)
        named = zip(("experiment", "problem", "policy", "unit"), labels, strict=True)
        repetitions = np.repeat(np.arange(unit.first, unit.first + unit.count), counts)
        return {**{key: [value] * rows for key, value in named}, "repetition": repetitions, **columns}

    found = {}
    events = np.concatenate([record.events for record in records])
    if len(events):
        factors = np.searchsorted(start, events[:, 1], side="right") - 1
        columns = {
            "round": events[:, 0],
            "factor": factors,
            "level": events[:, 1] - start[factors],
            "event": np.where(events[:, 2] == 1, "in", "out"),
        }
        found["eliminations"] = parquet(table(columns, [len(record.events) for record in records]))
    levels = np.arange(start[-1])
    factors = np.searchsorted(start, levels, side="right") - 1
    columns = {
        "factor": np.tile(factors, unit.count),
        "level": np.tile(levels - start[factors], unit.count),
        "plays": np.concatenate([record.plays for record in records]),
    }
    found["plays"] = parquet(table(columns, [len(levels)] * unit.count))
    return found


def parquet(columns: dict[str, Any]) -> bytes:
    """The columns as the bytes of a Parquet file."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra.of("pyarrow", "lab", "the laboratory") from None
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), buffer, compression="zstd")
    return buffer.getvalue()


def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "none"
