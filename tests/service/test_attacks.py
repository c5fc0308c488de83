"""Those who mean harm: forged and replayed tokens, keys, bodies, labels."""

from __future__ import annotations

import hmac
import json

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")

from test_http import NEW, forged, home, served

from factored_bandits.service.api import access, tokens
from factored_bandits.service.api.answering import LARGEST_BODY

__all__ = ["home", "served"]  # fixtures
DECISIONS = "/v1/experiments/home/decisions"


def outcomes(home, *rewards, role=None):
    said = home("POST", "/v1/rewards", {"rewards": list(rewards)}, role=role)
    assert said.status_code == 200, said.text
    return [each["outcome"] for each in said.json()["outcomes"]]


def test_tokens_cannot_be_made_up(home):
    """Of another decision, another experiment, another service, of no decision at all."""
    home("POST", "/v1/experiments", {**NEW, "key": "other"})
    made = home("POST", DECISIONS, {"count": 2}, "write").json()["decisions"]
    first, second = (one["token"].split(".") for one in made)
    secret = home.engine.secret
    tried = [
        ".".join([first[0], second[1], first[2]]),  # the signature of another decision
        ".".join(["2", first[1], first[2]]),  # of another experiment
        ".".join(["01", first[1], first[2]]),  # the same number, written otherwise
        ".".join([first[0], first[1], first[2][:-1]]),
        ".".join([first[0], first[1], first[2] + "A"]),
        ".".join([first[0], first[1], first[2].swapcase()]),
        ".".join([first[0], first[1], ""]),
        ".".join(["\uff11", first[1], first[2]]),  # a digit of another script
        tokens.token(b"another service's secret", 1, 1),
        tokens.token(secret, 99, 1),  # signed, but there is no such experiment
        tokens.token(secret, 1, 3),  # signed, but not given out yet
        "' OR 1=1 --",
        "\x00",
    ]
    assert outcomes(home, *({"token": each, "reward": 1.0} for each in tried)) == (
        ["unknown"] * len(tried)
    )
    state = home("GET", "/v1/experiments/home/status").json()
    assert (state["waiting"], state["learned"]) == (2, 0)


def test_a_token_counts_once(home):
    """Replayed a thousand times, by anybody, in one body and in many."""
    made = home("POST", DECISIONS, {"count": 1}, "write").json()["decisions"][0]
    reward = {"token": made["token"], "reward": 1.0}
    said = outcomes(home, *([reward] * 1000)) + outcomes(home, reward)
    assert sorted(said) == ["accepted"] + ["duplicate"] * 1000
    assert outcomes(home, {**reward, "reward": 0.0}) == ["conflict"]
    assert home("GET", "/v1/experiments/home").json()["events"] == 2


def test_keys_and_tokens_are_compared_in_constant_time(home, monkeypatch):
    """Every stored digest is compared, by a comparison that does not end early."""
    compared = []

    def spy(a, b):
        compared.append((a, b))
        return real(a, b)

    real = hmac.compare_digest
    monkeypatch.setattr(access.hmac, "compare_digest", spy)
    for key in (home.keys["read"], home.keys["admin"], "fb_wrong"):
        compared.clear()
        home("GET", "/v1/experiments", role=key)
        # of digests, so that what is compared tells nothing of the key; again after a refresh
        assert len(compared) in (3, 6)
        assert {len(a) for a, _ in compared} == {32}
    compared.clear()
    made = home("POST", DECISIONS, {"count": 1}, "write").json()["decisions"][0]
    compared.clear()
    assert outcomes(home, {"token": forged(made["token"]), "reward": 1.0}) == ["unknown"]
    assert [len(b) for _, b in compared] == [20]


def test_a_read_key_changes_nothing(home):
    before = home("GET", "/v1/experiments/home").json()
    made = home("POST", DECISIONS, {"count": 1}, "write").json()["decisions"][0]
    by_number = {"experiment": "home", "decision": made["id"], "reward": 1.0}
    by_unit = {"experiment": "home", "unit": "Ada", "reward": 1.0}
    tried = [
        ("POST", "/v1/experiments", {**NEW, "key": "another"}),
        ("POST", DECISIONS, {"count": 1}),
        ("POST", DECISIONS, {"units": ["Ada"]}),
        ("POST", "/v1/rewards", {"rewards": [by_number]}),
        ("POST", "/v1/rewards", {"rewards": [by_unit]}),
        *(("POST", f"/v1/experiments/home/{verb}", {}) for verb in ("pause", "resume", "stop")),
    ]
    for method, path, body in tried:
        assert home(method, path, body, "read").status_code in (401, 403), path
    after = home("GET", "/v1/experiments/home").json()
    assert after == {**before, "events": 1}
    assert len(home("GET", "/v1/experiments").json()["experiments"]) == 1


DEEP = 5000


@pytest.mark.parametrize("path", ["/v1/experiments", DECISIONS, "/v1/rewards"])
@pytest.mark.parametrize(
    "content",
    [
        b"[" * DEEP + b"]" * DEEP,
        b'{"a":' * DEEP + b"1" + b"}" * DEEP,
        b'{"count": NaN}',
        b'{"count": Infinity}',
        b'{"count": 1e999}',
        b'{"count": -1}',
        b'{"units": [1]}',
        b'{"units": null, "units": ["a"], "count": 101}',
        b'{"rewards": [{"token": "t", "reward": {"a": NaN}}]}',
        b"null",
        b'"\\ud800"',
        b"\xff\xfe\x00",
        b" " * (LARGEST_BODY + 1),
        b"9" * LARGEST_BODY,
    ],
    ids=range(14),
)
def test_bodies_that_are_no_bodies(path, content, home):
    found = home("POST", path, content=content)
    assert found.status_code in (400, 413, 422), found.text
    assert found.headers["content-type"] == "application/problem+json"
    assert found.json()["detail"]
    assert home("GET", "/v1/experiments/home").json()["events"] == 0


def test_a_body_that_does_not_say_its_length_is_cut_off(home):
    def long():
        for _ in range(1 + LARGEST_BODY // 65536):
            yield b"x" * 65536

    headers = {"Authorization": f"Bearer {home.keys['write']}"}
    found = home.client.post("/v1/rewards", content=long(), headers=headers)
    assert found.status_code == 413


def test_labels_come_back_as_they_were(served):
    evil = [
        "'; DROP TABLE event; --",
        '"><script>alert(1)</script>',
        "${jndi:ldap://x}",
        "%s%d%n",
        "\u202e",
        "a\\u0000b",
        "\U0001f600" * 50,
        "{{7*7}}",
    ]
    body = {"key": "evil", "factors": {evil[0]: evil, evil[1]: [1, 2.5, "1"]}, "policy": "uniform"}
    assert served("POST", "/v1/experiments", body).status_code == 201
    units = [f"{label} {number}" for number, label in enumerate(evil * 3)]
    made = served("POST", "/v1/experiments/evil/decisions", {"units": units}, "write").json()
    for one, unit in zip(made["decisions"], units, strict=True):
        assert one["unit"] == unit
        assert one["levels"] == {
            name: levels[i]
            for (name, levels), i in zip(body["factors"].items(), one["action"], strict=True)
        }
    assert (
        json.loads(served("GET", "/v1/experiments/evil").text)["configuration"]["factors"]
        == (body["factors"])
    )
    assert served("GET", "/v1/experiments/evil").json()["events"] == len(units)
