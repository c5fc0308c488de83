"""`arena new` and `arena results`: a study from files, and what it has come to."""

from __future__ import annotations

import io
import json

import pytest
from click.testing import CliRunner

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
from factored_bandits.cli.app import app

RULES = ("--key", "vote", "--title", "A vote")


def run(*arguments):
    return CliRunner().invoke(app, ["arena", *map(str, arguments)])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("item,A,B\n2 + 2?,4,5\n", encoding="utf-8")
    return path


def test_a_study_from_a_table(tmp_path, table):
    place = tmp_path / "votes.db"
    made = run("new", place, table, *RULES, "--address", "https://vote.example/")
    assert made.exit_code == 0, made.output
    lines = made.output.splitlines()
    assert lines[0] == "vote: 2 candidates, 1 item"
    assert lines[1].startswith("invite: https://vote.example/arena/vote?invite=")
    assert lines[2] == "results: https://vote.example/studies/vote"

    pairs = tmp_path / "pairs.csv"
    found = run("results", place, "vote", "--json", "--pairs", pairs)
    assert found.exit_code == 0, found.output
    document = json.loads(found.stdout)
    assert document["result"]["top"] == ["A", "B"]
    assert document["without"] is None
    assert document["sides"]["verdicts"] == 0
    assert pairs.read_bytes() == b"model_a,model_b,winner\r\n"
    assert "not told apart at confidence 0.95: A, B" in run("results", place, "vote").output


def test_a_study_from_images(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    files = []
    for colour in ("red", "green"):
        written = io.BytesIO()
        image.new("RGB", (8, 8), colour).save(written, "PNG")
        files.append(tmp_path / f"{colour}.png")
        files[-1].write_bytes(written.getvalue())
    made = run("new", tmp_path / "votes.db", *files, *RULES)
    assert made.exit_code == 0, made.output
    assert "vote: 2 candidates\n" in made.output


def test_what_is_wrong_is_one_sentence(tmp_path, table):
    place = tmp_path / "votes.db"
    text = tmp_path / "a.txt"
    text.write_text("x", encoding="utf-8")
    for arguments, said in (
        (("new", place, text, *RULES), "this is no image that can be read"),
        (("new", place, table, table, *RULES), "a study is made of one table, or of several"),
        (("new", place, table, *RULES, "--cap", 0), "cap must be"),
        (("new", place, table, *RULES, "--policy", "tea"), "people vote on two"),
        (("results", tmp_path / "none.db", "vote"), "there is no database"),
    ):
        found = run(*arguments)
        assert found.exit_code == 2
        assert said in found.output


def test_an_experiment_of_another_kind_is_no_study(tmp_path):
    import factored_bandits as fb

    place = tmp_path / "shop.db"
    fb.open(place, key="home", arms=["A", "B"]).close()
    found = run("results", place, "home")
    assert found.exit_code == 2
    assert "'home' is no study that people vote in" in found.output
