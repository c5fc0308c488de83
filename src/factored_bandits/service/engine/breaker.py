"""The circuit breaker: while the database is away, those who cannot wait are told so at once."""

from __future__ import annotations

import logging
import threading

from factored_bandits.errors import StoreError

from .queue import Queue

LOGGER = logging.getLogger("factored_bandits.service")
PROBE = 0.2  # seconds between two looks whether the database is back
FAILURES = 2  # attempts in a row, the second of them with a new connection


class AwayError(StoreError):
    """The database cannot be reached, and nothing was stored of what was asked."""


class Breaker:
    """Open while the database is away. Requests with `patient=False` are then turned away.

    A request that is turned away was taken out of the queue, or never got into it, or belongs to a
    transaction that is known not to have happened. So what is answered instead is not in the log.

    Parameters
    ----------
    queue
        Where requests wait.
    name
        What a message calls the database.
    """

    def __init__(self, queue: Queue, name: str) -> None:
        self._queue = queue
        self._name = name
        self._changing = threading.Lock()
        self.is_open = False

    def error(self) -> AwayError:
        """What those hear who are turned away."""
        return AwayError(f"the database {self._name!r} cannot be reached. Nothing was stored")

    def failed(self) -> None:
        """The database is away: turn away what waits and cannot wait longer."""
        with self._changing:
            if not self.is_open:
                LOGGER.error("the database %s is away: decisions are fallbacks", self._name)
            self.is_open = True
            turned_away = self._queue.turn_away()
        for request in turned_away:
            request.waiter.put(None, self.error())
        for request in turned_away:
            request.waiter.wake()

    def passed(self) -> bool:
        """A transaction went through; whether the database had been away until then."""
        if not self.is_open:
            return False
        with self._changing:
            self.is_open = False
            self._queue.welcome()
        LOGGER.warning("the database %s is back", self._name)
        return True
