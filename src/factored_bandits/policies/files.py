"""A policy of one's own from a file: `path/to/policy.py`."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import re
import sys
import traceback
import types
from collections.abc import Iterator
from pathlib import Path

from factored_bandits.errors import ContractError, InvalidInputError


def load_file(path: str | Path) -> types.ModuleType:
    """Load a policy module from a file; again only if the file has changed.

    Parameters
    ----------
    path
        A Python file. It can import the files beside it, as a script can.

    Returns
    -------
    module
        The module, named after the file.

    Raises
    ------
    InvalidInputError
        If there is no such file.
    ContractError
        If the file cannot be run; the message names the line.

    Examples
    --------
    >>> load_file("policies/mine.py")
    Traceback (most recent call last):
    factored_bandits.errors.InvalidInputError: there is no policy file 'policies/mine.py'
    """
    file = Path(path).expanduser()
    if not file.is_file():
        raise InvalidInputError(f"there is no policy file {str(path)!r}")
    return _loaded(file.resolve(), file.stat().st_mtime_ns)


def name_of(module: types.ModuleType) -> str:
    """The name of a policy module; that of its file for a script, "notebook" in a notebook.

    >>> from factored_bandits.policies import load
    >>> name_of(load("tea"))
    'tea'
    """
    if module.__name__ == "__main__":
        return _identifier(Path(getattr(module, "__file__", None) or "notebook"))
    return module.__name__.rpartition(".")[2].partition("@")[0]


def _identifier(file: Path) -> str:
    return re.sub(r"\W", "_", file.stem)


@functools.lru_cache
def _loaded(file: Path, changed: int) -> types.ModuleType:
    # The folder keeps files of one name apart. The name is the same in every process, so that what
    # is compiled can be found again.
    folder = hashlib.sha256(str(file.parent).encode()).hexdigest()[:8]
    module = types.ModuleType(f"{_identifier(file)}@{folder}")
    module.__file__ = str(file)

    # Annotations written as text are looked up there.
    sys.modules[module.__name__] = module
    try:
        with _importable(file.parent):
            source = importlib.util.decode_source(file.read_bytes())
            exec(compile(source, str(file), "exec"), vars(module))
    except Exception as error:
        del sys.modules[module.__name__]
        raise ContractError(_explained(file, error)) from error
    return module


@contextlib.contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Files in the folder can be imported meanwhile."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _explained(file: Path, error: Exception) -> str:
    """Which line of the file failed, and how."""
    lines = [
        line
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == str(file)
    ]
    if isinstance(error, SyntaxError):
        return f"{error.filename}, line {error.lineno}: {error.msg}"
    where = f", line {lines[-1]}" if lines else ""
    return f"{file}{where}: {type(error).__name__}: {error}"
