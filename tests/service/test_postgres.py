"""PostgreSQL keeps what SQLite keeps; and several processes write, die, freeze and are cut off."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from postgres_shop import PostgresShop, shops
from scenarios import (
    SCENARIOS,
    check_log,
    commits,
    survives,
    undisturbed,
)
from shop import FACTORS, MINUTE, Faults
from test_killed import PROGRAM, check_lines

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError, StoreError
from factored_bandits.testing import STORE_CHECKS

pytestmark = pytest.mark.xdist_group("postgres")
ARGUMENTS = {"key": "home", "factors": FACTORS, "ttl": "1h", "default": 0.0}


@pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
def test_postgres_keeps_the_contract(check, url):
    from factored_bandits.service.store.postgres import PostgresStore

    schema = f"check_{check.__name__}_{os.getpid()}"[:60]
    if check.__name__ == "experiments_are_found_again":
        PostgresStore(url, schema=schema).close()
    check(lambda: PostgresStore(url, schema=schema))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_is_promised_holds(scenario, url):
    scenario(shops(url))


def test_a_session_prepares_what_appends_once(url):
    shop = shops(url)()

    def sent(text: str) -> int:
        return sum(text in str(each) for each in shop.faults.statements)

    for _ in range(3):
        shop.agent.ask()
    assert (sent("PREPARE fb_append"), sent("EXECUTE fb_append")) == (1, 3)
    shop.engine.store.reconnect()
    shop.agent.ask()
    assert (sent("PREPARE fb_append"), sent("EXECUTE fb_append")) == (2, 4)
    shop.close()


def test_faults_around_commits_change_nothing(url):
    make = shops(url)
    expected = undisturbed(make)
    chosen = commits(expected)[::4]
    for at in chosen:
        for after in (False, True):
            for kind in ("death", "error"):
                assert survives(make, Faults(at, after=after, kind=kind), expected)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["death", "error"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_fault_at_any_statement_changes_nothing(kind, after, url):
    make = shops(url)
    expected = undisturbed(make)
    for at in range(1, len(expected[2]) + 1):
        assert survives(make, Faults(at, after=after, kind=kind), expected)


@pytest.mark.parametrize("in_a_loop", [False, True], ids=["writers", "event loops"])
def test_two_replicas_are_one_agent(url, in_a_loop):
    """Requests alternate between two engines; together they are the agent in memory."""
    new = PostgresShop
    if in_a_loop:
        pytest.importorskip("greenlet", reason="greenlet is not installed")
        from lane_shop import LaneShop as new
    first = new(url)
    second = new(url)
    second.die()
    second.schema = first.schema
    second.open()
    times = [0.0]
    agent = fb.Agent(
        "tea",
        factors=FACTORS,
        default=0.0,
        seed=3,
        expire_after=timedelta(minutes=30),
        clock=lambda: times[0],
        compiled=False,
    )
    rng = np.random.default_rng(4)
    last = 0
    for number in range(80):
        shop = (first, second)[int(rng.integers(2))]
        first.now = second.now = first.now + int(rng.integers(2 * MINUTE))
        last = max(last + 1, first.now)
        times[0] = last / 1e6
        decision = agent.ask()
        assert shop.agent.ask() == decision
        if number % 3:
            first.now = second.now = first.now + 1
            times[0] = first.now / 1e6
            last = first.now
            other = (first, second)[int(rng.integers(2))]
            reward = float(rng.integers(2))
            agent.tell(decision.id, reward)
            assert other.agent.tell(decision.id, reward) == "accepted"
    assert first.agent.dump() == second.agent.dump() == agent.dump()
    check_log(first)
    first.close()
    second.close()


def test_open_goes_on_and_refuses_what_is_wrong(own):
    with fb.open(own, **ARGUMENTS, seed=1) as agent:
        decision = agent.ask("Ada")
        assert "password" not in repr(agent)
    with fb.open(own, **ARGUMENTS, seed=1) as agent:
        assert agent.ask("Ada") == decision
        assert agent.tell(decision.id, 1.0) == "accepted"
    with pytest.raises(InvalidInputError, match="seed is 1 there and 2 here"):
        fb.open(own, **ARGUMENTS, seed=2)
    with pytest.raises(StoreError, match="cannot be used"):
        fb.open("postgresql://nobody:secret@127.0.0.1:1/none", **ARGUMENTS)
    with pytest.raises(StoreError) as caught:
        fb.open("postgresql://nobody:secret@127.0.0.1:1/none", **ARGUMENTS)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("table", ["event", "experiment"])
def test_a_table_that_is_gone_is_said_and_nobody_waits_for_it(own, table):
    """As when a role loses its rights: trying again does not help until somebody helps."""
    import psycopg

    rename = "ALTER TABLE factored_bandits.{} RENAME TO {}"
    with (
        fb.open(own, **ARGUMENTS) as agent,
        psycopg.connect(own, autocommit=True) as connection,
    ):
        first = agent.ask("Ada")
        connection.execute(rename.format(table, "gone"))
        for call in (lambda: agent.ask("Bob"), lambda: agent.tell(first.id, 1.0)):
            with pytest.raises(StoreError, match=r"does not exist(.|\n)*Nothing was stored"):
                call()
        connection.execute(rename.format("gone", table))
        assert agent.ask("Ada") == first
        assert agent.tell(first.id, 1.0) == "accepted"
        assert agent.ask("Bob").id == 2
    assert [event.kind for event in events_of(own)] == ["ask", "tell", "ask"]


def test_tables_of_an_earlier_version_are_brought_up_to_date(url, monkeypatch):
    from factored_bandits.service.store import migrations
    from factored_bandits.service.store.postgres import PostgresStore

    steps = migrations.POSTGRES
    for version in range(1, len(steps) + 1):
        schema = f"version_{version}_{os.getpid()}"
        monkeypatch.setattr(migrations, "POSTGRES", steps[:version])
        PostgresStore(url, schema=schema).close()
        monkeypatch.setattr(migrations, "POSTGRES", steps)
        store = PostgresStore(url, schema=schema)
        assert store._version() == len(steps)
        store.close()
        monkeypatch.setattr(migrations, "POSTGRES", ())
        with pytest.raises(StoreError, match=r"has tables of version \d; this library knows"):
            PostgresStore(url, schema=schema)
        monkeypatch.setattr(migrations, "POSTGRES", steps)


def test_look_ups_do_not_take_longer_with_the_log(url):
    """Also while the table has no statistics, as in the first minute of an experiment."""
    from factored_bandits.service.store.postgres_transaction import ASKED_BY

    shop = PostgresShop(url)
    shop.agent.ask("Ada")
    connection = shop.engine.store._connected()
    connection.execute(
        "INSERT INTO event (exp, n, at, tx, kind, decision, unit, idem) SELECT 1, i, 0, 0, 'ask', "
        "i, int8send(i), int8send(i) FROM generate_series(2, 20000) i"
    )
    connection.execute(
        "INSERT INTO event (exp, n, at, tx, kind, decision) SELECT 1, 20000 + i, 0, 0, 'tell', i "
        "FROM generate_series(1, 20000) i"
    )
    where = "SELECT n FROM event WHERE exp = 1 AND decision = 77 AND kind"
    for query, index in (
        (ASKED_BY.format("unit").replace("%s", "'{a,b}'", 1).replace("%s", "1"), "event_unit"),
        (ASKED_BY.format("idem").replace("%s", "'{a,b}'", 1).replace("%s", "1"), "event_idem"),
        (f"{where} = 'ask'", "event_ask"),
        (f"{where} IN ('tell', 'expire')", "event_settled"),
    ):
        plan = "\n".join(row[0] for row in connection.execute(f"EXPLAIN ANALYZE {query}"))
        assert f"Index Scan using {index} on event" in plan, plan
        assert "Removed by Filter" not in plan, plan
    shop.die()


def cut_connections(own: str, cuts: int) -> None:
    """The server ends every session again and again, also between COMMIT and its answer."""
    import psycopg

    told: list[int] = []
    stop = threading.Event()

    def visitor(name: str) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            decision = agent.ask(f"{name} {number}")
            assert agent.tell(decision.id, 1.0) in ("accepted", "duplicate")
            told.append(decision.id)

    agent = fb.open(own, **ARGUMENTS)
    threads = [threading.Thread(target=visitor, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    with psycopg.connect(own, autocommit=True) as connection:
        for _ in range(cuts):
            time.sleep(0.1)
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'factored-bandits' AND datname = current_database()"
            )
    time.sleep(0.1)
    stop.set()
    for thread in threads:
        thread.join()
    agent.close()
    assert len(told) == len(set(told)) > 0
    counted = [e.decision for e in events_of(own) if e.kind == "tell"]
    assert len(counted) == len(set(counted))
    assert set(told) <= set(counted)


def test_connections_that_are_cut_lose_nothing(own):
    cut_connections(own, 5)


@pytest.mark.full
def test_connections_that_are_cut_often_lose_nothing(own):
    cut_connections(own, 200)


def events_of(url: str):
    from factored_bandits.service.store.postgres import PostgresStore
    from factored_bandits.service.verify import verify

    store = PostgresStore(url, read_only=True)
    tx = store.begin()
    events = tx.events(1, 0, 10**9)
    assert verify(tx, tx.lock(1)).fault is None
    store.close()
    return events


def replicas_under_attack(url: str, folder: Path, attacks: int) -> None:
    """Two processes on one experiment; one of them is killed or frozen, again and again."""
    rng = random.Random(3)
    running: list[tuple[subprocess.Popen[bytes], Path]] = []
    files: list[Path] = []

    def start() -> None:
        said = folder / f"{len(files)}.txt"
        files.append(said)
        command = [sys.executable, str(PROGRAM), url, str(len(files))]
        with said.open("w") as out:
            running.append((subprocess.Popen(command, stdout=out), said))

    try:
        start()
        start()
        for _, said in running:
            while "open" not in said.read_text():
                time.sleep(0.02)
        for number in range(attacks):
            time.sleep(rng.uniform(0.1, 0.6))
            process, said = running.pop(0)
            assert process.poll() is None, "a replica has ended by itself"
            if number % 3 == 2:
                process.send_signal(signal.SIGSTOP)
                time.sleep(rng.uniform(0.1, 0.5))
                process.send_signal(signal.SIGCONT)
                running.append((process, said))
            else:
                process.kill()
                process.wait()
                start()
        time.sleep(0.5)
    finally:
        for process, _ in running:
            process.kill()
            process.wait()

    lines = [line for said in files for line in said.read_text().splitlines(keepends=True)]
    from factored_bandits.service.store.postgres import PostgresStore

    store = PostgresStore(url, read_only=True)
    assert check_lines(store, lines) > 0
    store.close()


def test_two_processes_killed_and_frozen(own, tmp_path):
    replicas_under_attack(own, tmp_path, attacks=3)


@pytest.mark.full
def test_two_processes_killed_and_frozen_often(own, tmp_path):
    replicas_under_attack(own, tmp_path, attacks=24)
