"""A judge behind HTTP on loopback, with rate limits, errors, nonsense and time-outs."""

from __future__ import annotations

import asyncio
import http.server
import itertools
import json
import math
import random
import threading
import time
import urllib.error
import urllib.request
from typing import ClassVar

import pytest
from simulated_judges import STRENGTHS, HTTPError

import factored_bandits as fb

NAMES = list(STRENGTHS)
PRICE = 0.002


class Model(http.server.BaseHTTPRequestHandler):
    """A fake language model: of twenty requests, it answers twelve as it should."""

    random = random.Random(4)
    turns = itertools.count()
    lock = threading.Lock()
    served: ClassVar[list[int]] = []
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.lock:
            turn = next(self.turns) % 20
            draw = self.random.random()
        if turn in (1, 5, 9):
            return self.reply(429, {"error": "slow down"}, {"Retry-After": "0"})
        if turn in (2, 12):
            return self.reply(500, {"error": "internal"})
        if turn in (3, 15):
            return self.reply(200, {"text": "As a language model I like both."})
        if turn == 18:
            time.sleep(0.5)  # longer than the client waits
        lead = 2.0 * (STRENGTHS[body["first"]] - STRENGTHS[body["second"]])
        verdict = "first" if draw < 1 / (1 + math.exp(-lead)) else "second"
        return self.reply(200, {"text": verdict, "cost": PRICE})

    def reply(self, status: int, document: dict, headers: dict[str, str] | None = None) -> None:
        content = json.dumps(document).encode()
        self.served.append(status)
        try:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has given up

    def log_message(self, *args: object) -> None:
        """Nothing on the screen."""


@pytest.fixture
def server():
    # its own counts: requests that the clients of another test gave up may still be served
    model = type("OwnModel", (Model,), {"turns": itertools.count(), "served": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), model) as server:
        server.daemon_threads = True
        server.handle_error = lambda *args: None  # connections that the client has closed
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def read(document: dict) -> fb.Verdict:
    """The verdict in what the model wrote; ValueError if there is none."""
    return fb.Verdict({"first": 1, "second": 0}[document["text"]], document["cost"])


def with_asyncio(address):
    async def judge(first, second):
        reader, writer = await asyncio.open_connection(*address)
        try:
            body = json.dumps({"first": first, "second": second}).encode()
            head = f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            status = int((await reader.readline()).split()[1])
            headers = {}
            while line := (await reader.readline()).strip():
                name, _, value = line.decode().partition(": ")
                headers[name] = value
            if status != 200:
                raise HTTPError(status, headers)
            return read(json.loads(await reader.readexactly(int(headers["Content-Length"]))))
        finally:
            writer.close()

    return judge


def with_threads(address):
    def judge(first, second):
        body = json.dumps({"first": first, "second": second}).encode()
        url = f"http://{address[0]}:{address[1]}/"
        try:
            with urllib.request.urlopen(url, body, timeout=0.2) as response:
                return read(json.load(response))
        except urllib.error.HTTPError as error:
            error.close()  # the connection; it keeps its status and headers
            raise

    return judge


@pytest.mark.parametrize("client", [with_asyncio, with_threads])
def test_the_best_is_found_behind_an_unreliable_service(server, client, tmp_path):
    judge = client(server.server_address)
    result = asyncio.run(
        fb.arena(
            NAMES,
            judge,
            budget=fb.Budget(calls=120, cost=2.0),
            stop_at=None,
            journal=tmp_path / "run.jsonl",
            concurrency=8,
            timeout=0.25,
            backoff=0.01,
            tries=8,
            progress=False,
        )
    )
    assert (result.best, result.stopped) == ("d", "calls")
    assert result.refused > 0
    assert result.failed > 0
    assert result.cost == pytest.approx(PRICE * len(result.answers))
    errors = {entry.error.partition(":")[0] for entry in result.entries if entry.error}
    assert {"TimeoutError", "HTTPError", "KeyError"} <= errors
    # every request is accounted for; some that timed out may still be on their way
    assert len(server.RequestHandlerClass.served) <= result.calls + result.refused
