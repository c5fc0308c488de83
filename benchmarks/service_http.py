"""The service over HTTP beside a no-op of the same server; a part of benchmarks/service.py."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import factored_bandits as fb
from factored_bandits.service.api.access import new_key
from factored_bandits.service.store import opened

FACTORS = {"headline": ["a", "b", "c", "d"], "button": ["red", "green", "blue"]}
CLIENTS = 64
# What durable requests are compared with. `/healthz` does nothing at all, on the way of uvicorn
# that most requests take. The other is sent and read alike (key, body, signature, answer), on the
# short way of decisions and rewards, and needs neither an agent nor a database.
NO_OP = ("GET", "/healthz", None)
ALIKE = ("POST", "/v1/rewards", {"rewards": [{"token": f"1.1.{'A' * 20}", "reward": 1.0}]})
ROUNDS = 3  # no-op and durable in turns; the best of each counts, which the machine disturbs least


class Talk(NamedTuple):
    """What many clients did: requests, decisions, seconds, and how long each request took."""

    requests: int
    decisions: int
    seconds: float
    times: list[float]

    @property
    def rate(self) -> float:
        return self.requests / self.seconds

    def p99(self) -> float:
        return sorted(self.times)[int(0.99 * len(self.times))]


class Servers:
    """Servers of one database, each a process; with `cores` each stays on a core of its own."""

    def __init__(self, location: str, count: int = 1, cores: bool = False) -> None:
        command = [sys.executable, "-m", "factored_bandits", "serve", "--quiet", "--port", "0"]
        self.processes = [
            subprocess.Popen(
                [*command, "--db", location, *(["--core", str(number)] if cores else [])],
                stdout=subprocess.PIPE,
                text=True,
            )
            for number in range(count)
        ]
        self.ports = [_port(process) for process in self.processes]

    def cpu(self) -> float:
        """Seconds of processor time that they have used."""
        return sum(_cpu(process.pid) for process in self.processes)

    def end(self) -> None:
        for process in self.processes:
            process.terminate()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


def _port(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    return int(process.stdout.readline().rpartition(":")[2])


def _cpu(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def experiments(location: str, names: list[str]) -> str:
    """Make experiments; a key of the service."""
    for name in names:
        fb.open(location, "tea", key=name, factors=FACTORS, ttl="1h", default=0.0).close()
    store = opened(location)
    key = new_key(store, f"bench {time.time_ns()}", "admin")
    store.close()
    return key


async def clients(
    ports: list[int],
    key: str,
    calls: int,
    names: list[str] | None,
    batch: int = 1,
    no_op: tuple[str, str, Any] = NO_OP,
) -> Talk:
    """64 clients, each with a connection of its own; without names they send a no-op."""
    times: list[float] = []

    async def client(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", ports[number % len(ports)])

        async def send(method: str, path: str, body: Any = None) -> Any:
            content = b"" if body is None else json.dumps(body).encode()
            began = time.perf_counter()
            answer = await talk(reader, writer, method, path, key, content)
            times.append(time.perf_counter() - began)
            return answer

        for _ in range(calls):
            if names is None:
                await send(*no_op)
                await send(*no_op)
                continue
            path = f"/v1/experiments/{names[number % len(names)]}/decisions"
            made = json.loads(await send("POST", path, {"count": batch}))["decisions"]
            rewards = [{"token": one["token"], "reward": 1.0} for one in made]
            answer = await send("POST", "/v1/rewards", {"rewards": rewards})
            assert answer.count(b"accepted") == batch
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(client(number) for number in range(CLIENTS)))
    requests = 2 * calls * CLIENTS
    return Talk(requests, calls * CLIENTS * batch, time.perf_counter() - began, times)


async def talk(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    method: str,
    path: str,
    key: str,
    body: bytes,
) -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    lines = await reader.readuntil(b"\r\n\r\n")
    found = re.search(rb"content-length: (\d+)", lines, re.IGNORECASE)
    assert found is not None
    return await reader.readexactly(int(found[1]))


def compare(
    name: str, location: str, calls: int, replicas: int, target: float, cores: bool = False
) -> None:
    """Durable requests beside no-ops, in turns."""
    key = experiments(location, ["home"])
    servers = Servers(location, replicas, cores)
    kinds = {"no-op": NO_OP, "no-op alike": ALIKE, "durable": None}
    rates: dict[str, list[float]] = {kind: [] for kind in kinds}
    used: dict[str, list[float]] = {kind: [] for kind in kinds}
    try:
        asyncio.run(clients(servers.ports, key, calls, ["home"]))  # compiled, files grown
        for _ in range(ROUNDS):
            for kind, no_op in kinds.items():
                before = servers.cpu()
                wanted = ["home"] if no_op is None else None
                talk = clients(servers.ports, key, calls, wanted, no_op=no_op or NO_OP)
                done = asyncio.run(talk)
                rates[kind].append(done.rate)
                used[kind].append(1e6 * (servers.cpu() - before) / done.requests)
    finally:
        servers.end()
    rate = {kind: max(each) for kind, each in rates.items()}
    cost = {kind: min(each) for kind, each in used.items()}
    for kind in rates:
        print(f"{name}: {kind}: {rate[kind]:,.0f} requests/s, {cost[kind]:.0f} us of CPU each")
    wanted_cost = " (target 3 or less)" if replicas == 1 else ""
    for kind in ("no-op", "no-op alike"):
        ratio = rate["durable"] / rate[kind]
        print(f"{name}: durable / {kind}: {ratio:.2f} of the requests/s (target {target} or more)")
        ratio = cost["durable"] / cost[kind]
        print(f"{name}: durable / {kind}: {ratio:.1f} times the CPU{wanted_cost}")


def eight(location: str, calls: int) -> None:
    """Eight experiments in one file."""
    names = [f"home{number}" for number in range(8)]
    key = experiments(location, names)
    servers = Servers(location)
    try:
        asyncio.run(clients(servers.ports, key, calls, names))
        done = asyncio.run(clients(servers.ports, key, calls, names))
    finally:
        servers.end()
    print(
        f"http, sqlite, 8 experiments: {done.rate:,.0f} requests/s, "
        f"p99 {1000 * done.p99():.0f} ms (target 100 or less)"
    )


def batches(location: str, calls: int) -> None:
    """Several decisions, and their rewards, in a request."""
    key = experiments(location, ["home"])
    servers = Servers(location)
    try:
        asyncio.run(clients(servers.ports, key, calls, ["home"]))
        for batch in (1, 2, 5, 10, 20, 50, 100):
            before = servers.cpu()
            done = asyncio.run(clients(servers.ports, key, max(calls // batch, 1), ["home"], batch))
            each = 1e6 * (servers.cpu() - before) / done.decisions
            print(
                f"http, sqlite, {batch} decisions a request: "
                f"{done.decisions / done.seconds:,.0f} decisions with rewards/s, "
                f"{each:.0f} us of CPU each, p99 {1000 * done.p99():.0f} ms"
            )
    finally:
        servers.end()
