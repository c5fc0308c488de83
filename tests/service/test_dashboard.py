"""The dashboard over HTTP: lists, forms, one experiment, control, audit, files, what follows."""

from __future__ import annotations

import html
import http.client
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
from served import FACTORS, Visitor, serving, shop_at, start
from surfer import Surfer

from factored_bandits.service.api.access import new_key
from factored_bandits.service.store import opened
from factored_bandits.service.tallies import Tally

HOSTILE = "<script>alert(1)</script>\"'&"
FORM = {
    "key": "made by form",
    "kind": "factors",
    "factor": ["headline", "button", ""],
    "levels": ["short\r\nlong", "red\ngreen\nblue", ""],
    "wish": "statement",
    "low": "0",
    "high": "1",
    "default": "0",
    "ttl": "1h",
    "traffic": "2,000",
    "rate": "5 %",
    "lift": "20",
    "holdout": "10",
    "arms": "",
    "action": "create",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The port of a server with one experiment, and the key of its administrator."""
    place = tmp_path_factory.mktemp("dashboard") / "shop.db"
    key = shop_at(place, policy="tea(bound=betting)", diagnostics=True)
    with serving(place) as (_, port):
        yield port, key


@pytest.fixture
def surfer(server):
    made = Surfer(server[0])
    made.sign_in(server[1])
    return made


def play(port, key, units, experiment="home", best=("long", "blue")):
    """Decisions with rewards, over HTTP, a hundred at a time."""
    service = Visitor(port, key)
    for first in range(0, len(units), 100):
        body = {"units": units[first : first + 100]}
        path = f"/v1/experiments/{experiment}/decisions"
        made = service.call("POST", path, body)[1]["decisions"]
        rewards = []
        for each in made:
            right = sum(level == wanted for level, wanted in zip(each["levels"].values(), best))
            rewards.append({"token": each["token"], "reward": right / 2})
        assert service.call("POST", "/v1/rewards", {"rewards": rewards})[0] == 200
    service.close()
    return made


def eventually(look, seconds=30):
    """The first thing that is true; the counting runs beside the server."""
    until = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < until:
        time.sleep(0.1)
    return found


def test_an_experiment_answers_at_a_glance(server, surfer):
    port, key = server
    made = play(port, key, [f"glance {i}" for i in range(800)])
    service = Visitor(port, key)
    again = {"token": made[0]["token"]}
    service.call("POST", "/v1/rewards", {"rewards": [{**again, "reward": 0.25}]})
    service.call("POST", "/v1/rewards", {"rewards": [{"token": "1.999.x", "reward": 1.0}]})
    service.close()

    page = eventually(
        lambda: found if "Decisions 800" in (found := surfer.get("/experiments/home")).words else ""
    )
    words = page.words
    assert "Best combination headline long" in words
    assert re.search(r"> 99\.9% sure that nothing else is better, whenever you look", words)
    assert "Why is short eliminated?" in words
    assert re.search(r"eliminated since \w+ \d\d, \d\d:\d\d", words)
    assert "conflicting" in words.lower() or "in conflict" in words
    assert "No sign after" in words  # the interaction test
    assert "rewards of this service name no experiment" in words
    assert "uniform play" in words
    assert page.text.count("<svg") >= 4
    assert "<script>" not in page.text
    assert " style=" not in page.text
    assert len(page.text) < 120_000

    row = eventually(lambda: "long, blue" in surfer.get("/").words)
    assert row


def test_the_form_makes_what_it_says(server, surfer):
    answer = surfer.submit("/new", FORM)
    assert (answer.status, answer.headers["location"]) == (303, "/experiments/made%20by%20form")
    service = Visitor(*server)
    given = service.call("GET", "/v1/experiments/made%20by%20form")[1]["configuration"]
    service.close()
    assert given["factors"] == {"headline": ["short", "long"], "button": ["red", "green", "blue"]}
    assert given["policy"] == "tea(bound=betting)"
    assert (given["ttl"], given["default"], given["holdout"]) == (3600, 0, 0.1)
    assert given["diagnostics"] is True
    assert "before any reward" in surfer.get("/experiments/made%20by%20form").words


def test_candidates_can_be_compared(surfer):
    fields = {**FORM, "key": "duel", "kind": "arms", "arms": "A\nB\nC", "wish": "soon"}
    assert surfer.submit("/new", fields).status == 303
    words = surfer.get("/experiments/duel").words
    assert "Candidates" in words
    assert "Reward over time" not in words


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"key": ""}, "key names the experiment"),
        ({"key": "home"}, "There is an experiment “home” already"),
        ({"levels": ["only one", "", ""]}, "“headline” needs two levels or more"),
        ({"factor": ["", "", ""]}, "Factor 1 has levels and no name"),
        ({"factor": ["a", "a", ""]}, "Two factors are called “a”"),
        ({"ttl": "soon"}, "ttl"),
        ({"default": "2"}, "default"),
        ({"low": "x"}, "The least reward must be a number, not “x”"),
        ({"kind": "arms", "arms": "one"}, "Give two candidates or more"),
        ({"holdout": "200"}, "holdout"),
    ],
)
def test_the_form_says_what_is_wrong_and_keeps_what_was_typed(surfer, changed, said):
    fields = {**FORM, "key": "never made", "ttl": "77m", **changed}
    answer = surfer.submit("/new", fields)
    assert answer.status in (409, 422)
    assert said in answer.words
    assert fields["ttl"] in answer.text
    assert fields["factor"][0] in answer.text
    assert surfer.get("/experiments/never%20made").status == 404


def test_the_forecast_comes_before_anything_starts(surfer):
    token = surfer.get("/new").token
    words = surfer.post("/new/forecast", {**FORM, "csrf": token}).words
    assert re.search(r"At 2,000 visitors a day: decided in about \d+ days; a full factorial", words)
    fields = {**FORM, "csrf": token, "rate": "1", "lift": "5"}
    words = surfer.post("/new/forecast", fields).words
    assert "A lift of 5 % on a rate of 1 % is a difference of 0.05 percentage points" in words
    assert "years" in words
    assert re.search(r"To decide it within a year takes about [\d,]+ visitors a day", words)
    words = surfer.post("/new/forecast", {**FORM, "csrf": token, "lift": "much"}).words
    assert words == "What a good level adds must be a number, not “much”."
    # without a script, the form itself forecasts, and makes nothing
    answer = surfer.submit("/new", {**FORM, "key": "not yet", "action": "forecast"})
    assert "At 2,000 visitors a day" in answer.words
    assert surfer.get("/experiments/not%20yet").status == 404


def test_pause_resume_stop_with_a_reason(server, surfer):
    surfer.submit("/new", {**FORM, "key": "controlled"})
    path = "/experiments/controlled"
    for verb, status in (("pause", "paused"), ("resume", "running"), ("pause", "paused")):
        fields = {"verb": verb, "reason": f"because of {verb} {HOSTILE}"}
        assert surfer.submit(f"{path}/control", fields, on=path).status == 303
        assert status in surfer.get(path).words
    page = surfer.get(path)
    shown = "because of pause &lt;script&gt;alert(1)&lt;/script&gt;"
    assert page.text.count(shown) == 3
    assert "pause by tests admin: because of pause" in page.words.replace(" :", ":")

    assert surfer.submit(f"{path}/control", {"verb": "stop"}, on=path).status == 422
    assert surfer.submit(f"{path}/control", {"verb": "drop"}, on=path).status == 422
    fields = {"verb": "stop", "reason": "done", "sure": "yes"}
    assert surfer.submit(f"{path}/control", fields, on=path).status == 303
    assert surfer.submit(f"{path}/control", {"verb": "resume"}, on=path).status == 409

    first = surfer.get(f"{path}/audit").words
    assert "stop by tests admin: done" in first
    assert "stop" not in surfer.get(f"{path}/audit?before=4").words.replace("Stop", "")
    assert surfer.get(f"{path}/audit?before=x").status == 422


def test_what_a_role_may(server):
    port, key = server
    service = Visitor(port, key)
    made = service.call("POST", "/v1/keys", {"name": "reader", "role": "read"})[1]["key"]
    service.close()
    reader = Surfer(port)
    reader.sign_in(made)
    page = reader.get("/experiments/home")
    assert page.status == 200
    assert 'name="verb"' not in page.text
    assert reader.get("/new").status == 403
    token = page.token
    assert reader.post("/experiments/home/control", {"csrf": token, "verb": "stop"}).status == 403
    assert reader.post("/new", {**FORM, "csrf": token}).status == 403


def test_the_decisions_as_a_file(server, surfer):
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    port, key = server
    play(port, key, [f"file {i}" for i in range(10)])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    cookie = f"fb_session={surfer.cookies['fb_session']}"
    connection.request("GET", "/experiments/home/decisions.parquet", headers={"Cookie": cookie})
    answer = connection.getresponse()
    assert answer.status == 200
    assert 'filename="home.parquet"' in answer.getheader("Content-Disposition")
    table = pq.read_table(io.BytesIO(answer.read()))
    connection.close()
    assert table.num_rows >= 10
    assert set(FACTORS) <= set(table.column_names)


def test_unknown_experiments_are_no_list_of_names(surfer):
    answer = surfer.get("/experiments/nothing")
    assert answer.status == 404
    assert "There is no experiment 'nothing'." in answer.words
    assert "home" not in answer.words


def test_the_list_is_searched_and_paged(server, surfer):
    service = Visitor(*server)
    for i in range(60):
        body = {"key": f"many {i:02}", "factors": FACTORS}
        assert service.call("POST", "/v1/experiments", body)[0] == 201
    service.close()
    page = surfer.get("/?search=MANY")
    assert page.text.count("row-") >= 50
    following = re.search(r'href="(/\?search=MANY&amp;after=[^"]+)"', page.text)[1]
    words = surfer.get(following.replace("&amp;", "&")).words
    assert "many 59" in words
    assert "many 01" not in words
    assert (
        f"No experiment has “{HOSTILE}”"
        in surfer.get("/?search=%3Cscript%3Ealert(1)%3C/script%3E%22'%26").words
    )


def listen(port, cookie, path, seconds=20):
    """Messages of a stream as they come."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    headers = {"Cookie": f"fb_session={cookie}", "Accept": "text/event-stream"}
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    assert answer.status == 200
    assert answer.getheader("Content-Type").startswith("text/event-stream")
    try:
        for line in answer:
            if line.startswith(b"data: "):
                yield json.loads(line[6:])["parts"]
    finally:
        answer.close()
        connection.close()


def test_what_changes_is_sent(server, surfer):
    port, _ = server
    surfer.submit("/new", {**FORM, "key": "live"})
    messages = listen(port, surfer.cookies["fb_session"], "/experiments/live/live")
    first = next(messages)
    assert set(first) == {"summary", "levels", "lanes", "reward", "health", "audit"}
    surfer.submit("/experiments/live/control", {"verb": "pause"}, on="/experiments/live")
    second = next(messages)
    assert "audit" in second
    assert "paused" in second["summary"][1]
    messages.close()
    messages = listen(port, surfer.cookies["fb_session"], "/live?search=live")
    assert len(next(messages)) == 1
    messages.close()


def test_a_stream_ends_with_the_key(server, surfer):
    port, key = server
    service = Visitor(port, key)
    made = service.call("POST", "/v1/keys", {"name": "listener", "role": "read"})[1]["key"]
    other = Surfer(port)
    other.sign_in(made)
    messages = listen(port, other.cookies["fb_session"], "/experiments/home/live")
    next(messages)
    service.to(port)  # a server ends connections that say nothing for 5 s
    service.call("DELETE", "/v1/keys/listener")
    service.close()
    assert len(list(messages)) < 5  # it ends; without that, the connection would time out


def test_sigterm_ends_a_server_with_listeners(tmp_path):
    place = tmp_path / "shop.db"
    key = shop_at(place)
    process, port = start(place)
    surfer = Surfer(port)
    surfer.sign_in(key)
    messages = listen(port, surfer.cookies["fb_session"], "/experiments/home/live", 60)
    next(messages)
    process.send_signal(signal.SIGTERM)
    assert list(messages) == []
    assert process.wait(30) == -signal.SIGTERM
    process.stdout.close()


def test_the_demo_is_a_full_dashboard():
    command = [sys.executable, "-m", "factored_bandits", "serve", "--demo", "--quiet"]
    with subprocess.Popen(
        [*command, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            port = int(process.stdout.readline().rpartition(":")[2])
            surfer = Surfer(port)
            surfer.sign_in(process.stdout.readline().split()[-1])
            # visitors of the past are counted, and new ones come
            full = eventually(lambda: "of 3,6" in surfer.get("/").words)
            assert full, surfer.get("/").words
            words = surfer.get("/").words
            for name in ("shop page", "newsletter", "which logo"):
                assert f"demo: {name} (simulated)" in words
            page = surfer.get("/experiments/demo:%20shop%20page%20(simulated)")
            assert "against the holdout" in page.words
            assert "Why is Order eliminated?" in page.words
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(30) == -signal.SIGTERM


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_empty_page_teaches_what_works(tmp_path):
    place = tmp_path / "empty.db"
    store = opened(place)
    key = new_key(store, "first", "admin")
    store.close()
    with serving(place) as (_, port):
        surfer = Surfer(port)
        surfer.sign_in(key)
        page = surfer.get("/")
        assert "No experiment yet" in page.words
        assert 'href="/new"' in page.text
        for shown in re.findall(r"<pre><code>(.*?)</code></pre>", page.text, re.S):
            for command in re.split(r"\n(?=curl)", html.unescape(shown)):
                found = subprocess.run(
                    ["sh", "-c", f"{command} --silent --fail"],
                    env={**os.environ, "KEY": key},
                    capture_output=True,
                    text=True,
                )
                assert found.returncode == 0, (command, found.stderr)
        assert "home" in surfer.get("/").words


@pytest.mark.xdist_group("postgres")
def test_two_replicas_count_each_event_once(own):
    key = shop_at(own, policy="tea(bound=betting)")
    with serving(own) as (_, first), serving(own) as (_, second):
        surfers = []
        for port in (first, second):
            surfers.append(Surfer(port))
            surfers[-1].sign_in(key)
        for start_at, port in ((0, first), (300, second), (600, first)):
            play(port, key, [f"replica {i}" for i in range(start_at, start_at + 300)])
        for surfer in surfers:
            page = eventually(
                lambda surfer=surfer: "Decisions 900" in surfer.get("/experiments/home").words
            )
            assert page
            assert eventually(lambda surfer=surfer: "long, blue" in surfer.get("/").words)
        # a session of one is one of the other
        other = Surfer(second)
        other.cookies = surfers[0].cookies
        assert other.get("/experiments/home").status == 200
    store = opened(own)
    tx = store.reading()
    brief = Tally.of(tx.brief(1).body)
    assert (brief.asks, brief.tells) == (900, 900)
    assert sum(hour.asks for hour in tx.tallies(1, 0)) == 900
    tx.rollback()
    store.close()
