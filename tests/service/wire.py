"""A wire between a browser and a server that keeps every byte which went through it."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Any


class Wire:
    """Listens on a port of its own and passes everything on to another one."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._said: list[bytearray] = []  # by connection, what the server said
        self._asked: list[bytearray] = []
        self._ends: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._start(self._accept)

    def _start(self, work: Any, *given: Any) -> None:
        self._threads.append(threading.Thread(target=work, args=given, daemon=True))
        self._threads[-1].start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # when it is closed
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
                self._ends += [near, far]
                for source, target, kept in ((near, far, self._asked), (far, near, self._said)):
                    kept.append(bytearray())
                    self._start(self._pass_on, source, target, kept[-1])

    def _pass_on(self, source: socket.socket, target: socket.socket, kept: bytearray) -> None:
        with contextlib.suppress(OSError):  # of a browser that has closed its end
            while chunk := source.recv(65536):
                kept += chunk
                target.sendall(chunk)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    @property
    def said(self) -> bytes:
        """Headers and bodies of all answers."""
        return b"\n".join(self._said)

    @property
    def everything(self) -> bytes:
        """Requests as well."""
        return b"\n".join(self._asked) + b"\n" + self.said

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for end in self._ends:
            end.close()
