"""Real servers for the tests, in processes of their own, and a client of the standard library."""

from __future__ import annotations

import contextlib
import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import factored_bandits as fb
from factored_bandits.service.api.access import new_key
from factored_bandits.service.store import opened

FACTORS = {"headline": ["short", "long"], "button": ["red", "green", "blue"]}
HOME: dict[str, Any] = {"key": "home", "factors": FACTORS, "ttl": "1h", "default": 0.0, "seed": 3}


def shop_at(place: Any, role: str = "admin", policy: str = "tea", **changed: Any) -> str:
    """Make the experiment "home" in a database; gives a key for its service."""
    fb.open(place, policy, **{**HOME, **changed}).close()
    store = opened(place)
    try:
        return new_key(store, f"tests {role}", role)
    finally:
        store.close()


def start(place: Any, port: int = 0, *options: str) -> tuple[subprocess.Popen[str], int]:
    """A server, and its port when it listens."""
    command = [sys.executable, "-m", "factored_bandits", "serve", "--quiet", "--db", str(place)]
    command += ["--port", str(port), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("listening"), "the server did not start"
    return process, int(line.rpartition(":")[2])


def end(process: subprocess.Popen[str]) -> None:
    """Kill a server."""
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


@contextlib.contextmanager
def serving(place: Any, *options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server for a while."""
    process, port = start(place, 0, *options)
    try:
        yield process, port
    finally:
        end(process)


class Visitor:
    """One connection to a server at a time; errors of the connection are raised."""

    def __init__(self, port: int, key: str, timeout: float = 60.0) -> None:
        self._key = key
        self._timeout = timeout
        self._open(port)

    def _open(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=self._timeout)

    def to(self, port: int) -> None:
        """Go to another server."""
        self.close()
        self._open(port)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and content of an answer."""
        content = None if body is None else json.dumps(body)
        given = {"Authorization": f"Bearer {self._key}", **headers}
        self._connection.request(method, path, content, given)
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())

    def ask(self, unit: str, key: str = "home") -> tuple[int, Any]:
        """A decision for a unit, or what was said instead."""
        path = f"/v1/experiments/{key}/decisions"
        status, said = self.call("POST", path, {"units": [unit]})
        return status, said["decisions"][0] if status == 200 else said

    def tell(self, token: str, reward: float) -> tuple[int, Any]:
        """What became of a reward."""
        body = {"rewards": [{"token": token, "reward": reward}]}
        status, said = self.call("POST", "/v1/rewards", body)
        return status, said["outcomes"][0]["outcome"] if status == 200 else said

    def close(self) -> None:
        self._connection.close()


class Patient(Visitor):
    """A connection for each call: a server closes those that wait for some seconds."""

    def __init__(self, port: int, key: str) -> None:
        super().__init__(port, key)
        self._port = port

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        self.to(self._port)
        return super().call(method, path, body, **headers)
