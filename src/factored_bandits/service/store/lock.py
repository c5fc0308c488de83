"""One process at a time: a lock on a file beside the database.

Not on the database itself: whoever closes that file by another way gives up the locks that SQLite
holds on it.
"""

from __future__ import annotations

import os
import sys
import weakref
from pathlib import Path

from factored_bandits.errors import StoreError


class ProcessLock:
    """Held from the time it is made until `release`; the system gives it back if we die."""

    def __init__(self, database: Path) -> None:
        path = database.with_name(f"{database.name}.lock")
        self._file: int | None = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        if sys.platform == "win32":
            return  # nothing keeps two processes from one database there, beyond SQLite itself
        import fcntl

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.release()
            raise StoreError(
                f"another process has {str(database)!r} open. A database file is for one process; "
                "let several threads share it, or use a postgresql:// database for several "
                "processes"
            ) from None
        _HELD.add(self)

    def release(self) -> None:
        """Let others have it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


_HELD: weakref.WeakSet[ProcessLock] = weakref.WeakSet()


def _forget() -> None:
    """In a forked process: it must not keep the lock when its parent has died."""
    for lock in list(_HELD):
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
