"""What all pages share: sign-in, sessions, forms, headers, assets, errors."""

from __future__ import annotations

import json
import time

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
from served import Visitor, serving, shop_at
from surfer import Surfer

from factored_bandits.service.pages.headers import POLICY
from factored_bandits.service.pages.session import LIFE, Sessions
from factored_bandits.service.store import AccessKey

ADA = AccessKey(b"\x01" * 32, "Ada", "read")
BOB = AccessKey(b"\x02" * 32, "Bob", "admin")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The port of a server, and the key of its administrator."""
    place = tmp_path_factory.mktemp("pages") / "shop.db"
    key = shop_at(place)
    with serving(place) as (_, port):
        yield port, key


@pytest.fixture
def surfer(server):
    return Surfer(server[0])


def test_nobody_sees_a_page_without_a_key(surfer, server):
    answer = surfer.get("/?search=home")
    assert (answer.status, answer.headers["location"]) == (303, "/sign-in?next=%2F%3Fsearch%3Dhome")
    assert "home" not in answer.text
    answer = surfer.sign_in(server[1], "/?search=home")
    assert (answer.status, answer.headers["location"]) == (303, "/?search=home")
    assert "home" in surfer.get("/").words
    # whoever is signed in goes on at once
    assert surfer.get("/sign-in?next=/new").headers["location"] == "/new"


def test_the_cookie_is_for_this_site_and_no_script(surfer, server):
    surfer.sign_in(server[1])
    assert "HttpOnly" in surfer.set_cookie
    assert "SameSite=strict" in surfer.set_cookie
    assert "Secure" not in surfer.set_cookie  # this connection has no TLS
    fresh = Surfer(server[0])
    fresh.get("/sign-in", **{"X-Forwarded-Proto": "https"})
    assert "Secure" in fresh.set_cookie


def test_a_wrong_key_is_told_so_and_not_for_ever(server):
    surfer = Surfer(server[0])
    token = surfer.get("/sign-in").token
    headers = {"X-Forwarded-For": "192.0.2.7"}
    statuses = []
    for _ in range(11):
        answer = surfer.post("/sign-in", {"csrf": token, "key": "fb_wrong"}, **headers)
        statuses.append(answer.status)
    assert statuses == [401] * 10 + [429]
    assert int(answer.headers["retry-after"]) <= 6
    # the right key does not help now, but it does from elsewhere
    fields = {"csrf": token, "key": server[1]}
    assert surfer.post("/sign-in", fields, **headers).status == 429
    assert surfer.post("/sign-in", fields).status == 303


@pytest.mark.parametrize(
    "address", ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere", "javascript:x"]
)
def test_after_sign_in_one_stays_here(server, address):
    assert Surfer(server[0]).sign_in(server[1], address).headers["location"] == "/"


def test_a_form_of_another_site_is_refused(server):
    surfer = Surfer(server[0])
    surfer.sign_in(server[1])
    other = Surfer(server[0])
    for fields in ({}, {"csrf": "0" * 64}, {"csrf": "é"}, {"csrf": other.get("/sign-in").token}):
        answer = surfer.post("/sign-out", fields)
        assert answer.status == 403
        assert "was not made for this browser" in answer.words
    token = surfer.get("/").token
    answer = surfer.post("/sign-out", {"csrf": token}, **{"Sec-Fetch-Site": "cross-site"})
    assert answer.status == 403
    assert surfer.get("/").status == 200
    assert surfer.post("/sign-out", {"csrf": token}).headers["location"] == "/sign-in"
    assert surfer.get("/").status == 303


def test_a_revoked_key_ends_its_sessions(server):
    port, key = server
    service = Visitor(port, key)
    made = service.call("POST", "/v1/keys", {"name": "guest", "role": "read"})[1]["key"]
    surfer = Surfer(port)
    surfer.sign_in(made)
    assert surfer.get("/").status == 200
    service.to(port)  # a server ends connections that say nothing for 5 s
    assert service.call("DELETE", "/v1/keys/guest")[0] == 200
    service.close()
    assert surfer.get("/").status == 303
    assert surfer.sign_in(made).status == 401


def test_every_page_has_the_headers(server):
    surfer = Surfer(server[0])
    surfer.sign_in(server[1])
    for path in ("/", "/sign-in", "/no-such-page", "/assets/pages/style.css"):
        headers = surfer.get(path).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
    assert "unsafe" not in POLICY
    assert surfer.get("/").headers["cache-control"] == "no-store"


def test_assets_are_kept_until_they_change(surfer):
    page = surfer.get("/sign-in").text
    address = page.split('rel="stylesheet" href="')[1].split('"')[0]
    answer = surfer.get(address)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/css")
    assert "immutable" in answer.headers["cache-control"]
    again = surfer.get(address, **{"If-None-Match": answer.headers["etag"]})
    assert (again.status, again.text) == (304, "")
    assert surfer.get("/assets/pages/style.css").headers["cache-control"] == "no-cache"
    for path in ("/assets/pages/../session.py", "/assets/pages/none.css", "/assets/"):
        assert surfer.get(path).status == 404


def test_errors_are_pages_for_browsers_and_problems_for_programs(surfer):
    answer = surfer.get("/no-such-page")
    assert answer.status == 404
    assert "There is no such page" in answer.words
    for path, accept in (("/v1/nothing", "text/html"), ("/no-such-page", "application/json")):
        answer = surfer.get(path, Accept=accept)
        assert answer.headers["content-type"] == "application/problem+json"
        assert json.loads(answer.text)["status"] == 404
    # what a script asks for is not sent to the form
    assert surfer.get("/", Accept="text/event-stream").status == 401


def test_a_form_has_limits(server, surfer):
    token = surfer.get("/sign-in").token
    assert surfer.post("/sign-in", {"csrf": token, "key": "x" * 100_001}).status == 413
    assert surfer.post("/sign-in", {"csrf": token, "k": list(range(600))}).status == 400


class TestSessions:
    def test_a_cookie_is_read_again(self):
        sessions = Sessions(b"secret")
        session = sessions.begin(BOB)
        assert sessions.read(sessions.cookie(session)) == session
        assert sessions.holder(session, [ADA, BOB]) == BOB
        assert sessions.holder(session, [ADA]) is None
        assert sessions.holder(sessions.begin(), [ADA, BOB]) is None

    def test_it_ends(self):
        sessions = Sessions(b"secret")
        now = time.time()
        cookie = sessions.cookie(sessions.begin(ADA, now))
        assert sessions.read(cookie, now + LIFE - 2) is not None
        assert sessions.read(cookie, now + LIFE + 1) is None

    def test_a_changed_cookie_is_none_of_ours(self):
        sessions = Sessions(b"secret")
        cookie = sessions.cookie(sessions.begin(ADA))
        nonce, who, ends, signature = cookie.split(".")
        changed = [
            ".".join((nonce, who, str(int(ends) + 1), signature)),
            ".".join((nonce, sessions.begin(BOB).who, ends, signature)),
            ".".join((nonce[::-1], who, ends, signature)),
            cookie[:-1],
            "",
            "é" * 10,
        ]
        assert [sessions.read(each) for each in changed] == [None] * 6
        assert Sessions(b"another").read(cookie) is None

    def test_it_does_not_contain_the_digest_of_the_key(self):
        sessions = Sessions(b"secret")
        assert ADA.digest.hex()[:16] not in sessions.cookie(sessions.begin(ADA))

    def test_the_token_of_a_form_changes_with_the_session(self):
        sessions = Sessions(b"secret")
        one = sessions.begin(ADA)
        other = sessions.begin(ADA)
        assert sessions.is_token(one, sessions.token(one))
        assert not sessions.is_token(other, sessions.token(one))
        assert not sessions.is_token(one._replace(who="-"), sessions.token(one))
