"""Files appear complete or not at all, and anybody can read them."""

from __future__ import annotations

import os

import pandas as pd
import pytest
from small_experiment import POLICIES, ROWS, TASKS, TOML, numbers

import factored_bandits as fb
from disk import small_disk
from factored_bandits import lab
from factored_bandits.errors import InvalidInputError, UnknownNameError
from factored_bandits.lab import tables as store_tables
from factored_bandits.lab.folder import overview, read_folder

SPEC = lab.parse(TOML.format(horizon=100))


@pytest.fixture
def folder(whole):
    return whole


def test_finished_tasks_are_not_run_again(folder, monkeypatch):
    stamps = {path: path.stat().st_mtime_ns for path in folder.rglob("*.parquet")}
    monkeypatch.setattr(
        "factored_bandits.lab.engines.work", lambda *task: pytest.fail(f"{task} ran again")
    )
    [found] = lab.run([SPEC], "quick", folder, lab.Engine(workers=1), progress=False)
    assert found.missing == 0
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.parquet")} == stamps
    assert len(list(folder.glob("results/small/*.parquet"))) == TASKS


def test_pandas_polars_and_duckdb_read_the_files_as_they_are(folder):
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    by_pandas = pd.read_parquet(folder / "results")
    pattern = str(folder / "results" / "*" / "*.parquet")
    by_polars = polars.read_parquet(pattern)
    total, rows = duckdb.sql(f"select sum(regret), count(*) from '{pattern}'").fetchall()[0]
    assert rows == len(by_pandas) == len(by_polars) == ROWS
    assert by_polars["regret"].sum() == pytest.approx(by_pandas.regret.sum(), rel=1e-12)
    assert total == pytest.approx(by_pandas.regret.sum(), rel=1e-12)


@pytest.mark.parametrize("policy", ["tea", "flat_ucb1(alpha=0.2)"])
def test_results_come_from_the_files_as_the_simulator_gave_them(tmp_path, monkeypatch, policy):
    """Records with their numbers, policy and environment as objects."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    text = TOML.format(horizon=6_000).replace("levels = 2", "levels = 2\ngap = 0.8")
    spec = lab.parse(text.replace(POLICIES, f'"uniform", "{policy}"'))  # it and another one
    [found] = lab.run([spec], "quick", tmp_path, lab.Engine(workers=1), progress=False)
    stored = found.result("a", policy)
    problem = spec.instance("a").problem()
    options = {"repetitions": 2, "seed": 3, "checkpoints": 10, "progress": False}
    fresh = fb.simulate(stored.policy, problem, 6_000, **options)
    assert (stored.label, stored.problem, str(stored.environment)) == (policy, "a", str(problem))
    assert stored.checkpoints.tolist() == fresh.checkpoints.tolist()
    assert [record.repetition for record in stored.records] == [0, 1]
    assert stored.regret.tolist() == fresh.regret.tolist()
    assert stored.correct.tolist() == fresh.correct.tolist()
    assert [plays.tolist() for plays in stored.plays] == [plays.tolist() for plays in fresh.plays]
    assert stored.eliminations == fresh.eliminations
    assert bool(stored.eliminations) == (policy == "tea")
    assert all(record.seconds > 0.0 for record in stored.records)

    if policy == "tea":
        fresh = fb.simulate(stored.policy, problem, 6_000, **options, certify=True)
        assert fb.certificate(stored) == fb.certificate(fresh)
        assert [result.problem for result in found.certified()] == found.problems
    else:
        assert stored.p_values is None
        assert found.certified() == []
    with pytest.raises(UnknownNameError, match="result of tea on named 'c'"):
        found.result("c", "tea")


def test_the_frames_are_tidy(folder):
    found = lab.Results.read(lab.Store(folder), SPEC, "quick")
    assert not found.frame.duplicated(
        ["experiment", "problem", "policy", "repetition", "round"]
    ).any()
    assert list(found.frame.columns[:6]) == [
        "experiment",
        "problem",
        "policy",
        "repetition",
        "round",
        "regret",
    ]
    plays = found.plays.groupby(["problem", "policy", "repetition", "factor"]).plays.sum()
    assert (plays == 100).all()
    assert found.policies("a") == list(SPEC.policies)


def test_half_a_file_is_never_read(folder, tmp_path):
    store = lab.Store(tmp_path)
    store.prepare()
    task = lab.make_tasks(SPEC, "quick")[0]
    whole = lab.Store(folder)
    tables = {name: whole.path(name, task).read_bytes() for name in store_tables.FRAMES}
    content = tables["results"]
    target = store.path("results", task)
    target.parent.mkdir()
    (target.parent / f".{target.name}.abcd.unfinished").write_bytes(content[: len(content) // 2])
    assert not store.has(task)
    assert store.read("results", [task]).empty
    store.write(task, tables)
    assert len(store.read("results", [task])) == 10


def test_writing_that_fails_leaves_nothing(tmp_path):
    store = lab.Store(tmp_path)
    task = lab.make_tasks(SPEC, "quick")[0]
    with small_disk(1_000), pytest.raises(InvalidInputError, match=r"cannot write .*File too larg"):
        store.write(task, {"results": bytes(5_000)})
    assert [path for path in tmp_path.rglob("*") if not path.is_dir()] == []


def test_old_leftovers_are_swept_and_young_ones_left(tmp_path):
    store = lab.Store(tmp_path)
    (tmp_path / "results" / "small").mkdir(parents=True)
    old, young = (
        tmp_path / "results" / "small" / f".{name}.unfinished" for name in ("old", "young")
    )
    for path in (old, young):
        path.write_bytes(b"")
    os.utime(old, (0, 0))
    store.prepare()
    assert (old.exists(), young.exists()) == (False, True)


def test_a_damaged_file_is_named(folder, tmp_path):
    (tmp_path / "results" / "small").mkdir(parents=True)
    (tmp_path / "results" / "small" / "quick-00000-abc.parquet").write_bytes(b"PAR1 nonsense PAR1")
    found = read_folder(tmp_path)
    assert found.frame.empty
    [sentence] = found.left_out
    assert "quick-00000-abc.parquet' is damaged, or no Parquet file: " in sentence


def test_results_of_other_code_are_not_read(folder, monkeypatch):
    from factored_bandits.lab import tasks as _tasks

    monkeypatch.setattr(_tasks, "code_version", lambda *names: "another")
    _tasks.make_tasks.cache_clear()
    found = lab.Results.read(lab.Store(folder), lab.parse(TOML.format(horizon=100)), "quick")
    _tasks.make_tasks.cache_clear()
    assert found.missing == TASKS
    assert found.frame.empty


def test_the_overview_lists_and_filters(folder):
    frame = read_folder(folder).containing({"policy": "tea", "problem": "a"}).frame
    [row] = overview(frame)
    assert (row["experiment"], row["problem"], row["policy"], row["repetitions"]) == (
        "small",
        "a",
        "tea",
        2,
    )
    assert row["mean"] == pytest.approx(numbers(frame).groupby("repetition").regret.max().mean())
