"""OFREP with its stock clients, and with ours that add track(): real SDKs, a real server."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
pytest.importorskip("openfeature", reason="openfeature-sdk is not installed")

from openfeature import api
from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import ErrorCode
from openfeature.flag_evaluation import Reason
from openfeature.track import TrackingEventDetails
from served import Visitor, serving, shop_at
from test_http import FACTORS, Served

import factored_bandits as fb

NODE = Path(__file__).parent / "node"
HOME = {"headline": ["short", "long"], "columns": [1, 2, 3]}
FLAGS = "/ofrep/v1/evaluate/flags"


class Running(NamedTuple):
    url: str
    key: str
    port: int

    def call(self, *args):
        visitor = Visitor(self.port, self.key)
        status, content = visitor.call(*args)
        visitor.close()
        assert status == 200, content
        return content


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    place = tmp_path_factory.mktemp("ofrep") / "shop.db"
    for experiment in ("home", "stock", "ours"):
        key = shop_at(place, "write", key=experiment, factors=HOME)
    with serving(place) as (_, port):
        yield Running(f"http://127.0.0.1:{port}", key, port)


@pytest.fixture
def client_of():
    def made(provider):
        api.set_provider_and_wait(provider, domain="ofrep")
        return api.get_client(domain="ofrep")

    yield made
    api.clear_providers()


def test_the_stock_provider_of_python(running, client_of):
    stock = pytest.importorskip(
        "openfeature.contrib.provider.ofrep", reason="openfeature-provider-ofrep is not installed"
    )
    headers = {"Authorization": f"Bearer {running.key}"}
    client = client_of(stock.OFREPProvider(running.url, headers_factory=lambda: headers))
    ada = EvaluationContext("Ada", {"country": "gb"})
    whole = client.get_object_details("stock", {}, ada)
    assert (whole.reason, whole.error_code) == (Reason.SPLIT, None)
    assert whole.variant == "headline={headline}, columns={columns}".format(**whole.value)
    assert whole.flag_metadata["propensity.headline"] == 0.5

    part = client.get_string_details("stock.headline", "none", ada)
    assert (part.value, part.variant) == (whole.value["headline"], whole.value["headline"])
    assert client.get_integer_value("stock.columns", -1, ada) == whole.value["columns"]

    for flag, who, code in (
        ("away", ada, ErrorCode.FLAG_NOT_FOUND),
        ("stock.away", ada, ErrorCode.FLAG_NOT_FOUND),
        ("stock", EvaluationContext(), ErrorCode.TARGETING_KEY_MISSING),
        ("stock", EvaluationContext("x" * 2000), ErrorCode.INVALID_CONTEXT),
    ):
        found = client.get_object_details(flag, {}, who)
        assert (found.value, found.error_code) == ({}, code)
        assert found.error_message

    client.track("stock", ada)  # it is dropped
    assert running.call("GET", "/v1/experiments/stock/status")["waiting"] == 1
    token = whole.flag_metadata["decision"]
    said = running.call("POST", "/v1/rewards", {"rewards": [{"token": token, "reward": 1}]})
    assert said == {"outcomes": [{"outcome": "accepted"}]}


def test_our_provider_over_a_service_tracks(running, client_of):
    with fb.connect(running.url, key=running.key, experiment="ours") as agent:
        provider = fb.openfeature.Provider({"ours": agent}, rewards={"purchase": "ours"})
        client = client_of(provider)
        shown = {}
        for i in range(6):
            who = EvaluationContext(f"visitor {i}")
            shown[i] = client.get_object_value("ours", {}, who)
            assert client.get_float_value("ours.columns", -1.0, who) == shown[i]["columns"]
            client.track("scrolled", who)
            if i < 4:
                client.track("purchase", who, TrackingEventDetails(0.5 if i else 1.0))
        late = client.get_object_details("ours", {}, EvaluationContext("visitor 4"))
        number = late.flag_metadata["decision"]
        client.track("purchase", None, TrackingEventDetails(attributes={"decision": number}))
        client.track("purchase", EvaluationContext("nobody was asked"))
        assert provider.expire() == 0

    state = running.call("GET", "/v1/experiments/ours/status")
    assert (state["asked"], state["waiting"]) == (6, 1)
    # another process, or another day: the database remembers
    with fb.connect(running.url, key=running.key, experiment="ours") as agent:
        client = client_of(fb.openfeature.Provider({"ours": agent}))
        for i, page in shown.items():
            assert client.get_object_value("ours", {}, EvaluationContext(f"visitor {i}")) == page
        assert [agent.tell_unit(f"visitor {i}", 1.0) for i in (0, 4, 5)] == [
            "duplicate",
            "duplicate",
            "accepted",
        ]
        with pytest.raises(fb.errors.DecisionError, match="this unit has no decision"):
            agent.tell_unit("nobody", 1.0)


def test_our_provider_over_a_file_tracks(tmp_path, client_of):
    with fb.open(tmp_path / "shop.db", key="home", factors=HOME, seed=3) as agent:
        client = client_of(fb.openfeature.Provider({"home": agent}))
        ada = EvaluationContext("Ada")
        page = client.get_object_value("home", {}, ada)
        assert agent.ask("Ada").levels == page
        client.track("home", ada)
        assert agent.waiting == ()
        assert agent.tell_unit("Ada", 1.0) == "duplicate"


@pytest.fixture(scope="module")
def saw(running):
    """What the clients of JavaScript saw."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("there is no node here")
    if not (NODE / "node_modules").is_dir():
        pytest.skip("npm install --no-package-lock in tests/service/node was not run")
    done = subprocess.run(
        [program, str(NODE / "clients.js"), running.url, running.key],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_stock_provider_for_servers_in_javascript(saw):
    whole = saw["whole"]
    assert (whole["reason"], set(whole["value"])) == ("SPLIT", {"headline", "columns"})
    assert whole["variant"] == "headline={headline}, columns={columns}".format(**whole["value"])
    assert saw["part"]["value"] == whole["value"]["headline"]
    assert saw["part"]["flagMetadata"] == whole["flagMetadata"]
    assert (saw["missing"]["value"], saw["missing"]["errorCode"]) == ("none", "FLAG_NOT_FOUND")
    assert (saw["nobody"]["value"], saw["nobody"]["errorCode"]) == (
        "none",
        "TARGETING_KEY_MISSING",
    )
    assert saw["mismatch"]["errorCode"] == "TYPE_MISMATCH"


def test_the_stock_provider_for_browsers_evaluates_what_the_context_names(saw):
    assert saw["unnamed"]["errorCode"] == "FLAG_NOT_FOUND"
    named = saw["named"]
    assert named["reason"] == "SPLIT"
    assert (saw["string"]["value"], saw["number"]["value"]) == (
        named["value"]["headline"],
        named["value"]["columns"],
    )
    assert saw["gone"]["errorCode"] == "FLAG_NOT_FOUND"
    assert saw["again"]["value"] == named["value"]
    # without names, with them, and again with the ETag
    assert saw["statuses"] == [200, 200, 304]


def test_our_providers_in_javascript_track(saw, running):
    state = running.call("GET", "/v1/experiments/home/status")
    # Ada, five visitors and Bob; none of those who were never shown anything
    assert (state["asked"], state["waiting"]) == (7, 0)
    first = {"rewards": [{"experiment": "home", "unit": "visitor 0", "reward": 0.5}]}
    assert running.call("POST", "/v1/rewards", first) == {"outcomes": [{"outcome": "duplicate"}]}


@pytest.fixture
def served(tmp_path):
    made = Served(tmp_path / "shop.db")
    with made.client:
        for key in ("home", "shop", "shop.home", "a/b"):
            assert made("POST", "/v1/experiments", {"key": key, "factors": FACTORS}).is_success
        yield made
    made.engine.close()


def test_an_answer_is_known_by_its_mark(served):
    body = {"context": {"targetingKey": "Ada", "experiments": ["home", "away"]}}
    first = served("POST", FLAGS, body, "write")
    flags = {flag["key"]: flag for flag in first.json()["flags"]}
    assert set(flags) == {"home", "home.headline", "home.button", "away"}
    assert flags["away"]["errorCode"] == "FLAG_NOT_FOUND"
    mark = first.headers["etag"]
    again = served("POST", FLAGS, body, "write", {"If-None-Match": f'"x", W/{mark}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", mark)
    body["context"]["targetingKey"] = "Bob"
    other = served("POST", FLAGS, body, "write", {"If-None-Match": mark})
    assert (other.status_code, other.headers["etag"] == mark) == (200, False)


def test_no_decision_is_spent_on_what_is_not_named(served):
    for body in (None, {"context": {"targetingKey": "Ada"}}, {"context": None}):
        assert served("POST", FLAGS, body, "write").json() == {"flags": []}
    for key in ("home", "shop"):
        assert served("GET", f"/v1/experiments/{key}/status").json()["asked"] == 0


def test_keys_of_flags_with_dots_and_slashes(served):
    context = {"context": {"targetingKey": "Ada"}}
    for flag, kind in (("shop.home", dict), ("shop.home.button", str), ("a/b.button", str)):
        found = served("POST", f"{FLAGS}/{flag}", context, "write").json()
        assert (found["key"], type(found["value"])) == (flag, kind)
    assert served("GET", "/v1/experiments/shop/status").json()["asked"] == 0


@pytest.mark.parametrize(
    ("flag", "body", "role", "status", "code"),
    [
        ("/home", {"context": {"targetingKey": 7}}, "write", 400, "INVALID_CONTEXT"),
        ("/home", {"context": []}, "write", 400, "INVALID_CONTEXT"),
        ("/home", [], "write", 400, "INVALID_CONTEXT"),
        ("/home", None, "write", 400, "TARGETING_KEY_MISSING"),
        ("/home", {"context": {"targetingKey": "Ada"}}, "read", 403, None),
        ("/home", {"context": {"targetingKey": "Ada"}}, None, 401, None),
        ("", {"context": {"experiments": ["home"]}}, "write", 400, "TARGETING_KEY_MISSING"),
        ("", {"context": {"experiments": {"home": 1}}}, "write", 400, "INVALID_CONTEXT"),
        ("", {"context": {"experiments": ["x"] * 101}}, "write", 400, "INVALID_CONTEXT"),
    ],
)
def test_evaluations_that_cannot_be(flag, body, role, status, code, served):
    found = served("POST", FLAGS + flag, body, role)
    assert found.status_code == status, found.text
    if code is not None:
        assert found.json()["errorCode"] == code
        assert found.json()["errorDetails"]
        assert found.json()["key"] == flag[1:]


def test_a_body_that_is_no_json_a_paused_experiment_and_the_other_header(served):
    found = served("POST", f"{FLAGS}/home", role="write", content="{")
    assert (found.status_code, found.json()["errorCode"]) == (400, "PARSE_ERROR")
    served("POST", "/v1/experiments/home/pause", {"reason": "lunch"})
    ada = {"context": {"targetingKey": "Ada", "experiments": "home"}}
    found = served("POST", f"{FLAGS}/home", ada, None, {"X-API-Key": served.keys["write"]})
    assert (found.status_code, found.json()["errorCode"]) == (400, "GENERAL")
    assert found.json()["errorDetails"] == "the experiment 'home' is paused: lunch"
    (flag,) = served("POST", FLAGS, ada, "write").json()["flags"]
    assert flag["errorCode"] == "GENERAL"


def test_while_the_database_is_away_a_flag_is_stale_and_has_no_token(served, monkeypatch):
    # what the queue does while the breaker is open, which a writer would close at once
    monkeypatch.setattr(served.engine._queue, "put", lambda asked: [each for _, each in asked])
    ada = {"context": {"targetingKey": "Ada", "experiments": ["home"]}}
    found = served("POST", f"{FLAGS}/home", ada, "write").json()
    assert (found["reason"], found["metadata"]) == ("STALE", {})
    assert found["value"].keys() == FACTORS.keys()
    assert len(served("POST", FLAGS, ada, "write").json()["flags"]) == 3
    monkeypatch.undo()
    assert served("GET", "/v1/experiments/home/status").json()["asked"] == 0
