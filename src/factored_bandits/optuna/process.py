"""Which process runs a trial, and whether it still exists."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import platform
import sys
import uuid
from pathlib import Path


def this_process() -> str:
    """A name of this process that no other one has, on this machine or elsewhere.

    >>> this_process() == this_process()
    True
    """
    return _name_of(os.getpid())


@functools.cache
def _name_of(number: int) -> str:
    return json.dumps([*_place(), number, _started(number)])


def is_gone(process: str) -> bool:
    """Whether a process certainly no longer exists; of those on other machines nothing is known.

    >>> is_gone(this_process())
    False
    >>> host, namespace, boot, number, started = json.loads(this_process())
    >>> is_gone(json.dumps(["elsewhere", namespace, boot, number, "earlier"]))
    False
    """
    host, namespace, boot, number, started = json.loads(process)
    here = _place()
    if (host, namespace) != here[:2]:
        return False
    if boot != here[2]:  # the machine was started again
        return True
    now = _started(number)
    if started is None or now is None:
        return _is_free(number)
    return now != started  # the number may have been given to another process since


@functools.cache
def _place() -> tuple[str, str, str]:
    """The machine, the process namespace (of a container), and when the machine was started."""
    namespace = boot = ""
    with contextlib.suppress(OSError):
        namespace = os.readlink("/proc/self/ns/pid")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()

    address = uuid.getnode()
    if address >> 40 & 1:  # no network card: a number drawn at random, in each process another
        address = 0
    return f"{platform.node()}/{address:x}", namespace, boot


def _started(number: int) -> str | None:
    """When a process was started, in ticks since the machine was; None if that cannot be read.

    A process that has ended and is not yet collected by its parent was started "never".
    """
    try:
        text = Path(f"/proc/{number}/stat").read_text()
    except OSError:  # no such process, one that is hidden, or no /proc
        return None

    # the name of the program comes second, in parentheses, and may contain anything
    fields = text.rpartition(")")[2].split()
    return "never" if fields[0] in ("Z", "X") else fields[19]


def _is_free(number: int) -> bool:
    """Whether no process has this number, where the system can be asked without harm."""
    if sys.platform == "win32":  # there signal 0 would interrupt the process
        return False
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
