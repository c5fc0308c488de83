"""Where results are kept: one Parquet file per finished task, which appears complete or not at all.

    DIR/results/EXPERIMENT/PRESET-NUMBER-DIGEST.parquet      regret: checkpoints x repetitions
    DIR/eliminations/...  and  DIR/plays/...                 the same task's details, written before

A task is finished when its file in `results` is there. The digest in the name stands for the code,
the problem and the preset, so results of other code are left alone and never read as these.
"""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factored_bandits.core.stats import mean_of
from factored_bandits.errors import InvalidInputError, MissingExtraError

from .tables import FRAMES
from .tasks import Task

if TYPE_CHECKING:
    import pandas

STALE = 86_400.0  # seconds after which a file that was never finished is swept away
# columns of few texts that are repeated in every row: categories in memory
REPEATED = ("regret_unit", "arms", "task", "preset", "code", "version", "numpy", "numba", "machine")
# the columns of a table where nothing is finished yet
KEYS = ("experiment", "problem", "policy", "repetition")
EMPTY = {
    "results": (*KEYS, "round", "regret"),
    "eliminations": (*KEYS, "round", "factor", "level", "event", "task"),
    "plays": (*KEYS, "factor", "level", "plays", "task"),
}


class Store:
    """A folder of results.

    Parameters
    ----------
    root
        The folder; `prepare` makes it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder))
    ...     store.prepare()
    ...     sorted(path.name for path in store.root.iterdir())
    ['eliminations', 'plays', 'results']
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def prepare(self) -> None:
        """Make the folder, and sweep away what runs that were killed long ago left unfinished.

        Raises
        ------
        InvalidInputError
            If the folder cannot be made.
        """
        try:
            for frame in FRAMES:
                (self.root / frame).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInputError(f"{str(self.root)!r}: {error.strerror or error}") from None

        for path in self.root.glob("*/*/.*.unfinished"):
            with contextlib.suppress(FileNotFoundError):  # another run may sweep too
                if time.time() - path.stat().st_mtime > STALE:
                    path.unlink()

    @contextlib.contextmanager
    def at_work(self) -> Iterator[bool]:
        """Whether this is the first run on the folder; a run that is killed is forgotten."""
        try:
            import fcntl
        except ImportError:  # a system without such locks
            yield True
            return

        with (self.root / ".at-work").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield False
            else:
                yield True

    def path(self, frame: str, task: Task) -> Path:
        """The file of one task.

        Parameters
        ----------
        frame
            The table: `results`, `eliminations` or `plays`.
        task
            The task.

        Returns
        -------
        Path
            Where it is, or will be.
        """
        return self.root / frame / task.spec.name / task.file

    def has(self, task: Task) -> bool:
        """Whether a task is finished.

        Parameters
        ----------
        task
            The task.

        Returns
        -------
        bool
            True if its results are there.
        """
        return self.path("results", task).exists()

    def write(self, task: Task, tables: dict[str, bytes]) -> None:
        """Keep the results of a task; the file that makes it finished comes last.

        Parameters
        ----------
        task
            The task.
        tables
            Its tables, as the bytes of Parquet files.

        Raises
        ------
        InvalidInputError
            If a file cannot be written.
        """
        for frame in reversed(FRAMES):
            if frame in tables:
                write_whole(self.path(frame, task), tables[frame])

    def read(self, frame: str, chosen: Sequence[Task]) -> pandas.DataFrame:
        """One table of the tasks that are finished.

        Parameters
        ----------
        frame
            The table: `results`, `eliminations` or `plays`.
        chosen
            The tasks.

        Returns
        -------
        pandas.DataFrame
            Their rows, or none.

        Raises
        ------
        InvalidInputError
            If a file cannot be read.
        """
        paths = [self.path(frame, task) for task in chosen if self.has(task)]
        return read_files((path for path in paths if path.exists()), EMPTY[frame])


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever sees a part of it, whatever happens meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.unfinished")

    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise InvalidInputError(f"cannot write {str(path)!r}: {error.strerror or error}") from None

    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last, where the system lets a folder be opened."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_files(paths: Iterable[Path], columns: Sequence[str]) -> pandas.DataFrame:
    """The rows of several files as one frame."""
    try:
        import pandas as pd
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError.of(str(error.name), "lab", "the laboratory") from None

    tables: list[Any] = []
    for path in paths:
        try:
            tables.append(pyarrow.parquet.ParquetFile(path).read())
        except (pyarrow.ArrowInvalid, OSError) as error:
            raise InvalidInputError(
                f"{str(path)!r} cannot be read ({error}); delete it, and it is made again"
            ) from None

    if not tables:
        return pd.DataFrame({name: [] for name in columns})
    table = pyarrow.concat_tables(tables)
    frame: pandas.DataFrame = table.to_pandas(
        categories=[name for name in REPEATED if name in table.column_names]
    )
    return frame


def read_folder(root: Path, containing: dict[str, str] | None = None) -> pandas.DataFrame:
    """All rows of `results` in a folder, of whatever version, whose columns contain these texts."""
    paths = sorted((root / "results").glob("*/*.parquet"))
    if not paths:
        raise InvalidInputError(f"{str(root)!r} holds no results")

    frame = read_files(paths, EMPTY["results"])
    for column, text in (containing or {}).items():
        frame = frame[frame[column].str.contains(text, regex=False)]
    return frame


def overview(frame: pandas.DataFrame) -> list[dict[str, Any]]:
    """Mean regret at the horizon and the time it took, per policy on a problem and version."""
    keys = ["experiment", "problem", "policy", "preset", "code", "horizon"]
    last = frame[frame["round"] == frame.horizon]
    rows = []

    for values, group in last.groupby(keys, sort=False):
        mean = mean_of(group.regret.to_numpy())
        named: Any = zip(keys, tuple(values), strict=True)
        row: dict[str, Any] = dict(named)
        row["horizon"] = int(row["horizon"])
        row["repetitions"] = len(group)
        row["mean"] = mean.value
        row["standard_error"] = mean.error
        row["seconds"] = float(group.seconds.sum())
        rows.append(row)

    return rows
