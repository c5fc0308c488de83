"""`results` and `init`: nothing half written, nothing silently left out."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from disk import as_nobody, shared_folder, small_disk
from factored_bandits import lab
from factored_bandits.cli.app import app

FILE = """
policies = ["uniform", "flat_ucb1"]
checkpoints = 20
[[problems]]
name = "a"
problem = "rank1"
levels = 2
[quick]
horizon = 50
repetitions = 20
"""


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # nothing to compile


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    out = tmp_path_factory.mktemp("stored")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")
        for name in ("ads", "drafts"):
            spec = lab.parse(f'name = "{name}"\n{FILE}')
            lab.run([spec], "quick", out, lab.Engine(workers=1), progress=False)
    return out


@pytest.fixture
def folder(stored, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(stored, tmp_path / "here")


def invoke(*arguments: str):
    return CliRunner().invoke(app, arguments)


def refused(*arguments: str) -> str:
    """The sentence with which a command is refused."""
    found = invoke(*arguments)
    assert (found.exit_code, found.stdout) == (2, ""), found.output
    assert "Traceback" not in found.stderr
    assert found.stderr.count("\n") == 1
    return found.stderr


@pytest.mark.parametrize(
    ("option", "text", "told"),
    [
        ("--experiment", "nope", "no experiment named 'nope' (known: ads, drafts)"),
        ("--experiment", "drafs", "no experiment named 'drafs'; did you mean 'drafts'?"),
        ("--policy", "unifrm", "no policy named 'unifrm'; did you mean 'uniform'?"),
        ("--problem", "b", "no problem named 'b' (known: a)"),
    ],
)
def test_a_filter_that_leaves_nothing_is_an_error(folder, option, text, told):
    assert told in refused("results", "here", option, text, "--csv", "rows.csv")
    assert not Path("rows.csv").exists()


def test_filters_take_parts_of_names(folder):
    listed = invoke("results", "here", "--experiment", "draf", "--policy", "ucb", "--json")
    [row] = json.loads(listed.stdout)
    assert (row["experiment"], row["policy"]) == ("drafts", "flat_ucb1")


def test_csv_on_a_full_disk_is_a_sentence_and_leaves_the_old_file(folder, tmp_path):
    Path("rows.csv").write_text("old")
    with small_disk(10_000):
        told = refused("results", "here", "--csv", "rows.csv")
    assert told == "Error: --csv 'rows.csv': File too large\n"
    assert Path("rows.csv").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "rows.csv"]
    assert invoke("results", "here", "--csv", "rows.csv").exit_code == 0
    assert len(pd.read_csv("rows.csv")) == 2 * 2 * 20 * 20


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")
def test_csv_into_a_full_device(folder):
    Path("rows.csv").symlink_to("/dev/full")
    told = refused("results", "here", "--csv", "rows.csv")
    assert told == "Error: --csv 'rows.csv': No space left on device\n"


def test_read_only_places(folder):
    with shared_folder() as place:
        invoke("results", "here")  # imports what the superuser may read
        here = shutil.copytree(folder, place / "here")
        for path in (here, *here.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        place.chmod(0o555)
        with as_nobody():
            rows = refused("results", str(here), "--csv", f"{place}/rows.csv")
            file = refused("init", f"{place}/ads.toml")
        assert [path.name for path in place.iterdir()] == ["here"]
    assert rows == f"Error: --csv '{place}/rows.csv': Permission denied\n"
    assert file == f"Error: '{place}/ads.toml': Permission denied\n"


def test_compare_writes_its_rows_whole_or_not_at_all(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    compare = ["compare", "rank1", "--levels", "2", "--policies", "uniform"]
    compare += ["--horizon", "300", "--repetitions", "9"]
    with small_disk(10_000):
        found = invoke(*compare, "--out", "rows.csv")
    assert found.exit_code == 2
    assert found.stderr.endswith("Error: --out 'rows.csv': File too large\n")
    assert list(tmp_path.iterdir()) == []


def test_init_on_a_full_disk_does_not_block_the_next_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with small_disk(100):
        assert refused("init", "ads.toml") == "Error: 'ads.toml': File too large\n"
    assert list(tmp_path.iterdir()) == []
    assert invoke("init", "ads.toml").exit_code == 0
    assert lab.read(Path("ads.toml")).name == "ads"


def test_what_cannot_be_read_is_named_and_the_rest_is_listed(folder):
    intact = json.loads(invoke("results", "here", "--json").stdout)
    [path] = (folder / "results" / "ads").glob("*.parquet")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)
    pd.DataFrame({"x": [1]}).to_parquet(folder / "results" / "ads" / "foreign.parquet")

    found = invoke("results", "here", "--json")
    assert found.exit_code == 0
    assert json.loads(found.stdout) == [row for row in intact if row["experiment"] == "drafts"]
    assert found.stderr.splitlines() == [
        "Left out: 'here/results/ads/foreign.parquet' is no table of results: it lacks 21 of the "
        "columns, such as 'experiment'",
        f"Left out: 'here/results/ads/{path.name}' is damaged: its checksum does not match",
        "The next run on this folder computes damaged files again.",
    ]
    assert (
        "no experiment named 'ads' (known: drafts)"
        in invoke("results", "here", "--experiment", "ads").stderr
    )


def test_a_damaged_file_is_computed_again_and_results_says_so(folder):
    Path("ads.toml").write_text(f'name = "ads"\n{FILE}')
    before = json.loads(invoke("results", "here", "--json").stdout)
    [path] = (folder / "results" / "ads").glob("*.parquet")
    path.write_bytes(path.read_bytes()[:-9])

    ran = invoke("run", "ads.toml", "--out", "here", "--workers", "1", "--quiet")
    assert ran.exit_code == 0, ran.output
    name = f"results/ads/{path.name}"
    assert ran.stderr == (
        f"Warning: 'here/{name}' is damaged: its checksum does not match; it is kept as "
        f"'here/damaged/{name}' and computed again\n"
    )
    found = invoke("results", "here", "--json")
    assert found.stderr == f"Set aside by a run, as damaged: 'here/damaged/{name}'\n"
    for old, new in zip(before, json.loads(found.stdout), strict=True):
        assert {**old, "seconds": 0} == {**new, "seconds": 0}


def test_nothing_that_can_be_read(folder):
    for path in (folder / "results").rglob("*.parquet"):
        path.write_bytes(b"")
    found = invoke("results", "here")
    assert (found.exit_code, found.stdout) == (2, "")
    lines = found.stderr.splitlines()
    assert [line.partition("'here/results/")[0] for line in lines[:2]] == ["Left out: "] * 2
    assert lines[3] == "Error: 'here' holds no results that can be read"
