"""Compiled loops on disk, for the next process.

numba's cache, with what it lacks: a damaged file is one that is not there, and a full disk is no
error. Where nothing can be kept, loops are compiled in every process, and that is said once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import warnings
from collections.abc import Mapping
from typing import Any

import numba

from factored_bandits.errors import CacheWarning

MOST_BYTES = 128 * 2**20  # of compiled loops in a folder; all policies together are some 40 MB
_WARNED: list[str] = []  # why nothing can be kept, once that was said

caching: Any = numba.core.caching
dumps: Any = numba.core.serialize.dumps


def can_be_kept(loop: Any, kernels: Mapping[str, Any]) -> bool:
    """Whether another process could find it again."""
    # numba keeps its cache beside the source file, so a loop typed into a shell has none. The types
    # of a script or a notebook are new ones in every process.
    typed_in = any(function.__module__ == "__main__" for function in kernels.values())
    return os.path.exists(loop.__code__.co_filename) and not typed_in


def kept(compiled: Any) -> Any:
    """The compiled function with a cache on disk, if there is a folder for it."""
    try:
        compiled._cache = Cache(compiled.py_func)
    except (RuntimeError, OSError):  # no locator available; a source file that cannot be read
        _warn_once("neither the package's folder nor the user's cache folder can be written")
    return compiled


class Contents(caching.CompileResultCacheImpl):  # type: ignore[misc]
    """Compiled code under a checksum: a changed bit in machine code shows in no other way."""

    if not os.path.isabs(os.path.expanduser("~")):
        # Without a home the user's folder would be a folder named "~" in the current one.
        _locator_classes = [
            locator
            for locator in caching.CompileResultCacheImpl._locator_classes
            if not locator.__name__.endswith("UserWideCacheLocator")  # underscored until 0.61
        ]

    def reduce(self, data: Any) -> Any:
        """What is written: the checksum, and what numba writes."""
        content = dumps(super().reduce(data))
        return _checksum(data.codegen, content), content

    def rebuild(self, target_context: Any, reduced_data: Any) -> Any:
        """The compiled code, if it is what was written for this processor."""
        checksum, content = reduced_data
        if checksum != _checksum(target_context.codegen(), content):
            raise ValueError("the checksum of the compiled code differs")
        return super().rebuild(target_context, pickle.loads(content))


class Cache(caching.FunctionCache):  # type: ignore[misc]
    """To which a damaged file is one that is not there, and a full disk no error."""

    _impl_class = Contents

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for these types; None if it must be compiled."""
        try:
            found = super().load_overload(sig, target_context)
            if found is None or found.signature.args == tuple(sig):
                self._note_use(found)
                return found
        except Exception:  # whatever damaged bytes lead to
            found = None

        # An unreadable index could not be added to: begin a new one.
        try:
            self.flush()
        except OSError as error:
            _warn_once(error.strerror or str(error))
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the compiled function, if there is room."""
        try:
            super().save_overload(sig, data)
            forget_oldest(self.cache_path)
        except Exception as error:  # of the disk, or of an index damaged meanwhile
            _warn_once(getattr(error, "strerror", None) or str(error))

    def _note_use(self, found: Any) -> None:
        """What was used last is forgotten last."""
        if found is not None:
            with contextlib.suppress(OSError):  # a cache of others, which may only be read
                os.utime(self._cache_file._index_path)


def forget_oldest(folder: str, most_bytes: int = MOST_BYTES) -> None:
    """Remove loops from a folder, the one first that was not used for longest, until all fit.

    A loop of code that has changed is never asked for again, so it is among the first to go.
    """
    loops: dict[str, list[tuple[float, int, str]]] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".nbi", ".nbc")):
                # An index, and the code for each processor and types: name-line.py311.1.nbc
                facts = entry.stat()
                loop = entry.name.rpartition("-")[0]
                loops.setdefault(loop, []).append((facts.st_mtime, facts.st_size, entry.path))

    room = most_bytes
    for files in sorted(loops.values(), key=max, reverse=True):
        room -= sum(size for _, size, _ in files)
        if room < 0:
            for _, _, path in files:
                with contextlib.suppress(FileNotFoundError):  # another process was quicker
                    os.remove(path)


def _checksum(codegen: Any, content: bytes) -> bytes:
    """A digest of compiled code and of the processor that it was compiled for."""
    return hashlib.sha256(repr(codegen.magic_tuple()).encode() + content).digest()


def _warn_once(reason: str) -> None:
    if _WARNED:
        return
    _WARNED.append(reason)
    warnings.warn(
        f"compiled loops cannot be kept on disk ({reason}), so every process compiles them again, "
        "some seconds per policy; NUMBA_CACHE_DIR names another folder",
        CacheWarning,
        stacklevel=2,
    )
