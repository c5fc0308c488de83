"""Run experiments: what is missing in the folder, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from .display import Board
from .engines import Engine, Task
from .results import Results
from .spec import SizeName, Spec
from .store import Store
from .tasks import Unit, units


def run(
    specs: Sequence[Spec], size: SizeName, out: Path, engine: Engine | None = None, progress: bool = True
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
    named = {unit.name: unit for spec in specs for unit in units(spec, size)}
    board = Board({spec.name: sum(unit.seconds for unit in units(spec, size)) for spec in specs}, progress)
    for unit in named.values():
        if store.has(unit):
            board.found(unit.spec.name, unit.seconds)
    if any(board.finished.values()):
        board.show("the rest goes on from there")
    with store.at_work() as first:
        order = list(named.values())  # a second run on the same folder begins at the other end
        finished = engine.run(_tasks(store, order if first else order[::-1], size))
        for name, tables in finished:
            store.write(named[name], tables)
            board.done(named[name].spec.name, named[name].seconds)
    return [Results.read(store, spec, size) for spec in specs]


def _tasks(store: Store, every: Sequence[Unit], size: SizeName) -> Iterator[Task]:
    """Looked at one by one, when a worker is free: another run may have finished some in the meantime."""
    for unit in every:
        if not store.has(unit):
            yield unit.name, size, unit.spec.source, unit.file
