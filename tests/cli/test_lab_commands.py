"""`init`, `run`, `results` and `reproduce`."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest
from click.testing import CliRunner

from factored_bandits.cli.app import app


@pytest.fixture
def interpreted(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # nothing to compile


def invoke(*arguments: str):
    return CliRunner().invoke(app, arguments)


def test_a_file_of_ones_own_from_beginning_to_end(tmp_path, monkeypatch, interpreted):
    monkeypatch.chdir(tmp_path)
    written = invoke("init", "my ads.toml")
    assert (written.exit_code, written.stdout) == (
        0,
        "wrote my ads.toml; run it with: factored-bandits run my ads.toml\n",
    )
    again = invoke("init", "my ads.toml")
    assert (again.exit_code, "is there already" in again.stderr) == (2, True)

    text = (
        (tmp_path / "my ads.toml")
        .read_text()
        .replace("20_000", "200")
        .replace('"tea", "lb_inf", ', "")
    )
    (tmp_path / "my ads.toml").write_text(text)
    ran = invoke("run", "my ads.toml", "--out", "here", "--workers", "1", "--quiet")
    assert ran.exit_code == 0, ran.output
    assert re.search(r"clear\npolicy +mean regret .*\nflat_ucb1\(alpha=0\.5\) +\d", ran.stdout)
    assert "page:    here/index.html" in ran.stdout
    page = (tmp_path / "here" / "index.html").read_text(encoding="utf-8")
    assert "Which ad, in which position?" in page

    again = invoke("run", "my ads.toml", "--out", "here", "--workers", "1", "--quiet", "--json")
    assert [table["problem"] for table in json.loads(again.stdout)] == ["clear", "close"]

    listed = invoke("results", "here", "--policy", "flat_ucb1", "--problem", "close", "--json")
    [row] = json.loads(listed.stdout)
    assert (row["experiment"], row["problem"], row["repetitions"]) == ("my_ads", "close", 4)
    assert invoke("results", "here", "--csv", "rows.csv").exit_code == 0
    assert set(pd.read_csv("rows.csv").problem) == {"clear", "close"}
    assert "2 rows" not in invoke("results", "here").stdout


def test_wrong_input_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.toml").write_text('polices = ["tea"]\n')
    for arguments, complaint in {
        ("run", "bad.toml"): "bad.toml, line 1: polices is no field here",
        ("run", "none.toml"): "does not exist",
        ("results", "."): "holds no results",
        ("results", ".", "--csv", "rows.txt"): "--csv 'rows.txt': the results are written as .csv",
        ("reproduce", "--only", "rank2"): "no experiment named 'rank2'; did you mean 'rank1'",
        (
            "reproduce",
            "--only",
            "rank1",
            "--workers",
            "0",
        ): "--workers must be a whole number from 1, not 0",
        ("demo", "--workers", "0"): "--workers must be a whole number from 1, not 0",
        ("reproduce", "--only", "rank1", "--engine", "dask"): "needs --scheduler ADDRESS",
        ("reproduce", "--only", "rank1", "--out", "bad.toml/x"): "--out 'bad.toml/x'",
        ("init", "nowhere/x.toml"): "'nowhere/x.toml'",
    }.items():
        found = invoke(*arguments)
        assert found.exit_code == 2, arguments
        assert complaint in found.stderr
        assert found.stderr.startswith("Error: ")
        assert found.stdout == ""


@pytest.mark.xdist_group("tea")
def test_reproduce_prints_claims_and_writes_the_page(tmp_path):
    out = str(tmp_path / "here")
    done = invoke("reproduce", "--only", "horizon", "--out", out, "--workers", "1", "--pdf")
    assert done.exit_code == 0, done.output
    assert "1 sentence of the paper: 1 holds, 0 fail, 0 are undecided" in done.stdout
    assert "Theorem 2" not in done.stdout, "only what fails is told"
    assert f"page:    {tmp_path / 'here' / 'index.html'}" in done.stdout
    assert "horizon is complete" in done.stderr
    assert (tmp_path / "here" / "index.html").stat().st_size > 100_000
    assert {path.name for path in (tmp_path / "here" / "figures").glob("*.pdf")} == {
        "horizon-curves.pdf",
        "horizon-timeline.pdf",
    }
    again = invoke("reproduce", "--only", "horizon", "--out", out, "--json", "--quiet")
    document = json.loads(again.stdout)
    assert [claim["verdict"] for claim in document["claims"]] == ["holds"]
    assert document["claims"][0]["unit"] == "regret added, in unit 'reward'"
    assert not document["claims"][0]["ours"]
    every = invoke("reproduce", "--only", "horizon", "--out", out, "--verbose", "--quiet")
    told = r"^Theorem 2: regret grows like log T: .* +holds$"
    assert re.search(told, every.stdout, re.MULTILINE)
    assert "the paper says" in every.stdout
