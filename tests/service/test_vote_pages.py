"""The pages of votes over HTTP: who gets in, what forms do, and what is never said."""

from __future__ import annotations

import html
import json
import re
import time
from contextlib import closing

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
from served import Patient, Visitor, serving
from surfer import Surfer

from factored_bandits.service.api.access import new_key
from factored_bandits.service.store import opened

NAMES = ("Zebulon-7", "Quirrel-9")
ITEMS = [
    {"item": "2 + 2?", "answers": {NAMES[0]: "four", NAMES[1]: "five"}},
    {"item": "3 + 3?", "answers": {NAMES[0]: "six", NAMES[1]: "seven"}},
]
STUDY = {"key": "sums", "title": "Sums", "items": ITEMS, "undo": 0, "liars": 0, "reveal": True}
RIGHT = {"four", "six"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The port of a server, and keys of those who use it."""
    place = tmp_path_factory.mktemp("votes") / "votes.db"
    store = opened(place)
    keys = {role: new_key(store, role, role) for role in ("read", "admin")}
    store.close()
    with serving(place) as (_, port):
        yield port, keys


@pytest.fixture
def api(server):
    port, keys = server
    made = Patient(port, keys["admin"])
    yield made
    made.close()


def made(api, key, **changed):
    """A study, and the path of a link to it."""
    status, _ = api.call("POST", "/v1/studies", {**STUDY, "key": key, **changed})
    assert status == 201
    status, link = api.call("POST", f"/v1/studies/{key}/links", {"name": "all"})
    assert status == 201
    return link


def joined(server, link):
    """Somebody who opened a link."""
    surfer = Surfer(server[0])
    invite = link["path"].partition("=")[2]
    key = link["path"].split("/")[2].partition("?")[0]
    answer = surfer.submit(f"/arena/{key}/join", {"invite": invite}, on=link["path"])
    assert (answer.status, answer.headers["location"]) == (303, f"/arena/{key}")
    return surfer


def shown(page):
    """The two texts of a duel, and its ballot."""
    found = re.findall(r'<div class="shown plain"[^>]*>(.*?)</div>', page.text, re.DOTALL)
    ballot = re.search(r'name="ballot" value="([^"]+)"', page.text)
    return [html.unescape(each) for each in found], ballot and ballot[1]


def act(surfer, key, action, page=None):
    page = page or surfer.get(f"/arena/{key}")
    fields = {"csrf": page.token, "ballot": shown(page)[1], "action": action}
    return surfer.post(f"/arena/{key}", fields)


def test_a_vote_from_link_to_result(server, api):
    link = made(api, "whole")
    surfer = joined(server, link)
    bodies = []
    for _ in range(60):
        page = surfer.get("/arena/whole")
        if "There is an answer" in page.words:
            break
        bodies.append(page.text)
        left, _ = shown(page)[0]
        assert act(surfer, "whole", "1" if left in RIGHT else "2", page).status == 303
    assert "Zebulon-7" in page.text  # revealed
    assert "Who was who" in page.words
    assert not any(name in body for body in bodies for name in NAMES)
    _, result = api.call("GET", "/v1/studies/whole")
    assert result["result"]["top"] == ["Zebulon-7"]
    assert result["result"]["confidence"] >= 0.95
    assert result["votes"] == len(bodies)
    assert result["stands"]
    _, pairs = api.call("GET", "/v1/studies/whole/pairs")
    wins = [pairs[winner][n] for n, winner in enumerate(pairs["winner"])]
    assert set(wins) == {"Zebulon-7"}


def exported(server, api, tmp_path, name):
    """The votes of a small study as somebody downloads them, read by pandas."""
    import pandas as pd

    link = made(api, name, liars=1)
    surfer = joined(server, link)
    for _ in range(8):
        page = surfer.get(f"/arena/{name}")
        act(surfer, name, "1" if shown(page)[0][0] in RIGHT else "2", page)
    act(surfer, name, "0")

    reader = Surfer(server[0])
    reader.sign_in(server[1]["read"])
    answer = reader.get(f"/studies/{name}/pairs.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    path = tmp_path / "pairs.csv"
    path.write_bytes(answer.text.encode())
    frame = pd.read_csv(path)
    assert list(frame.columns) == ["model_a", "model_b", "winner"]
    return frame


def test_evalica_reads_the_exported_pairs(server, api, tmp_path):
    evalica = pytest.importorskip("evalica", reason="evalica is not installed")
    frame = exported(server, api, tmp_path, "pairs")
    names = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    winners = frame["winner"].map(names)
    scores = evalica.bradley_terry(frame["model_a"], frame["model_b"], winners).scores
    assert scores.idxmax() == "Zebulon-7"


def test_arena_rank_reads_the_exported_pairs(server, api, tmp_path):
    """Run by `make test-neighbours`."""
    reason = "arena-rank is not installed"
    data = pytest.importorskip("arena_rank.utils.data_utils", reason=reason)
    models = pytest.importorskip("arena_rank.models.bradley_terry", reason=reason)
    dataset = data.PairDataset.from_pandas(exported(server, api, tmp_path, "ranked"))
    model = models.BradleyTerry(n_competitors=len(dataset.competitors))
    found = model.compute_ratings_and_cis(dataset, significance_level=0.05)
    ratings = dict(zip(found["competitors"], found["ratings"], strict=True))
    assert max(ratings, key=ratings.get) == "Zebulon-7"


def test_undo_skip_and_a_vote_that_comes_too_late(server, api):
    link = made(api, "undo", undo=600)
    surfer = joined(server, link)
    page = surfer.get("/arena/undo")
    assert re.search(r'value="undo"[^>]*disabled', page.text)
    first = shown(page)
    act(surfer, "undo", "1", page)
    page = surfer.get("/arena/undo")
    assert not re.search(r'value="undo"[^>]*disabled', page.text)
    assert act(surfer, "undo", "undo").headers["location"] == "/arena/undo?note=undone"
    page = surfer.get("/arena/undo?note=undone")
    assert shown(page) == first
    assert "Your last vote is taken back" in page.words
    assert act(surfer, "undo", "skip", page).headers["location"] == "/arena/undo"
    assert act(surfer, "undo", "1", page).headers["location"] == "/arena/undo?note=late"
    assert act(surfer, "undo", "undo").headers["location"] == "/arena/undo?note=fixed"
    assert act(surfer, "undo", "bribe").status == 422


def test_nobody_votes_without_a_link(server, api):
    link = made(api, "closed")
    stranger = Surfer(server[0])
    page = stranger.get("/arena/closed")
    assert page.status == 403
    assert "needs an invitation" in page.words
    forged = link["path"][:-1] + ("x" if link["path"][-1] != "x" else "y")
    assert stranger.get(forged).status == 403
    token = stranger.get(link["path"]).token
    invite = forged.partition("=")[2]
    answer = stranger.post("/arena/closed/join", {"csrf": token, "invite": invite})
    assert answer.status == 403
    other = made(api, "closed-too")
    invite = other["path"].partition("=")[2]
    assert stranger.post("/arena/closed/join", {"csrf": token, "invite": invite}).status == 403
    assert stranger.post("/arena/closed", {"csrf": token, "action": "1"}).status == 403
    # looking at a link makes nobody a voter
    assert api.call("GET", "/v1/studies/closed/links")[1]["links"][0]["voters"] == 0


def test_a_voter_is_a_cookie_that_no_script_reads(server, api):
    surfer = joined(server, made(api, "cookie"))
    name = next(each for each in surfer.cookies if each.startswith("fb_voter"))
    assert len(surfer.cookies[name]) >= 32
    _, result = api.call("GET", "/v1/studies/cookie")
    assert len(result["voters"]) == 1
    assert surfer.cookies[name] not in json.dumps(result)


def test_a_revoked_link_ends_the_votes_of_those_who_came_by_it(server, api):
    link = made(api, "revoked")
    surfer = joined(server, link)
    page = surfer.get("/arena/revoked")
    status, left = api.call("DELETE", f"/v1/studies/revoked/links/{link['id']}")
    assert (status, left["links"][0]["revoked"]) == (200, True)
    assert "was withdrawn" in surfer.get("/arena/revoked").words
    assert act(surfer, "revoked", "1", page).status == 403
    assert (
        Surfer(server[0])
        .submit("/arena/revoked/join", {"invite": link["path"].partition("=")[2]}, on=link["path"])
        .status
        == 403
    )


def test_results_need_a_key_and_changes_another_one(server, api):
    link = made(api, "roles")
    voter = joined(server, link)
    act(voter, "roles", "1")
    assert voter.get("/studies/roles").status == 303  # sign in
    reader = Surfer(server[0])
    reader.sign_in(server[1]["read"])
    page = reader.get("/studies/roles")
    assert page.status == 200
    assert "Zebulon-7" in page.text
    assert link["path"].partition("=")[2] not in page.text
    for path in ("links", "revoke", "exclude", "settle"):
        assert reader.post(f"/studies/roles/{path}", {"csrf": page.token}).status == 403
    assert reader.get("/studies/new").status == 403
    assert reader.get("/studies/nothing").status == 404


def test_links_are_made_and_voters_excluded_on_the_page(server, api):
    link = made(api, "manage")
    voter = joined(server, link)
    for _ in range(3):
        act(voter, "manage", "1")
    admin = Surfer(server[0])
    admin.sign_in(server[1]["admin"])
    answer = admin.submit(
        "/studies/manage/links",
        {"name": "Team", "for": "each", "number": "3"},
        on="/studies/manage",
    )
    assert answer.status == 303
    words = admin.get("/studies/manage").words
    assert all(f"Team {n}" in words for n in (1, 2, 3))
    _, result = api.call("GET", "/v1/studies/manage")
    who = result["voters"][0]["voter"]
    assert result["voters"][0]["fast"] == 3
    admin.submit(
        "/studies/manage/exclude", {"voter": who, "reason": "a robot"}, on="/studies/manage"
    )
    page = admin.get("/studies/manage")
    assert "Without the voters who are excluded" in page.words
    assert "a robot" in page.words
    assert "cannot vote here any longer" in voter.get("/arena/manage").words
    _, result = api.call("GET", "/v1/studies/manage")
    assert result["without"]["candidates"][0]["wins"] == 0
    # and back, over HTTP
    assert api.call("POST", "/v1/studies/manage/exclude", {"voter": who})[0] == 200
    assert api.call("GET", "/v1/studies/manage")[1]["without"] is None
    assert api.call("POST", "/v1/studies/manage/exclude", {"voter": "0" * 24})[0] == 404


def test_the_form_says_what_is_wrong_and_keeps_what_was_written(server, api):
    admin = Surfer(server[0])
    admin.sign_in(server[1]["admin"])
    fields = {
        "title": "Slogans",
        "question": "Which?",
        "key": "slogans",
        "kind": "texts",
        "cap": "20",
        "liars": "0",
        "alpha": "0.05",
        "name": ["A", "A"],
        "text": ["one", "two"],
    }
    answer = admin.submit("/studies/new", fields)
    assert answer.status == 422
    assert "two candidates have the same name" in answer.words
    assert 'value="Slogans"' in answer.text
    answer = admin.submit("/studies/new", {**fields, "name": ["A", "B"]})
    assert answer.headers["location"] == "/studies/slogans"
    page = admin.get("/studies/slogans")
    assert "/arena/slogans?invite=" in page.text  # a link to begin with
    for change, said in (
        ({"kind": "table"}, "choose a CSV or JSONL file"),
        ({"kind": "images"}, "a vote needs 2 to 100 candidates, and there are 0"),
        ({"cap": "many"}, "votes per voter must be a number"),
        ({"key": "a/b"}, "no slash"),
        ({"policy": "tea"}, "people vote on two"),
    ):
        answer = admin.submit("/studies/new", {**fields, "name": ["A", "C"], **change})
        assert answer.status == 422
        assert said in answer.words


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"candidates": {"A": "x", "B": "y"}}, 422, "give either candidates or items"),
        ({"items": None}, 422, "give either candidates or items"),
        ({"format": "image"}, 422, "give images as candidates"),
        ({"items": [ITEMS[0], {"item": "x", "answers": {"A": "1", "B": "2"}}]}, 422, "item 2:"),
        ({"policy": "tea"}, 422, "people vote on two"),
        ({"policy": "../x.py"}, 422, "x.py"),
        ({"cap": 0}, 422, "cap"),
    ],
)
def test_bad_studies_over_http(api, change, status, said):
    found, answer = api.call("POST", "/v1/studies", {**STUDY, "key": "bad", **change})
    assert found == status
    assert said in answer["detail"]


def test_an_image_that_is_none_is_refused_over_http(api):
    body = {"key": "bad", "title": "x", "format": "image", "candidates": {"A": "?", "B": "eHg="}}
    assert "must be base64" in api.call("POST", "/v1/studies", body)[1]["detail"]
    body["candidates"]["A"] = "eHg="
    assert "no image" in api.call("POST", "/v1/studies", body)[1]["detail"]


def test_an_experiment_of_another_kind_is_no_study(api):
    assert api.call("POST", "/v1/experiments", {"key": "plain", "arms": ["A", "B"]})[0] == 201
    status, answer = api.call("GET", "/v1/studies/plain")
    assert status == 404
    assert "is no study" in answer["detail"]


def test_nobody_sends_large_bodies_without_a_key(server):
    stranger = Visitor(server[0], "fb_none")
    status, _ = stranger.call("POST", "/v1/studies", {"x": "y" * 2_000_000})
    assert status == 401
    stranger.close()


def test_votes_that_a_killed_server_has_not_told_are_told_by_the_next(tmp_path):
    place = tmp_path / "votes.db"
    store = opened(place)
    key = new_key(store, "admin", "admin")
    store.close()
    with serving(place) as (_, port), closing(Patient(port, key)) as api:
        link = made(api, "left", undo=1)
        act(joined((port,), link), "left", "1")
    time.sleep(1.1)
    with serving(place) as (_, port), closing(Patient(port, key)) as api:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            found = api.call("GET", "/v1/experiments/left/status")[1]
            if found["learned"]:
                break
        assert (found["asked"], found["learned"]) == (1, 1)
