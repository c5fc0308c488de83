"""A real server in a process of its own, for tests with real clients."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from factored_bandits.service.api.access import new_key
from factored_bandits.service.store import opened


class Server(NamedTuple):
    """Where it listens, and an admin key."""

    url: str
    key: str
    process: subprocess.Popen[str]

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The answer of the service, which must be a success."""
        data = None if body is None else json.dumps(body).encode()
        given = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data, {**given, **headers}, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")


@contextlib.contextmanager
def server(place: Path | str, *options: str) -> Iterator[Server]:
    """Serve a database, on a port that is free."""
    store = opened(place)
    key = new_key(store, "tests", "admin")
    store.close()
    command = [sys.executable, "-m", "factored_bandits", "serve", "--db", str(place)]
    with subprocess.Popen(
        [*command, "--port", "0", *(options or ["--quiet"])],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if options else None,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield Server(process.stdout.readline().split()[-1], key, process)
        finally:
            process.terminate()
