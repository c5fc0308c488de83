"""Which store a location names."""

from __future__ import annotations

import os

from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError

from .contract import Store
from .sqlite import SqliteStore


def opened(location: str | os.PathLike[str], *, read_only: bool = False) -> Store:
    """The store at a location, the path of a database file.

    Parameters
    ----------
    location
        Where it is.
    read_only
        Only look, beside a program that writes.

    Returns
    -------
    Store
        To be closed by the caller.
    """
    return SqliteStore(checked(location), read_only=read_only)


def checked(location: str | os.PathLike[str]) -> str:
    """A location as text."""
    place = os.fspath(location) if isinstance(location, str | os.PathLike) else None
    if not isinstance(place, str) or not place:
        raise InvalidInputError(
            f"location must be the path of a database file, not {shown(location)}"
        )
    return place


def name_of(location: str | os.PathLike[str]) -> str:
    """The same text for the same database, however it is written."""
    return os.path.realpath(checked(location))
