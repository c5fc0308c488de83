r"""The journal of a run: JSON lines that are only ever appended.

The first line says what the run is about; each further line is one event. A line is written, and on
the disk (fsync), before the agent learns from it. So whatever ends the process, kill -9 and a power
cut included, no verdict that arrived is asked for again. A last line without its end was being
written at that moment: it is dropped. Any other line that cannot be read is damage, and is refused.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "run.jsonl"
>>> with Journal(path, {"kind": "arena"}) as journal:
...     journal.write(Entry("answer", 1, 0, 2, {"first": "a", "second": "b"}, 1.0))
>>> with path.open("a") as file:
...     characters = file.write('{"event": "ans')  # the process was killed here
>>> with Journal(path, {"kind": "arena"}) as journal:
...     [entry.call for entry in journal.entries]
[{'first': 'a', 'second': 'b'}]
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from factored_bandits import __version__
from factored_bandits.core.checks import shown
from factored_bandits.errors import DumpError, InvalidInputError

from .entries import Entry, entry_of

FORMAT = "factored-bandits/journal"
VERSION = 2  # 1: every retry was the same call


class Journal:
    """A journal, open for one run; what it held before is in `entries`.

    Parameters
    ----------
    path
        The file; it is made if it is not there.
    problem
        What the run is about, in JSON's types. A journal of another problem is refused.
    """

    def __init__(self, path: Path, problem: dict[str, Any]) -> None:
        self.path = path
        try:
            # without a buffer: what cannot be written must not be tried again when it is closed
            self._file = open(path, "a+b", buffering=0)  # noqa: SIM115 - open as long as the run
        except OSError as error:
            raise InvalidInputError(
                f"the journal {str(path)!r} cannot be written: {error.strerror or error}"
            ) from None

        try:
            if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
                raise InvalidInputError(
                    f"the journal must be an ordinary file, which {str(path)!r} is not"
                )
            self._lock()
            self.entries = self._read(problem)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def write(self, entry: Entry) -> None:
        """Append an event; it is on the disk when this returns."""
        self._append(entry.document())

    def _lock(self) -> None:
        if sys.platform == "win32":
            return  # nothing keeps two runs from one journal there
        import fcntl

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidInputError(
                f"another run is writing the journal {str(self.path)!r}; wait for it, or give "
                "this run a journal of its own"
            ) from None

    def _read(self, problem: dict[str, Any]) -> list[Entry]:
        self._file.seek(0)
        content = self._file.read()
        complete = content.rfind(b"\n") + 1
        lines = content[:complete].splitlines()
        if not lines:
            # Nothing but perhaps a torn first line; of another file, that would be its content.
            if content and not _is_torn_header(content):
                raise DumpError(f"{str(self.path)!r} is no journal of a run")
            self._file.truncate(0)
            self._append(_header(problem))
            self._keep_name()
            return []

        self._check_header(self._parsed(lines[0], 1), problem)
        entries = [
            entry_of(self._parsed(line, number), f"line {number} of {str(self.path)!r}")
            for number, line in enumerate(lines[1:], start=2)
        ]
        self._file.truncate(complete)
        return entries

    def _parsed(self, line: bytes, number: int) -> Any:
        try:
            return json.loads(line)
        except ValueError:
            if number == 1:
                raise DumpError(f"{str(self.path)!r} is no journal of a run") from None
            raise DumpError(
                f"line {number} of the journal {str(self.path)!r} is damaged: {shown(line)}"
            ) from None

    def _check_header(self, header: Any, problem: dict[str, Any]) -> None:
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise DumpError(f"{str(self.path)!r} is no journal of a run")
        if header.get("version") != VERSION:
            raise DumpError(
                f"the journal {str(self.path)!r} has version {shown(header.get('version'))}; this "
                f"library reads version {VERSION}"
            )

        before = header.get("problem")
        before = before if isinstance(before, dict) else {}
        now = _plain(problem)
        different = [name for name in {**now, **before} if now.get(name) != before.get(name)]
        if different:
            name = different[0]
            raise DumpError(
                f"the journal {str(self.path)!r} is of another run: there, {name} is "
                f"{shown(before.get(name))}, here {shown(now.get(name))}. Go on with the arguments "
                "of that run, or give another journal"
            )

    def _keep_name(self) -> None:
        """Make a new file last through a power cut, where the system can do that for folders."""
        if os.name != "posix":
            return
        with contextlib.suppress(OSError):  # some network disks refuse it
            folder = os.open(self.path.absolute().parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _append(self, document: dict[str, Any]) -> None:
        line = json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"
        rest = line.encode()
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            # all lines before this one are complete, so that a later run goes on from them
            raise OSError(
                error.errno, f"the journal cannot be written ({error.strerror})", str(self.path)
            ) from None


def _header(problem: dict[str, Any]) -> dict[str, Any]:
    return {"format": FORMAT, "version": VERSION, "library": __version__, "problem": problem}


def _is_torn_header(content: bytes) -> bool:
    opening = json.dumps({"format": FORMAT})[:-1].encode()
    return content.startswith(opening) or opening.startswith(content)


def _plain(problem: dict[str, Any]) -> dict[str, Any]:
    """As it is after a way through JSON: tuples are lists."""
    plain: dict[str, Any] = json.loads(json.dumps(problem))
    return plain
