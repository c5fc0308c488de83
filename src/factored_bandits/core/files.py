"""Files that appear complete or not at all, whatever happens while they are written."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

UNFINISHED = ".unfinished"  # how the name of a draft ends


@contextlib.contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """A draft beside a file, which takes its place when the block has ended without an error.

    The draft is on the disk before it is renamed, and removed if anything goes wrong. A link keeps
    pointing where it did, and a file keeps its permissions; one that may not be written is refused.
    What is no ordinary file, such as a pipe or `/dev/full`, is written directly.

    Parameters
    ----------
    path
        The file that is wanted.

    Yields
    ------
    Path
        Where to write.

    Raises
    ------
    OSError
        If the file may not be written, or the draft cannot be flushed or renamed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     wanted = Path(folder) / "rows.csv"
    ...     with draft_of(wanted) as draft:
    ...         characters = draft.write_text("a,b")
    ...         wanted.exists()
    ...     wanted.read_text()
    False
    'a,b'
    """
    # not `resolve`, which complains about links in a circle; opening the draft will
    target = Path(os.path.realpath(path))
    if os.path.exists(target) and not os.path.isfile(target):
        yield target
        return

    replaces = os.path.exists(target)
    effective = os.access in os.supports_effective_ids
    if replaces and not os.access(target, os.W_OK, effective_ids=effective):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))

    draft = target.with_name(f".{uuid.uuid4().hex}{UNFINISHED}")
    try:
        yield draft
        _flush(draft)
        if replaces:
            shutil.copymode(target, draft)
        draft.replace(target)
    except BaseException:
        # the first error is the one to tell
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise

    _flush_folder(target.parent)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever sees a part of it.

    Parameters
    ----------
    path
        The file; its folder must be there.
    content
        All of it.

    Raises
    ------
    OSError
        If it cannot be written; then nothing has changed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "new", b"content")
    ...     [path.name for path in Path(folder).iterdir()]
    ['new']
    """
    with draft_of(path) as draft:
        draft.write_bytes(content)


def _flush(path: Path) -> None:
    """Wait until a file is on the disk."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _flush_folder(folder: Path) -> None:
    """Make a new name last through a power cut, where the system can do that for folders."""
    if os.name != "posix":
        return

    # some network disks refuse it; the file is there all the same
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
