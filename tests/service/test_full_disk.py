"""The disk is full: a clear error, nothing acknowledged that is not stored; later it goes on."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import subprocess
from pathlib import Path

import pytest
from shop import Shop

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

from served import Visitor, serving, shop_at
from test_killed import read_log

from factored_bandits.errors import StoreError
from factored_bandits.service.store import opened
from factored_bandits.service.units import hashed


def test_a_full_disk_is_said_and_nothing_acknowledged(tmp_path):
    shop = Shop(tmp_path / "shop.db")
    shop.agent.ask("Ada")
    connection = shop.engine.store._connected()
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    real = shop.connect

    def full(*args, **kwargs):
        made = real(*args, **kwargs)
        made.execute(f"PRAGMA max_page_count = {pages}")
        return made

    shop.engine.store._connect = full
    answered = 1

    def ask_for_ever():
        nonlocal answered
        while answered < 10_000:
            shop.agent.ask(f"visitor {answered}")
            answered += 1

    with pytest.raises(StoreError, match=r"database or disk is full\. Nothing was stored"):
        ask_for_ever()
    assert len(shop.log()) == answered
    shop.engine.store._connect = real
    shop.engine.store.reconnect()
    assert shop.agent.ask().id == answered + 1
    shop.close()


@pytest.mark.parametrize("table", ["event", "experiment"])
def test_a_table_that_is_gone_is_said_and_nobody_waits_for_it(tmp_path, table):
    """Trying again does not help until somebody helps; that of PostgreSQL is in test_postgres."""
    shop = Shop(tmp_path / "shop.db")
    first = shop.agent.ask("Ada")
    connection = shop.engine.store._connected()
    connection.execute(f"ALTER TABLE {table} RENAME TO gone")
    for call in (lambda: shop.agent.ask("Bob"), lambda: shop.agent.tell(first.id, 1.0)):
        with pytest.raises(StoreError, match=r"no such table(.|\n)*Nothing was stored"):
            call()
    connection = shop.engine.store._connected()  # another one since the error
    connection.execute(f"ALTER TABLE gone RENAME TO {table}")
    assert shop.agent.ask("Ada") == first
    assert shop.agent.tell(first.id, 1.0) == "accepted"
    assert shop.agent.ask("Bob").id == 2
    assert [event.kind for event in shop.log()] == ["ask", "tell", "ask"]
    shop.close()


def test_a_full_disk_acknowledges_nothing(tmp_path):
    """The system refuses to let any file grow: as if the disk were full, and then no longer."""
    place = tmp_path / "shop.db"
    key = shop_at(place)
    with serving(place) as (process, port):
        visitor = Visitor(port, key)
        first = visitor.ask("Ada")[1]
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        for _ in range(3):
            for status, said in (visitor.ask("Bob"), visitor.tell(first["token"], 1.0)):
                assert status == 503, said
                assert "Nothing was stored" in said["detail"]
        infinity = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, infinity)
        assert visitor.ask("Ada")[1] == first
        assert visitor.ask("Bob")[1]["id"] == 2
        assert visitor.tell(first["token"], 0.0) == (200, "accepted")
        visitor.close()

    store = opened(place, read_only=True)
    asked, told = read_log(store)
    store.close()
    assert (len(asked), told) == (2, {1})


@contextlib.contextmanager
def small_tablespace(url):
    """The address of a server whose next tables go to a disk of 2 MB, and the folder of that."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        data = Path(connection.execute("SHOW data_directory").fetchone()[0])
        folder = data.parent / "small"
        folder.mkdir()
        owner = data.stat()
        options = f"size=2m,mode=700,uid={owner.st_uid},gid={owner.st_gid}"
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        if mounted.returncode != 0:
            folder.rmdir()
            pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
        try:
            space = folder / "space"
            space.mkdir(mode=0o700)
            os.chown(space, owner.st_uid, owner.st_gid)
            connection.execute(f"CREATE TABLESPACE small LOCATION '{space}'")
            yield f"{url}&options=-c%20default_tablespace%3Dsmall", folder
        finally:
            connection.execute("DROP SCHEMA IF EXISTS factored_bandits CASCADE")
            connection.execute("DROP TABLESPACE IF EXISTS small")
            subprocess.run(["umount", "-l", str(folder)], check=False)
            folder.rmdir()


@pytest.mark.xdist_group("postgres")
def test_a_full_disk_of_postgres_acknowledges_nothing(own):
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    acknowledged: dict[str, int] = {}
    refused: set[str] = set()
    partly = 0  # stored, though others of the same request were not
    with small_tablespace(own) as (url, folder):
        key = shop_at(url)
        with serving(url) as (_, port):
            visitor = Visitor(port, key)
            first = visitor.ask("Ada")[1]
            filled = folder / "filled"
            with contextlib.suppress(OSError), filled.open("wb", buffering=0) as file:
                while True:
                    file.write(b"0" * 4096)

            path = "/v1/experiments/home/decisions"
            for number in range(60):
                units = [f"{number}-{i}" for i in range(100)]
                status, said = visitor.call("POST", path, {"units": units})
                if status == 200:
                    made = said["decisions"]
                    acknowledged |= {u: d["id"] for u, d in zip(units, made, strict=True)}
                else:
                    assert (status, "Nothing was stored" in said["detail"]) == (503, True), said
                    stored = re.match(r"(\d+) of these 100 decisions are stored", said["detail"])
                    partly += int(stored[1]) if stored else 0
                    refused |= set(units[int(stored[1]) :] if stored else units)
                    if len(refused) > 200:
                        break
            assert len(refused) > 200, "the disk was never full"

            filled.unlink()
            assert visitor.ask("Ada")[1] == first
            status, said = visitor.call("POST", path, {"units": ["after"]})
            assert (status, said["decisions"][0]["id"]) == (200, len(acknowledged) + partly + 2)
            assert visitor.tell(first["token"], 1.0) == (200, "accepted")
            visitor.close()

        store = opened(url, read_only=True)
        asked, told = read_log(store)
        secret = store.secret()
        store.close()
        assert told == {first["id"]}
        assert len(asked) == len(acknowledged) + partly + 2
        for unit, decision in acknowledged.items():
            assert asked[hashed(secret, "unit", unit)] == decision
        assert not any(hashed(secret, "unit", unit) in asked for unit in refused)
