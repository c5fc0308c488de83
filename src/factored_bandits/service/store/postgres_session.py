"""A session of PostgreSQL for an event loop: who waits for an answer lets the loop go on.

psycopg asks and reads by generators, which say what they wait for; `Connection.wait` waits for it.
Here that is a switch to the event loop, until the socket has something to read. So
the statements of a transaction are written once, for threads and for an event loop.
"""

from __future__ import annotations

import asyncio
from typing import Any

import psycopg
from greenlet import getcurrent, greenlet
from psycopg.waiting import Ready, Wait

from .postgres_transaction import Clock, PostgresTransaction

# Seconds after which the socket is read without being told to, as psycopg itself does. A session
# that the server cuts while something is unread there ends with a last message and a reset. libuv
# looks no more after it has told of a reset, and the message may have been all that was read then.
LOOK = 0.1


class PostgresSession:
    """One session; its transactions are for greenlets of the thread in which the loop runs.

    Parameters
    ----------
    connection
        Of psycopg, in autocommit mode; it belongs to this object.
    clock
        See `PostgresStore`.
    """

    errors: tuple[type[Exception], ...] = (psycopg.Error,)

    def __init__(self, connection: Any, clock: Clock | None) -> None:
        self._connection = connection
        self._clock = clock
        self._prepared: set[str] = set()
        self._socket = connection.pgconn.socket
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: greenlet | None = None
        self._is_watched = False
        self._is_looking = False

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Belong to an event loop, in its thread."""
        self._loop = loop
        self._connection.wait = self._wait

    def begin(self) -> PostgresTransaction:
        """A transaction; the lock of its experiment comes next."""
        return PostgresTransaction(self._connection, self._clock, self._prepared)

    def close(self) -> None:
        """Give the session back; the server undoes what was not committed."""
        self._watch(False)
        self._connection.close()

    # ------------------------------------------------------------ waiting

    def _wait(self, asking: Any, interval: float = LOOK, timeout: float | None = None) -> Any:
        """What `Connection.wait` does, but the event loop goes on meanwhile."""
        try:
            wanted = next(asking)
            while True:
                wanted = asking.send(self._ready(wanted))
        except StopIteration as done:
            return done.value

    def _ready(self, wanted: int) -> int:
        """Go on with the event loop until there is what is wanted."""
        assert self._loop is not None, "attach comes first"
        here = getcurrent()
        assert here.parent is not None, "an event loop cannot wait for itself"
        self._waiting = here
        self._watch(True)
        if wanted & Wait.W:  # more than the socket takes at once
            self._loop.add_writer(self._socket, self._writable)
        if not self._is_looking:
            self._is_looking = True
            self._loop.call_later(LOOK, self._look)
        return here.parent.switch()

    def _watch(self, watch: bool) -> None:
        if self._loop is None or watch == self._is_watched:
            return
        self._is_watched = watch
        if watch:
            self._loop.add_reader(self._socket, self._readable)
        else:
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)

    def _go_on(self, ready: int) -> None:
        here = self._waiting
        self._waiting = None
        if here is None:
            self._watch(False)  # a notice, or the end: whoever asks next hears of it
        else:
            here.switch(ready)

    def _readable(self) -> None:
        self._go_on(Ready.R)

    def _writable(self) -> None:
        assert self._loop is not None
        self._loop.remove_writer(self._socket)
        self._go_on(Ready.W)

    def _look(self) -> None:
        self._is_looking = self._waiting is not None
        if self._waiting is not None:
            assert self._loop is not None
            self._loop.call_later(LOOK, self._look)
            self._go_on(Ready.R)
