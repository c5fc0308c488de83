"""`experiments`: list, show, verify, export, import and backup of a database of `fb.open`."""

from __future__ import annotations

import json
import sqlite3

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import factored_bandits as fb
from factored_bandits.cli.app import app

FACTORS = {"headline": ["short", "long"], "reward": ["red", "blue"]}


@pytest.fixture
def place(tmp_path):
    """A shop with three decisions for units, and duels with one that waits."""
    place = tmp_path / "shop.db"
    with fb.open(place, "tea", key="home", factors=FACTORS, ttl="30m", default=0.0) as agent:
        for unit in ("Ada", "Bob", "Cyd"):
            agent.ask(unit)
        agent.tell(1, 1.0)
        agent.expire(2)
        agent.tell(2, 0.5)
    with fb.open(place, "dueling_tea", key="drafts", arms=["A", "B"]) as agent:
        agent.ask()
    return place


def run(*arguments: object):
    found = CliRunner().invoke(app, ["experiments", *map(str, arguments)])
    assert "Traceback" not in found.output
    return found


def test_list_and_show(place):
    said = run("list", place).stdout
    assert [line.split()[:8] for line in said.splitlines()[1:]] == [
        ["drafts", "duels", "dueling_tea", "running", "1", "0", "0", "0"],
        ["home", "factors", "tea", "running", "3", "1", "1", "1"],
    ]
    rows = json.loads(run("list", place, "--json").stdout)
    assert [row["ask"] for row in rows] == [1, 3]

    said = run("show", place, "home").stdout
    assert "ttl: 30m\n" in said
    assert "events: 6, the last " in said
    assert "tea: 3 rounds asked, 2 learned, 1 waiting" in said
    assert json.loads(run("show", place, "home", "--json").stdout)["late"] == 1

    refused = run("show", place, "hom")
    assert refused.exit_code == 2
    assert "no experiment named 'hom'; did you mean 'home'?" in refused.stderr


def test_verify_names_the_first_event_that_differs(place):
    found = run("verify", place)
    assert found.exit_code == 0
    assert found.stdout.splitlines() == [
        "drafts: 1 events as computed anew",
        "home: 6 events as computed anew",
    ]
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE event SET propensity = '0.5,0.25' WHERE n = 3 AND exp = 1")
    connection.close()
    found = run("verify", place, "home")
    assert found.exit_code == 2
    assert found.stdout.startswith("home: differs at event 3: the log has Decision(id=3, ")
    assert "1 of 1 experiments differ from their log" in found.stderr
    assert "event 3" in json.loads(run("verify", place, "home", "--json").stdout)[0]["fault"]


def test_verify_beside_a_running_program(place):
    with fb.open(place, key="home") as agent:
        agent.ask()
        assert "home: 7 events as computed anew" in run("verify", place).stdout


def test_export_is_tidy_and_can_be_loaded(place, tmp_path):
    path = tmp_path / "home.parquet"
    found = run("export", place, "home", "--parquet", path)
    assert found.exit_code == 0, found.output
    assert "3 decisions" in found.stderr
    table = pq.read_table(path)
    assert table.column_names == [
        "decision", "asked_at", "unit", "headline", "p.headline", "factor.reward",
        "p.factor.reward", "settled", "settled_at", "reward", "late_reward", "late_at",
    ]  # fmt: skip
    rows = table.to_pylist()
    assert [row["settled"] for row in rows] == ["tell", "expire", None]
    assert [row["reward"] for row in rows] == [1.0, 0.0, None]
    assert [row["late_reward"] for row in rows] == [None, 0.5, None]
    assert len({row["unit"] for row in rows}) == 3
    assert rows[0]["asked_at"].tzinfo is not None

    log = fb.load_log(
        table.slice(0, 2),
        factors=["headline", "factor.reward"],
        propensity={"headline": "p.headline", "factor.reward": "p.factor.reward"},
    )
    assert str(log).startswith("Log(2 rows")

    refused = run("export", place, "home", "--parquet", tmp_path / "no folder" / "x.parquet")
    assert refused.exit_code == 2


def test_import_keeps_units_and_goes_on(place, tmp_path):
    new = tmp_path / "new.db"
    found = run("import", new, "--from", place)
    assert found.exit_code == 0, found.output
    assert "home: 6 events as computed anew" in found.stderr
    with fb.open(place, key="home") as old, fb.open(new, key="home") as copy:
        assert copy.dump() == old.dump()
        assert copy.ask("Ada") == old.ask("Ada")
        assert copy.ask("Dot") == old.ask("Dot")

    refused = run("import", new, "--from", place, "home")
    assert refused.exit_code == 2
    assert "there is an experiment 'home' in" in refused.stderr
    other = tmp_path / "other.db"
    fb.open(other, key="mine", arms=["A", "B"]).close()
    assert "with another secret" in run("import", other, "--from", place, "home").stderr


def test_backup_while_a_program_writes(place, tmp_path):
    saved = tmp_path / "saved.db"
    with fb.open(place, key="home") as agent:
        before = agent.ask("Eve")
        assert run("backup", place, saved).exit_code == 0
        agent.ask("Fay")
    with fb.open(saved, key="home") as agent:
        assert agent.ask("Eve") == before
        assert agent.status().asked == 4


@pytest.mark.parametrize("command", ["list", "verify"])
def test_what_is_no_database_is_refused(command, tmp_path):
    assert "there is no database" in run(command, tmp_path / "none.db").stderr
    (tmp_path / "text.db").write_text("x" * 5000)
    found = run(command, tmp_path / "text.db")
    assert found.exit_code == 2
    assert "cannot be used as a database" in found.stderr
    assert not (tmp_path / "none.db").exists()
