"""Pages of the service with many experiments and decisions, as ratios to a page without data.

    python benchmarks/dashboard.py [--experiments 10000] [--decisions 10000000] [--paint]

One experiment is real: its agent asked and was told. All others are filled by statements: two rows
of the log for each decision (ask and tell, no units), and for each experiment the brief and the
tallies of 30 days that the task beside the service would have made; how quick that task is, is
measured on a part of these logs. `--paint` opens the pages in Chromium. Trust the ratios.
"""

from __future__ import annotations

import argparse
import http.client
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from factored_bandits.service.api.access import new_key
from factored_bandits.service.config import made
from factored_bandits.service.engine import Engine
from factored_bandits.service.fingerprint import fingerprint
from factored_bandits.service.store import HourTally, opened
from factored_bandits.service.tallies import Bucket, Follower, Shape, Tally
from service import CONFIG, fill

HOUR = 3_600_000_000  # microseconds
TIMES = 25
NO_OP = "no-op (form to sign in)"
REAL = 20_000  # decisions of the real experiment
SHAPE = Shape.of(made(CONFIG, {})[0])


def prepare(place: Path, experiments: int, decisions: int) -> None:
    """The database: one experiment that is real, and the others by statements."""
    store = opened(place)
    engine = Engine(store, writers=1, agent_time=1.0)
    config = made(CONFIG, {})[0].text()
    for key, real in (("a real one", REAL), ("a small one", REAL // 10)):
        row = store.create(key, config, fingerprint())
        engine.serve(row)
        fill(engine, row.id, real)
    engine.close()

    database = sqlite3.connect(place, isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    database.execute("BEGIN")
    _experiments(database, config, experiments)
    each = max(decisions // experiments, 1)
    _logs(database, each)
    _briefs(database, each)
    database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def _experiments(database: sqlite3.Connection, config: str, experiments: int) -> None:
    rows = ((f"experiment {i:06}", config, fingerprint()) for i in range(experiments))
    database.executemany(
        "INSERT INTO experiment (key, config, fingerprint, status, head, at) "
        "VALUES (?, ?, ?, 'running', 0, 0)",
        rows,
    )


def _logs(database: sqlite3.Connection, each: int) -> None:
    """Asks with odd numbers, tells with even ones; indexes come afterwards, which is quicker."""
    named = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'event'"
    indexes = [row for row in database.execute(named).fetchall() if row[1]]
    for name, _ in indexes:
        database.execute(f"DROP INDEX {name}")
    now = time.time_ns() // 1000
    first = now - 30 * 24 * HOUR
    step = 30 * 24 * HOUR // (2 * each + 1)
    database.execute(
        "INSERT INTO event WITH RECURSIVE number(n) AS "
        f"(SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {2 * each}) "
        f"SELECT e.id, n, {first} + n * {step}, 7, "
        "CASE n % 2 WHEN 1 THEN 'ask' ELSE 'tell' END, (n + 1) / 2, NULL, NULL, "
        "CASE n % 2 WHEN 1 THEN ((n / 2) % 4) || ',' || ((n / 2) % 3) END, "
        "CASE n % 2 WHEN 1 THEN '0.25,0.3333333333333333' END, "
        "CASE n % 2 WHEN 0 THEN CASE (n / 2) % 3 WHEN 0 THEN '1.0' ELSE '0.0' END END, NULL "
        "FROM experiment e CROSS JOIN number WHERE e.head = 0"
    )
    for _, statement in indexes:
        database.execute(statement)
    database.execute(
        f"UPDATE experiment SET head = {2 * each}, at = {first + 2 * each * step} WHERE head = 0"
    )


def _briefs(database: sqlite3.Connection, each: int) -> None:
    now = time.time_ns() // 1000 // HOUR
    tally = Tally.empty(SHAPE)
    tally.n = 2 * each
    tally.since = (now - 720) * HOUR
    tally.asks = tally.tells = tally.settled = each
    tally.total = each / 3
    tally.levels = [[each // 4, each // 4, each / 12, each / 12]] * SHAPE.amount
    tally.agent = {"best": {"headline": "a", "button": "red"}, "confidence": 0.42, "policy": "tea"}
    for span, length in (("minute", 60), ("hour", 1), ("day", 1 / 24)):
        last = int(now * length)
        buckets = [Bucket(last - i, 9, 9, float(i % 4)) for i in range(30)]
        tally.recent[span] = [list(bucket) for bucket in reversed(buckets)]
    body = tally.text()
    database.execute(
        "INSERT INTO brief SELECT id, head, 0, ? FROM experiment WHERE key LIKE 'experiment%'",
        (body,),
    )
    marks = ", ".join("?" * len(HourTally._fields[1:]))
    values = (each // 720, each // 720, 0, 0, 0, each // 720, 0, 0, each / 2160, 0.0)
    database.execute(
        "INSERT INTO tally WITH RECURSIVE number(n) AS "
        "(SELECT 0 UNION ALL SELECT n + 24 FROM number WHERE n < 696) "
        f"SELECT e.id, {now} - n, {marks} FROM experiment e CROSS JOIN number "
        "WHERE key LIKE 'experiment%'",
        values,
    )


def followed(place: Path, experiments: int = 100) -> float:
    """Events a second of the task that counts, on some of the logs."""
    store = opened(place)
    tx = store.begin()
    numbers = [row.id for row, _ in tx.listed("experiment ", "", experiments)]
    for number in numbers:
        tx.forget(number)
    tx.commit()
    began = time.perf_counter()
    events = 0
    follower = Follower(store, lambda number: SHAPE)
    while behind := follower.behind():
        events += follower.advance(behind)
    seconds = time.perf_counter() - began
    store.close()
    return events / seconds


@contextmanager
def served(place: Path) -> Iterator[tuple[int, str]]:
    """The port of a server, and a key."""
    store = opened(place)
    key = new_key(store, "benchmark", "admin")
    store.close()
    command = [sys.executable, "-m", "factored_bandits", "serve", "--quiet", "--port", "0"]
    with subprocess.Popen(
        [*command, "--db", str(place)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        began = time.perf_counter()
        line = process.stdout.readline()
        print(f"start of the server: {time.perf_counter() - began:.1f} s")
        try:
            yield int(line.rpartition(":")[2]), key
        finally:
            process.terminate()


class Reader:
    """One connection; signed in if it has a key."""

    def __init__(self, port: int, key: str | None = None) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.cookie = ""
        if key is not None:
            token = re.search(rb'name="csrf" value="(\w+)"', self.get("/sign-in"))
            assert token is not None
            body = urlencode({"csrf": token[1].decode(), "key": key, "next": "/"})
            kind = "application/x-www-form-urlencoded"
            self._send("POST", "/sign-in", body, {"Content-Type": kind})

    def get(self, path: str) -> bytes:
        return self._send("GET", path, None, {})

    def _send(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> bytes:
        given = {"Accept": "text/html", **headers}
        if self.cookie:
            given["Cookie"] = self.cookie
        self._connection.request(method, path, body, given)
        answer = self._connection.getresponse()
        content = answer.read()
        assert answer.status in (200, 303), (path, answer.status)
        found = answer.getheader("Set-Cookie")
        if found:
            self.cookie = found.partition(";")[0]
        return content


class Timed(NamedTuple):
    """Seconds and bytes of a page."""

    seconds: float
    size: int


def medians(gets: dict[str, Callable[[], bytes]]) -> dict[str, Timed]:
    """Of each page, in turns, so that a busy moment hits all alike."""
    times: dict[str, list[float]] = {name: [] for name in gets}
    sizes = {name: len(get()) for name, get in gets.items()}  # once before it is measured
    for _ in range(TIMES):
        for name, get in gets.items():
            began = time.perf_counter()
            get()
            times[name].append(time.perf_counter() - began)
    return {name: Timed(statistics.median(each), sizes[name]) for name, each in times.items()}


def painted(port: int, cookie: str, paths: dict[str, str]) -> None:
    """First paint in Chromium, with nothing kept from before."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from playwright.sync_api import sync_playwright

    from browser import FLAGS, executable

    name, _, value = cookie.partition("=")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable(), args=FLAGS)
        for title, path in paths.items():
            found = []
            for _ in range(5):
                context = browser.new_context()
                address = f"http://127.0.0.1:{port}"
                context.add_cookies([{"name": name, "value": value, "url": address}])
                page = context.new_page()
                page.goto(f"{address}{path}")
                page.wait_for_function("() => performance.getEntriesByType('paint').length > 1")
                paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
                found.append(page.evaluate(paint))
                context.close()
            print(f"first paint, {title}: {statistics.median(found):.0f} ms (goal: below 1,000)")
        browser.close()


def timed(what: str, work: Callable[[], object]) -> object:
    began = time.perf_counter()
    found = work()
    print(f"{what}: {time.perf_counter() - began:.1f} s", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--experiments", type=int, default=10_000)
    parser.add_argument("--decisions", type=int, default=10_000_000)
    parser.add_argument("--paint", action="store_true", help="first paint in Chromium, too")
    given = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "many.db"
        what = f"{given.experiments:,} experiments, {given.decisions:,} decisions, filled"
        timed(what, lambda: prepare(place, given.experiments, given.decisions))
        print(f"database: {place.stat().st_size / 1e9:.2f} GB")
        print(f"events counted beside the service: {followed(place):,.0f} a second")
        middle = urlencode({"after": f"experiment {given.experiments // 2:06}"})
        paths = {
            "list, first page": "/",
            "list, middle": f"/?{middle}",
            "list, searched": f"/?search={given.experiments - 7:06}",
            f"one experiment ({REAL // 10:,} decisions)": "/experiments/a%20small%20one",
            f"one experiment ({REAL:,} decisions)": "/experiments/a%20real%20one",
            "audit": "/experiments/a%20real%20one/audit",
        }
        with served(place) as (port, key):
            time.sleep(5.0)  # the real ones are counted
            nobody = Reader(port)
            reader = Reader(port, key)
            gets = {NO_OP: partial(nobody.get, "/sign-in")}
            gets |= {name: partial(reader.get, path) for name, path in paths.items()}
            found = medians(gets)
            for name, (seconds, size) in found.items():
                ratio = f"{seconds / found[NO_OP].seconds:5.1f} x"
                print(f"{name:38} {1000 * seconds:7.1f} ms  {ratio}  {size / 1000:6.1f} kB")
            if given.paint:
                painted(port, reader.cookie, paths)


if __name__ == "__main__":
    main()
