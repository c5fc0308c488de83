"""Disks that are full and files that may not be read, also for a user who may do anything."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

NOBODY = 65534


@contextlib.contextmanager
def small_disk(limit: int) -> Iterator[None]:
    """No file can grow beyond so many bytes: what fits is written, then comes an `OSError`."""
    resource = pytest.importorskip("resource", reason="limits are a matter of POSIX")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    writes_byte_code = not sys.dont_write_bytecode
    # what is imported meanwhile would be kept cut off, and break whoever imports it next
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = not writes_byte_code


@contextlib.contextmanager
def as_nobody() -> Iterator[None]:
    """The system may refuse something again: it refuses nothing to the superuser."""
    if os.name != "posix":
        pytest.skip("users are a matter of POSIX")
    if os.geteuid() != 0:
        yield
        return

    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@contextlib.contextmanager
def shared_folder() -> Iterator[Path]:
    """A folder that everybody may enter; those of `tmp_path` are their owner's."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
