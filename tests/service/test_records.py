"""Export, certificate, timeline, expire and keys over HTTP; keys by the command line."""

from __future__ import annotations

import json
import time

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
from click.testing import CliRunner
from test_http import FACTORS, NEW, Served

import factored_bandits as fb
from factored_bandits.cli.app import app
from factored_bandits.service.api import access, records
from factored_bandits.service.export import table
from factored_bandits.service.store import SqliteStore
from factored_bandits.service.timeline import Timeline

BEST = {"headline": "long", "button": "blue"}
UNITS = 300


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """An experiment that is nearly decided, served."""
    place = tmp_path_factory.mktemp("records") / "shop.db"
    betting = {"policy": "tea(bound=betting)", "factors": FACTORS, "ttl": "1h", "default": 0.0}
    with fb.open(place, key="home", seed=3, **betting) as agent:
        for unit in range(UNITS):
            decision = agent.ask(unit)
            if unit < UNITS - 2:
                agent.tell(decision.id, sum(decision.levels[f] == BEST[f] for f in BEST) / 2)
        agent.expire(UNITS)
        agent.tell(UNITS, 1.0)
    made = Served(place)
    with made.client:
        yield made
    made.engine.close()


def test_every_decision_is_exported_once(played, monkeypatch):
    monkeypatch.setattr(records, "PAGE", 100)
    rows, cursor = [], ""
    while cursor is not None:
        page = played("GET", f"/v1/experiments/home/export?cursor={cursor or 0}", role="read")
        rows += page.json()["decisions"]
        cursor = page.json()["next"]
    store = SqliteStore(played.path, read_only=True)
    tx = store.begin()
    columns = table(tx, tx.lock(1))
    store.close()
    assert len(rows) == UNITS
    for name in ("decision", "headline", "p.headline", "unit", "settled", "reward", "late_reward"):
        assert [row.get(name) for row in rows] == columns[name], name
    assert rows[0]["asked_at"].endswith("+00:00")
    assert played("GET", "/v1/experiments/home/export?cursor=x").status_code == 422


def test_the_certificate_is_that_of_the_agent(played):
    found = played("GET", "/v1/experiments/home/certificate?alpha=0.1", role="read").json()
    dump = played.engine.call(1, fb.service.engine.Read(look=lambda agent: agent.dump()))
    expected = fb.certificate(fb.Agent.load(dump), 0.1)
    assert (found["confidence"], found["best"]) == (expected.confidence, expected.best())
    assert found["best"] == BEST
    assert [each["p_value"] for each in found["claims"]] == [
        claim.p_value for claim in expected.claims
    ]
    for alpha in ("much", "2"):
        path = f"/v1/experiments/home/certificate?alpha={alpha}"
        assert played("GET", path).status_code == 422


def test_the_timeline_tells_what_the_agent_went_through(played, monkeypatch):
    monkeypatch.setattr(records, "PORTION", 150)
    path = "/v1/experiments/home/timeline"
    first = played("GET", path, role="read").json()
    assert first["behind"] > 0
    while (found := played("GET", path, role="read").json())["behind"]:
        assert found["changes"][: len(first["changes"])] == first["changes"]
    assert found["eliminates"]
    assert found["changes"]

    # the same, by asking the agent after each decision
    agent = fb.Agent("tea(bound=betting)", factors=FACTORS, seed=3, compiled=False)
    before = {(row.factor, row.level): True for row in agent.status().rows}
    seen = []
    for unit in range(UNITS):
        decision = agent.ask()
        after = {(row.factor, row.level): row.active for row in agent.status().rows}
        seen += [(unit + 1, *name, after[name]) for name in before if after[name] != before[name]]
        before = after
        if unit < UNITS - 2:
            agent.tell(decision.id, sum(decision.levels[f] == BEST[f] for f in BEST) / 2)
    told = [(c["decisions"], c["factor"], c["level"], c["active"]) for c in found["changes"]]
    assert told == seen

    monkeypatch.setattr(records, "PAGE", 1)
    page = played("GET", path, role="read").json()
    assert (len(page["changes"]), page["next"]) == (1, "1")


