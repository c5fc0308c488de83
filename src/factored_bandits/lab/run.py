"""Run experiments: what is missing in the folder, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from factored_bandits.simulation.runner import Runner

from .display import ProgressDisplay
from .engines import Arguments, Engine
from .results import Results
from .spec import PresetName, Spec
from .store import Store
from .tasks import Task, make_tasks


def run(
    specs: Sequence[Spec],
    preset: PresetName,
    out: Path,
    engine: Engine | None = None,
    progress: bool = True,
) -> list[Results]:
    """Run the tasks that `out` does not hold yet, and read everything back.

    It may be stopped at any moment, by any means; called again, it goes on. A damaged file is moved
    to the folder `damaged`, named by a `DamagedFileWarning`, and computed again.

    Parameters
    ----------
    specs
        The experiments.
    preset
        How much of them: `"quick"`, `"full"`, or a multiple such as `"fullx100"`.
    out
        The folder of results.
    engine
        Who runs the tasks; by default a process per core.
    progress
        Whether progress is shown on standard error.

    Returns
    -------
    list of Results
        One per experiment.

    Raises
    ------
    InvalidInputError
        If the folder cannot be written, or the engine cannot be reached.

    Examples
    --------
    >>> import tempfile
    >>> from factored_bandits import lab
    >>> horizon = lab.load("horizon").SPEC
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [found] = run([horizon], "quick", Path(folder), Engine(workers=1), progress=False)
    >>> found.missing
    0
    """
    engine = engine or Engine()
    engine.check()
    store = Store(out)
    store.prepare()
    named = {task.name: task for spec in specs for task in make_tasks(spec, preset)}
    totals = {spec.name: sum(task.seconds for task in make_tasks(spec, preset)) for spec in specs}
    display = ProgressDisplay(totals, progress)
    store.set_aside_damaged(named.values())

    for task in named.values():
        if store.has(task):
            display.found(task.spec.name, task.seconds)

    try:
        _run_missing(named, store, engine, preset, display)
    finally:
        display.close()

    return [Results.read(store, spec, preset) for spec in specs]


def _run_missing(
    named: dict[str, Task],
    store: Store,
    engine: Engine,
    preset: PresetName,
    display: ProgressDisplay,
) -> None:
    """Run the tasks that are not finished, and keep each as soon as it is."""
    if any(display.finished.values()):
        display.show("the rest goes on from there")

    with store.at_work() as first:
        order = list(named.values())
        if not first:
            order.reverse()  # a second run on the same folder begins at the other end

        engine.warm(_runners(store, order), display.enabled)
        display.start()
        for name, tables in engine.run(_tasks(store, order, preset)):
            store.write(named[name], tables)
            display.done(named[name].spec.name, named[name].seconds)


def _runners(store: Store, every: Sequence[Task]) -> list[Runner]:
    """A runner for every loop that the tasks need, so that no two workers compile the same one."""
    found: dict[tuple[object, ...], Runner] = {}
    for task in every:
        if not store.has(task):
            for cell in {chunk.cell for chunk in task.chunks if not chunk.cell.own_play}:
                problem = cell.problem
                kind = (problem.module.__name__, problem.semi_bandit, problem.stationary)
                key = (cell.policy.name, *kind, len(problem.sizes))
                if key not in found:
                    found[key] = Runner(cell.policy, problem, np.array([cell.horizon]), seed=0)
    return list(found.values())


def _tasks(store: Store, every: Sequence[Task], preset: PresetName) -> Iterator[Arguments]:
    """The tasks to run, looked up when a worker is free: another run may have finished some."""
    for task in every:
        if not store.has(task):
            yield task.name, preset, task.spec.source, task.file
