"""Which store a location names."""

from __future__ import annotations

import os

from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError

from .contract import Store
from .sqlite import SqliteStore


def opened(location: str | os.PathLike[str], *, read_only: bool = False) -> Store:
    """The store at a location: the path of a database file, or a postgresql:// address.

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
    place = checked(location)
    if is_address(place):
        # only those who have such a database need psycopg
        from .postgres import PostgresStore

        return PostgresStore(place, read_only=read_only)
    return SqliteStore(place, read_only=read_only)


def is_address(place: str) -> bool:
    """Whether a location is that of a server."""
    return place.startswith(("postgresql://", "postgres://"))


def checked(location: str | os.PathLike[str]) -> str:
    """A location as text."""
    place = os.fspath(location) if isinstance(location, str | os.PathLike) else None
    if not isinstance(place, str) or not place:
        raise InvalidInputError(
            "location must be the path of a database file or a postgresql:// address, not "
            f"{shown(location)}"
        )
    return place


def name_of(location: str | os.PathLike[str]) -> str:
    """The same text for the same database, however it is written."""
    place = checked(location)
    return place if is_address(place) else os.path.realpath(place)
