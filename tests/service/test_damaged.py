"""Databases that are damaged, or of another library, machine or version."""

from __future__ import annotations

import sqlite3

import pytest
from shop import FACTORS, Shop

import factored_bandits as fb
from factored_bandits.errors import ExperimentError
from factored_bandits.service.store import SqliteStore, migrations
from factored_bandits.service.verify import verify

ARGUMENTS = {"key": "home", "factors": FACTORS, "ttl": "30m", "default": 0.0}


def test_another_library_needs_a_rebase(tmp_path, monkeypatch):
    place = tmp_path / "shop.db"
    with fb.open(place, "tea", **ARGUMENTS) as agent:
        ids = [agent.ask().id for _ in range(5)]
        state = agent.dump()

    for module in ("handle", "batch"):
        monkeypatch.setattr(
            f"factored_bandits.service.engine.{module}.fingerprint", lambda: "9.9 abc"
        )
    monkeypatch.setattr("factored_bandits.service.verify.fingerprint", lambda: "9.9 abc")
    with pytest.raises(ExperimentError, match=r"'home' was computed by .* this is 9\.9 abc"):
        fb.open(place, "tea", **ARGUMENTS)
    with fb.open(place, "tea", **ARGUMENTS, rebase=True) as agent:
        assert agent.dump() == state
        agent.tell(ids[0], 1.0)
    with fb.open(place, "tea", **ARGUMENTS) as agent:
        agent.ask()

    store = SqliteStore(place, read_only=True)
    tx = store.begin()
    found = verify(tx, tx.lock(1))
    assert (found.fault, found.events, found.recomputed) == (None, 8, 2)
    store.close()


def test_a_damaged_snapshot_is_not_needed(tmp_path, caplog):
    shop = Shop(tmp_path / "shop.db")
    for _ in range(9):
        shop.agent.tell(shop.agent.ask().id, 1.0)
    state = shop.agent.dump()
    with sqlite3.connect(shop.path) as connection:
        connection.execute("UPDATE snapshot SET body = replace(body, '3', '4')")
    connection.close()
    shop.reopen()
    assert shop.agent.dump() == state
    assert "its log is read from the start" in caplog.text
    assert "snapshot after it holds another state" in shop.verify().fault
    shop.close()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("DELETE FROM event WHERE n = 3", "event 3: it is missing; the next one is 4"),
        ("DELETE FROM event WHERE n = 6", "event 6: it is missing; the head is 6"),
        ("UPDATE event SET action = '1,2' WHERE n = 1", "event 1: the log has Decision"),
        ("UPDATE event SET body = '7.0' WHERE n = 4", "event 4: RewardOutOfRangeError: the reward"),
        ("UPDATE event SET at = 1 WHERE n = 5", "event 5: "),
    ],
)
def test_a_damaged_log_is_named(damage, message, tmp_path):
    shop = Shop(tmp_path / "shop.db")
    for _ in range(3):
        shop.agent.ask()
    for id in (3, 1, 2):
        shop.agent.tell(id, 1.0)
    with sqlite3.connect(shop.path) as connection:
        connection.execute(damage)
    connection.close()
    assert message in shop.verify().fault
    shop.reopen()
    with pytest.raises(ExperimentError, match="cannot be followed here: event"):
        shop.agent.ask()
    shop.close()


@pytest.mark.parametrize("version", range(1, len(migrations.SQLITE) + 1))
def test_a_database_of_an_earlier_version_is_brought_up_to_date(version, tmp_path, monkeypatch):
    place = tmp_path / "shop.db"
    steps = migrations.SQLITE
    monkeypatch.setattr(migrations, "SQLITE", steps[:version])
    # a policy without active sets, as earlier versions had no table for their changes
    fb.open(place, "lb_inf", **ARGUMENTS).close()
    monkeypatch.setattr(migrations, "SQLITE", steps)
    with fb.open(place, "lb_inf", **ARGUMENTS) as agent:
        assert agent.ask().id == 1
    with sqlite3.connect(place) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(steps),)
    connection.close()
