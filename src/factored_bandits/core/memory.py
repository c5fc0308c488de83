"""How much memory there is, and a refusal with the number before too much of it is asked for.

The smallest of what the system has free, what the control group of a container still allows and
what `ulimit -v` leaves counts. Where nothing of that can be read, nothing is refused.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from factored_bandits.errors import InvalidInputError

UNNOTICED = 2**26  # bytes; what needs less is not worth a look at the system
MOST = 2**90  # bytes; beyond that one number is as good as another
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")

# Of version 2 and version 1 of control groups: the mount, the limit, what is in use.
GROUPS = (
    ("/sys/fs/cgroup", "memory.max", "memory.current"),
    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
)


def check(what: str, needed: float, fits: Callable[[int], str]) -> None:
    """Refuse what needs more memory than there is.

    `fits` is given the available bytes and says what would fit.

    >>> check("a list of 3 numbers", 24, fits=lambda free: "")
    >>> check("so much", 2**80, fits=lambda free: "take less")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    factored_bandits.errors.InvalidInputError: so much needs about ... take less
    """
    if needed <= UNNOTICED:
        return

    free = available()
    if free is not None and needed > free:
        raise InvalidInputError(
            f"{what} needs about {amount(needed)} of memory, and {amount(free)} are available; "
            f"{fits(free)}"
        )


def amount(count: float) -> str:
    """So many bytes, for people.

    >>> amount(8 * 200_000**2), amount(512), amount(10**400)
    ('298 GiB', '512 bytes', '1,070,000,000 EiB')
    """
    count = min(count, MOST)
    unit = 0
    while count >= 1024 and unit < len(UNITS) - 1:
        count /= 1024
        unit += 1
    return f"{float(f'{count:.3g}'):,.15g} {UNITS[unit]}"


def available() -> int | None:
    """The bytes that can still be had; None where the system does not say."""
    return min((*_of_system(), *_of_groups(), *_of_limits()), default=None)


def _of_system() -> Iterator[int]:
    """What Linux calls available; elsewhere all that is built in."""
    for line in _text("/proc/meminfo").splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            yield 1024 * int(value.split()[0])
            return

    names = getattr(os, "sysconf_names", {})
    if "SC_PHYS_PAGES" in names and "SC_PAGE_SIZE" in names:
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _of_groups() -> Iterator[int]:
    """What the control groups of this process allow; a limit of a parent holds as well."""
    named = [line.split(":", 2)[2] for line in _text("/proc/self/cgroup").splitlines()]

    for mount, limit, usage in GROUPS:
        # In a container the own group is the root of the mount, whatever its name is outside.
        inside = {Path(mount + name) for name in ("", *named)}
        folders = {each for folder in inside for each in (folder, *folder.parents)}
        for folder in folders:
            most = _text(folder / limit).strip()
            used = _text(folder / usage).strip()
            if most.isdecimal() and used.isdecimal():
                yield max(0, int(most) - int(used))


def _of_limits() -> Iterator[int]:
    """What `ulimit -v` leaves."""
    if sys.platform == "win32":
        return
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    pages = _text("/proc/self/statm").split()
    if limit != resource.RLIM_INFINITY and pages:
        yield max(0, limit - int(pages[0]) * os.sysconf("SC_PAGE_SIZE"))


def _text(path: str | Path) -> str:
    """What the file says; nothing where there is none, as on other systems."""
    try:
        return Path(path).read_text(encoding="ascii")
    except (OSError, ValueError):
        return ""
