"""The service over HTTP: decisions, rewards, keys, tokens, limits, and the command."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
from starlette.testclient import TestClient

import factored_bandits as fb
from factored_bandits.service.api.access import new_key
from factored_bandits.service.api.answering import LARGEST_BODY
from factored_bandits.service.api.app import ENDPOINTS, application
from factored_bandits.service.api.openapi import document
from factored_bandits.service.engine import Engine
from factored_bandits.service.store import SqliteStore

FACTORS = {"headline": ["short", "long"], "button": ["red", "green", "blue"]}
NEW = {"key": "home", "factors": FACTORS, "policy": "tea", "ttl": "30m", "default": 0.0, "seed": 3}


class Served:
    def __init__(self, path) -> None:
        self.path = path
        self.engine = Engine(SqliteStore(path))
        self.keys = {
            role: new_key(self.engine.store, role, role) for role in ("read", "write", "admin")
        }
        self.client = TestClient(application(self.engine), raise_server_exceptions=False)

    def __call__(self, method, path, body=None, role="admin", headers=None, content=None):
        given = dict(headers or {})
        if role is not None:
            given["Authorization"] = f"Bearer {self.keys.get(role, role)}"
        if content is None and body is not None:
            content = json.dumps(body)
        return self.client.request(method, path, content=content, headers=given)


@pytest.fixture
def served(tmp_path):
    made = Served(tmp_path / "shop.db")
    with made.client:
        yield made
    made.engine.close()


@pytest.fixture
def home(served):
    assert served("POST", "/v1/experiments", NEW).status_code == 201
    return served


def forged(token):
    """With another last character."""
    return token[:-1] + ("x" if token[-1] != "x" else "y")


def test_a_decision_and_its_reward(home):
    found = home("POST", "/v1/experiments/home/decisions", {"units": ["Ada", "Bob"]}, "write")
    assert found.status_code == 200
    first, second = found.json()["decisions"]
    memory = fb.Agent("tea", factors=FACTORS, seed=3, compiled=False)
    for got in (first, second):
        expected = memory.ask()
        assert (got["id"], got["levels"]) == (expected.id, expected.levels)
        assert (got["action"], got["propensity"]) == (list(expected.action), expected.propensity)

    again = home("POST", "/v1/experiments/home/decisions", {"units": ["Ada"]}, "write")
    assert again.json()["decisions"] == [first]

    rewards = [
        {"token": first["token"], "reward": 1},
        {"token": first["token"], "reward": 1.0},
        {"token": first["token"], "reward": 0.0},
        {"token": forged(second["token"]), "reward": 1.0},
        {"token": second["token"], "reward": 7.0},
        {"token": "nonsense", "reward": 1.0},
    ]
    said = home("POST", "/v1/rewards", {"rewards": rewards}, role=None)  # no key: a browser
    outcomes = [each["outcome"] for each in said.json()["outcomes"]]
    assert outcomes[:2] in (["accepted", "duplicate"], ["duplicate", "accepted"])
    assert outcomes[2:] == ["conflict", "unknown", "refused", "unknown"]

    by_number = {"rewards": [{"experiment": "home", "decision": 2, "reward": 0.0}]}
    assert home("POST", "/v1/rewards", by_number, role=None).status_code == 401
    assert home("POST", "/v1/rewards", by_number, "read").status_code == 401
    said = home("POST", "/v1/rewards", by_number, "write")
    assert said.json() == {"outcomes": [{"outcome": "accepted"}]}

    state = home("GET", "/v1/experiments/home/status", role="read").json()
    assert (state["asked"], state["waiting"]) == (2, 0)
    text = home("GET", "/metrics", role=None).text
    assert 'fb_decisions_total{experiment="home"} 3.0' in text
    assert 'fb_rewards_total{outcome="accepted"} 2.0' in text


def test_an_idempotency_key_repeats_a_whole_request(home):
    ask = ("POST", "/v1/experiments/home/decisions", {"count": 3}, "write")
    first = home(*ask, headers={"Idempotency-Key": "k"}).json()
    assert [one["id"] for one in first["decisions"]] == [1, 2, 3]
    assert home(*ask, headers={"Idempotency-Key": "k"}).json() == first
    assert home(*ask).json()["decisions"][0]["id"] == 4
    assert home("POST", "/v1/experiments/home/decisions", role="write").status_code == 200


def test_experiments_are_made_listed_and_controlled(home):
    assert home("POST", "/v1/experiments", NEW).status_code == 200
    other = home("POST", "/v1/experiments", {**NEW, "seed": 4})
    assert other.status_code == 409
    assert "seed is 3 there and 4 here" in other.json()["detail"]
    for number in range(101):
        body = {"key": f"x{number:03}", "arms": ["A", "B"]}
        assert home("POST", "/v1/experiments", body).status_code == 201
    page = home("GET", "/v1/experiments", role="read").json()
    assert len(page["experiments"]) == 100
    rest = home("GET", f"/v1/experiments?cursor={page['next']}", role="read").json()
    assert len(rest["experiments"]) == 2
    assert rest["next"] is None

    paused = home("POST", "/v1/experiments/home/pause", {"reason": "lunch"})
    assert (paused.json()["status"], paused.json()["reason"]) == ("paused", "lunch")
    refused = home("POST", "/v1/experiments/home/decisions", role="write")
    assert refused.status_code == 409
    assert refused.headers["content-type"] == "application/problem+json"
    assert "is paused: lunch" in refused.json()["detail"]
    assert home("POST", "/v1/experiments/home/resume").json()["status"] == "running"
    assert home("POST", "/v1/experiments/home/stop").json()["status"] == "stopped"


@pytest.mark.parametrize(
    ("role", "allowed"),
    [(None, set()), ("fb_forged", set()), ("read", {"read"}), ("write", {"read", "write"})],
)
def test_roles(role, allowed, home):
    for endpoint in ENDPOINTS:
        if endpoint.role is None or endpoint.role in allowed:
            continue
        path = endpoint.path.replace("{key}", "home")
        bodies = {
            "/v1/experiments": NEW,
            "/v1/keys": {"name": "Ada", "role": "read"},
            "/v1/studies/home/links": {"name": "all"},
            "/v1/studies/home/exclude": {"voter": "0" * 24},
        }
        body = bodies.get(path)
        found = home(endpoint.method, path, body, role)
        wanted = 401 if not allowed else 403
        assert found.status_code == wanted, (path, found.text)
        assert found.json()["status"] == wanted
    assert home("GET", "/v1/experiments/home", role=role).status_code == (200 if allowed else 401)


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ("", 400),
        ("{", 400),
        ("[" * 100_000, 400),
        ('{"rewards": ' + "[" * 5000 + "]" * 5000 + "}", 400),
        ("x" * (LARGEST_BODY + 1), 413),
        ('{"rewards": [{"token": "t", "reward": NaN}]}', 400),
        ('{"rewards": [{"token": "t", "reward": "1"}]}', 422),
        ('{"rewards": []}', 422),
        ('{"rewards": [{"reward": 1}]}', 422),
        ('{"rewards": [{"token": "t", "reward": 1, "extra": 1}]}', 422),
        ('{"rewards": [{"experiment": "home", "decision": 1e400, "reward": 1}]}', 400),
        ('{"rewards": [{"experiment": "home", "decision": 99999999999999999, "reward": 1}]}', 422),
        ("\xff\xfe", 400),
    ],
    ids=range(13),
)
def test_bodies_that_do_not_fit(content, status, home):
    found = home("POST", "/v1/rewards", content=content.encode("latin-1"))
    assert found.status_code in ({400, 422} if status == 400 else {status}), found.text
    assert found.json()["detail"]


@pytest.mark.parametrize(
    "change",
    [
        {"policy": "../evil.py"},
        {"policy": "no such"},
        {"params": {"nothing": 1}},
        {"ttl": "soon"},
        {"default": None},
        {"default": 7},
        {"factors": None},
        {"arms": ["A", "B"]},
        {"factors": {"a": ["x", "x"]}},
        {"key": "line\nbreak"},
        {"key": ""},
        {"reward_range": [1, 0]},
    ],
)
def test_experiments_that_cannot_be(change, served):
    found = served("POST", "/v1/experiments", {**NEW, **change})
    assert found.status_code == 422, found.text
    assert served("GET", "/v1/experiments").json()["experiments"] == []


def test_labels_are_data(served):
    evil = ["'; DROP TABLE event; --", "<script>alert(1)</script>", "\u0000", "ünïcode \U0001f600"]
    body = {"key": evil[1], "factors": {evil[0]: evil, "b": [1, 2.5, "x"]}}
    assert served("POST", "/v1/experiments", body).status_code == 201
    found = served("POST", f"/v1/experiments/{evil[1].replace('/', '%2F')}/decisions", role="write")
    assert found.status_code in (200, 404)  # a slash may end a path
    assert served("GET", "/v1/experiments").json()["experiments"][0]["key"] == evil[1]


def test_unknown_paths_and_methods(home):
    for method, path, status in (
        ("GET", "/nowhere", 404),
        ("DELETE", "/v1/experiments/home", 405),
        ("GET", "/v1/experiments/nobody", 404),
    ):
        found = home(method, path)
        assert found.status_code == status
        assert found.headers["content-type"] == "application/problem+json"
    assert home("GET", "/healthz", role=None).text == "ok\n"
    # it is found and answered like decisions and rewards
    assert home("GET", "/healthz", role=None).headers["X-Request-Id"]
    assert home("HEAD", "/healthz", role=None).status_code == 200
    assert home("POST", "/healthz", role=None).status_code == 405
    assert (
        'fb_requests_total{route="/healthz",status="200"} 3.0'
        in home("GET", "/metrics", role=None).text
    )
    assert home("GET", "/readyz", role=None).text == "ready\n"


def test_no_secret_is_logged(home, caplog):
    with caplog.at_level("INFO"):
        found = home("POST", "/v1/experiments/home/decisions", {"units": ["Ada"]}, "write")
        token = found.json()["decisions"][0]["token"]
        home("POST", "/v1/rewards", {"rewards": [{"token": token, "reward": 1}]})
    text = caplog.text
    assert '"route": "/v1/rewards"' in text
    assert found.headers["x-request-id"] in text
    for secret in (*home.keys.values(), token, "Ada"):
        assert secret not in text
    with sqlite3.connect(home.path) as connection:
        dump = "\n".join(map(str, connection.execute("SELECT * FROM access").fetchall()))
    connection.close()
    assert not any(key in dump for key in home.keys.values())


def test_the_description_is_whole(served):
    description = document()
    assert served("GET", "/openapi.json", role=None).json() == description
    page = Path(__file__).parents[2] / "docs" / "reference" / "openapi.json"
    assert json.loads(page.read_text(encoding="utf-8")) == description, "python tools/openapi.py"
    named = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(description)))
    assert named == set(description["components"]["schemas"])
    assert len(description["paths"]) == len({endpoint.path for endpoint in ENDPOINTS})


def call(url, path, key, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        url + path, data, {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def start(place):
    command = [sys.executable, "-m", "factored_bandits", "serve", "--db", str(place)]
    process = subprocess.Popen(
        [*command, "--port", "0", "--quiet"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    url = process.stdout.readline().split()[-1]
    return process, url


def test_the_command_serves_is_killed_goes_on_and_ends_cleanly(tmp_path):
    place = tmp_path / "shop.db"
    process, url = start(place)
    try:
        key = process.stdout.readline().split()[-1]
        assert "curl" in process.stdout.readline()
        call(url, "/v1/experiments", key, NEW)
        made = call(url, "/v1/experiments/home/decisions", key, {"units": ["Ada"]})["decisions"][0]
        told = {"rewards": [{"token": made["token"], "reward": 1.0}]}
        assert call(url, "/v1/rewards", key, told)["outcomes"] == [{"outcome": "accepted"}]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()

    process, url = start(place)
    try:
        assert call(url, "/v1/rewards", key, told)["outcomes"] == [{"outcome": "duplicate"}]
        with pytest.raises(urllib.error.HTTPError) as caught:
            call(url, "/v1/experiments", "fb_wrong")
        assert caught.value.code == 401
        caught.value.close()
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
        assert process.wait(timeout=30) in (0, -signal.SIGTERM)
        assert "key" not in rest
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    with fb.open(place, key="home") as agent:
        assert agent.status().learned in (0, 1)
        assert agent.waiting == ()
