"""Where results are kept: one Parquet file per finished task, which appears complete or not at all.

    DIR/results/EXPERIMENT/PRESET-NUMBER-DIGEST.parquet      regret: checkpoints x repetitions
    DIR/eliminations/...  and  DIR/plays/...                 the same task's details, written before
    DIR/damaged/...                                          files that could not be read, set aside

A task is finished when its three files are there. The digest in the name stands for the code, the
problem and the preset, so results of other code are left alone and never read as these.
"""

from __future__ import annotations

import contextlib
import os
import time
import uuid
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from factored_bandits.core.files import UNFINISHED, write_whole
from factored_bandits.errors import InvalidInputError

from .reading import check_file, read_files
from .tables import FRAMES
from .tasks import Task

if TYPE_CHECKING:
    import pandas

STALE = 86_400.0  # seconds after which a file that was never finished is swept away
DAMAGED = "damaged"  # the folder of files that were set aside


class DamagedFileWarning(UserWarning):
    """A file of results could not be read; what was in it is computed again."""


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

        for pattern in ("", "*/", "*/*/"):
            for path in self.root.glob(f"{pattern}.*{UNFINISHED}"):
                with contextlib.suppress(OSError):  # another run may sweep too
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

        try:
            file = (self.root / ".at-work").open("w")
        except OSError:  # nobody can work here; if all is finished, nobody needs to
            yield True
            return

        with file:
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
            True if its files are there.
        """
        # not `Path.exists`, which complains about folders that it may not enter
        return all(os.path.exists(self.path(frame, task)) for frame in FRAMES)

    def sound(self, chosen: Sequence[Task]) -> list[Task]:
        """The tasks that are finished and can be read; a warning names each file that cannot.

        Parameters
        ----------
        chosen
            The tasks to look at.

        Returns
        -------
        list of Task
            Those whose three files are as they were written.
        """
        found = []
        for task in chosen:
            complaints = self._complaints(task)
            for complaint in complaints.values():
                _warn(f"{complaint}; the next run computes it again")
            if self.has(task) and not complaints:
                found.append(task)

        return found

    def set_aside_damaged(self, chosen: Iterable[Task]) -> None:
        """Move files that cannot be read out of the way, so that their tasks are not finished.

        A warning names each of them.

        Parameters
        ----------
        chosen
            The tasks to look at.

        Raises
        ------
        InvalidInputError
            If a file cannot be moved.
        """
        for task in chosen:
            for path, complaint in self._complaints(task).items():
                aside = self._set_aside(path)
                _warn(f"{complaint}; it is kept as {str(aside)!r} and computed again")

    def _complaints(self, task: Task) -> dict[Path, str]:
        """The files of a finished task that cannot be read, with the reasons."""
        found: dict[Path, str] = {}
        if not self.has(task):
            return found

        for frame in FRAMES:
            path = self.path(frame, task)
            try:
                check_file(path, frame)
            except InvalidInputError as error:
                found[path] = str(error)

        return found

    def _set_aside(self, path: Path) -> Path:
        aside = self.root / DAMAGED / path.relative_to(self.root)
        if os.path.lexists(aside):  # it happened before
            aside = aside.with_name(f"{uuid.uuid4().hex[:8]}-{path.name}")

        try:
            aside.parent.mkdir(parents=True, exist_ok=True)
            # another run may have moved it meanwhile
            with contextlib.suppress(FileNotFoundError):
                path.rename(aside)
        except OSError as error:
            raise InvalidInputError(
                f"cannot set {str(path)!r} aside: {error.strerror or error}"
            ) from None

        return aside

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
                _write(self.path(frame, task), tables[frame])

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
        return read_files((self.path(frame, task) for task in chosen if self.has(task)), frame)


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as error:
        raise InvalidInputError(
            f"cannot write {str(path)!r}: {error.strerror or error}; what is finished is kept, and "
            "the next run goes on from there"
        ) from None


def _warn(sentence: str) -> None:
    warnings.warn(sentence, DamagedFileWarning, stacklevel=3)
