"""Run experiments: what is missing in the folder, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from .display import ProgressDisplay
from .engines import Arguments, Engine
from .results import Results
from .spec import PresetName, Spec
from .store import Store
from .tasks import Task, make_tasks


def run(
    specs: Sequence[Spec],
    size: PresetName,
    out: Path,
    engine: Engine | None = None,
    progress: bool = True,
) -> list[Results]:
    """Run the units that `out` does not hold yet, and read everything back.

    It may be stopped at any moment, by any means; called again, it goes on.

    >>> import tempfile
    >>> from factored_bandits import lab
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = run([lab.load("horizon").SPEC], "quick", Path(folder), Engine(workers=1), progress=False)
    >>> found[0].missing
    0
    """
    engine = engine or Engine()
    engine.check()
    store = Store(out)
    store.prepare()
    named = {task.name: task for spec in specs for task in make_tasks(spec, size)}
    display = ProgressDisplay(
        {spec.name: sum(task.seconds for task in make_tasks(spec, size)) for spec in specs},
        progress,
    )

    for task in named.values():
        if store.has(task):
            display.found(task.spec.name, task.seconds)

    if any(display.finished.values()):
        display.show("the rest goes on from there")
    with store.at_work() as first:
        order = list(named.values())  # a second run on the same folder begins at the other end
        finished = engine.run(_tasks(store, order if first else order[::-1], size))
        for name, tables in finished:
            store.write(named[name], tables)
            display.done(named[name].spec.name, named[name].seconds)

    return [Results.read(store, spec, size) for spec in specs]


def _tasks(store: Store, every: Sequence[Task], size: PresetName) -> Iterator[Arguments]:
    """Looked at one by one, when a worker is free: another run may have finished some in the
    meantime.
    """
    for task in every:
        if not store.has(task):
            yield task.name, size, task.spec.source, task.file
