"""Which store a location names."""

from __future__ import annotations

import os
from collections.abc import Callable

from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError

from .contract import Store
from .sqlite import SqliteStore, wall_clock


def opened(
    location: str | os.PathLike[str],
    *,
    read_only: bool = False,
    clock: Callable[[], int] | None = None,
) -> Store:
    """The store at a location: the path of a database file, or a postgresql:// address.

    Parameters
    ----------
    location
        Where it is.
    read_only
        Only look, beside a program that writes.
    clock
        Gives microseconds since 1970; by default that of this machine, or of the server.

    Returns
    -------
    Store
        To be closed by the caller.
    """
    place = checked(location)
    if is_address(place):
        # only those who have such a database need psycopg
        from .postgres import PostgresStore

        return PostgresStore(place, read_only=read_only, clock=clock)
    return SqliteStore(place, read_only=read_only, clock=clock or wall_clock)


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