def test_the_timeline_of_another_version_goes_on_after_its_rebase(played):
    store = SqliteStore(played.path, read_only=True)
    tx = store.begin()
    row = tx.lock(1)
    events = tx.events(1, 0, 10**6)
    store.close()
    lost = events[40]._replace(action=(1 - events[40].action[0],) if events[40].action else None)
    dump = played.engine.call(1, fb.service.engine.Read(look=lambda agent: agent.dump()))
    body = {"from": "old", "to": "new", "dump": dump}
    rebase = events[-1]._replace(n=row.head + 1, kind="rebase", decision=None, body=body)

    class Log:
        def events(self, number, after, most):
            log = [*events[:40], lost._replace(kind="tell", decision=10**6), *events[41:], rebase]
            return log[after : after + most]

    found = Timeline(row)
    found.advance(Log(), 10**6)
    assert found.read == row.head + 1
    assert all(change.event <= 40 for change in found.changes)
    assert found.eliminates


def test_a_decision_is_expired(tmp_path):
    served = Served(tmp_path / "shop.db")
    with served.client:
        served("POST", "/v1/experiments", NEW)
        path = "/v1/experiments/home"
        served("POST", f"{path}/decisions", {"count": 3}, "write")
        assert served("POST", f"{path}/expire", {"decision": 2}, "write").json() == {"expired": [2]}
        time.sleep(0.002)
        rest = served("POST", f"{path}/expire", {"older_than": "0.001s"}, "write")
        assert rest.json() == {"expired": [1, 3]}
        assert served("GET", f"{path}/status").json()["waiting"] == 0
        for body in (None, {"decision": 2}, {"decision": 9}, {"older_than": "soon"}):
            assert served("POST", f"{path}/expire", body, "write").status_code == 422
    served.engine.close()


def test_keys_are_made_and_revoked(tmp_path):
    served = Served(tmp_path / "shop.db")
    with served.client:
        made = served("POST", "/v1/keys", {"name": "page", "role": "write"})
        assert made.status_code == 201
        key = made.json()["key"]
        assert served("POST", "/v1/experiments/home/decisions", role=key).status_code == 404
        assert served("POST", "/v1/keys", {"name": "page", "role": "read"}).status_code == 409
        listed = served("GET", "/v1/keys")
        assert {"name": "page", "role": "write"} in listed.json()["keys"]
        assert key not in listed.text

        assert served("DELETE", "/v1/keys/page").json() == {"name": "page", "role": "write"}
        assert served("POST", "/v1/experiments/home/decisions", role=key).status_code == 401
        assert served("DELETE", "/v1/keys/page").status_code == 404
        assert served("DELETE", "/v1/keys/admin").status_code == 409  # nobody could make another
        for body in ({"name": "\n", "role": "read"}, {"name": "x", "role": "king"}):
            assert served("POST", "/v1/keys", body).status_code == 422
    served.engine.close()


def test_a_key_that_another_server_revoked_is_refused_soon(tmp_path, monkeypatch):
    served = Served(tmp_path / "shop.db")
    with served.client:
        read = served.keys["read"]
        assert served("GET", "/v1/experiments", role=read).is_success
        served.engine.store.remove_key("read")
        assert served("GET", "/v1/experiments", role=read).is_success  # not looked at yet
        monkeypatch.setattr("factored_bandits.service.api.state.LONGEST", 0.0)
        for _ in range(200):
            if served("GET", "/v1/experiments", role=read).status_code == 401:
                break
        assert served("GET", "/v1/experiments", role=read).status_code == 401
    served.engine.close()


def test_keys_by_the_command_line(tmp_path):
    place = str(tmp_path / "shop.db")

    def run(*words):
        return CliRunner().invoke(app, ["experiments", "keys", *words])

    SqliteStore(place).close()
    made = run("create", place, "boss", "--role", "admin")
    assert made.exit_code == 0
    key = made.stdout.strip()
    store = SqliteStore(place, read_only=True)
    assert store.keys()[0].digest == access.digest(key)
    store.close()
    assert run("create", place, "page", "--role", "write").exit_code == 0
    assert "there is a key 'page' already" in run("create", place, "page", "--role", "read").stderr
    listed = json.loads(run("list", place, "--json").stdout)
    assert {each["name"]: each["role"] for each in listed} == {"boss": "admin", "page": "write"}
    assert "boss" in run("list", place).stdout
    assert "the last key with the role admin" in run("revoke", place, "boss").stderr
    assert "revoked page" in run("revoke", place, "page").stderr
    refused = run("revoke", place, "pages")
    assert (refused.exit_code, "no key named 'pages'" in refused.stderr) == (2, True)


@pytest.mark.parametrize("words", [("create", "--role", "read"), ("revoke",)])
def test_a_slip_in_the_path_makes_no_database(words, tmp_path):
    place = tmp_path / "shops" / "shop.db"
    command, *options = words
    refused = CliRunner().invoke(app, ["experiments", "keys", command, str(place), "me", *options])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "there is no database" in refused.stderr
    assert not place.parent.exists()
