"""How much is tried: a little in `make test`, all of it in `make test-full`."""

from __future__ import annotations

FULL = False  # set by conftest.py


def examples(quick: int, full: int) -> int:
    """How many examples hypothesis tries of a property."""
    return full if FULL else quick
