"""Tallies, briefs and changes of active sets are what the log says, on SQLite and PostgreSQL."""

from __future__ import annotations

import sqlite3

import postgres_shop
import pytest
from shop import shops
from tally_scenarios import SCENARIOS, expected, of, played, shape, tallies_are_what_the_log_says

from factored_bandits.service.tallies import advance


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_sqlite(scenario, tmp_path):
    scenario(shops(tmp_path))


def test_tallies_on_sqlite(tmp_path, monkeypatch):
    tallies_are_what_the_log_says(shops(tmp_path), monkeypatch)


@pytest.mark.xdist_group("postgres")
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_postgres(scenario, url):
    scenario(postgres_shop.shops(url))


@pytest.mark.xdist_group("postgres")
def test_tallies_on_postgres(url, monkeypatch):
    tallies_are_what_the_log_says(postgres_shop.shops(url), monkeypatch)


KEPT = ("meta", "experiment", "event", "snapshot", "access")  # tables of version 2


def test_a_log_of_an_earlier_version_is_counted(tmp_path):
    """Its tables are those of version 2; after the migration everything is counted."""
    shop = played(shops(tmp_path), 150)
    shop.die()
    connection = sqlite3.connect(shop.path)
    tables = "SELECT name FROM sqlite_master WHERE type = 'table'"
    for (table,) in connection.execute(tables).fetchall():
        if table not in KEPT:
            connection.execute(f"DROP TABLE {table}")
    connection.execute("DROP INDEX event_audit")
    connection.execute("PRAGMA user_version = 2")
    connection.commit()
    connection.close()

    shop.open()
    assert of(shop.engine.store) == ([], None)
    assert advance(shop.engine.store, shape(shop)) == len(shop.log())
    assert of(shop.engine.store)[0] == expected(shop)[0]
    shop.close()
