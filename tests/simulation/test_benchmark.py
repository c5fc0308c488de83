"""A whole suite: tables, the profile, who is left out and why, and Ctrl-C."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import factored_bandits as fb
from factored_bandits.cli.app import app
from factored_bandits.errors import InvalidInputError
from factored_bandits.simulation import benchmark as benchmarking

SMALL = [
    fb.suites.Instance(
        "a sum",
        lambda: fb.environments.make("additive", effects=[[0.5, 0.0], [0.3, 0.0]]),
        400,
        "easy",
    ),
    fb.suites.Instance(
        "three",
        lambda: fb.environments.make("rank1", factors=[[0.9, 0.1]] * 3),
        300,
        "three factors",
    ),
]


def quiet(policies="uniform, flat_ucb1", **options):
    return fb.benchmark(SMALL, policies, repetitions=3, progress=False, **options)


def test_every_policy_meets_what_compare_would_show_it():
    found = quiet()
    for instance, comparison in zip(SMALL, found.comparisons, strict=True):
        alone = fb.compare(
            "uniform, flat_ucb1",
            instance.problem(),
            instance.horizon,
            repetitions=3,
            progress=False,
        )
        assert [r.regret[:, -1].tolist() for r in comparison.results] == [
            r.regret[:, -1].tolist() for r in alone.results
        ]
    assert found.regrets()["a sum"]["flat_ucb1"] == found.comparisons[0].results[1].summary().mean
    assert not found.interrupted
    assert found.caption() == "2 problems; 300 to 400 rounds; 3 repetitions"


def test_tables_show_mean_median_worst_and_the_profile():
    tables = quiet(horizon=200).tables()
    assert [table.title for table in tables[:2]] == ["a sum: easy", "three: three factors"]
    assert {"mean regret", "median", "worst"} <= set(tables[0].columns)
    assert "horizon 200" in tables[0].caption
    assert [row[0] for row in tables[-1].rows] == ["flat_ucb1", "uniform"]
    assert "problems played" in str(quiet())


def test_who_cannot_play_is_left_out_and_named():
    found = quiet("uniform, rank1_elim")
    assert [r.label for r in found.comparisons[0].results] == ["uniform", "rank1_elim"]
    assert [r.label for r in found.comparisons[1].results] == ["uniform"]
    assert found.left_out() == [f"rank1_elim left out of three: {found.refusals[1]['rank1_elim']}"]
    rows = {row[0]: row for row in found.profile().rows}
    assert rows["rank1_elim"][-1] == "1 of 2"
    with pytest.raises(InvalidInputError, match="none of the policies can play 'three'"):
        quiet("rank1_elim")
    with pytest.raises(InvalidInputError, match="instances is empty"):
        fb.benchmark([])


def test_interrupted_keeps_what_is_finished(monkeypatch):
    real, calls = benchmarking.compare, []

    def stop_at_the_second(*args, **options):
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*args, **options)

    monkeypatch.setattr(benchmarking, "compare", stop_at_the_second)
    found = quiet()
    assert found.interrupted
    assert len(found.comparisons) == 1
    assert found.caption().endswith("interrupted: 1 of 2 problems")
    assert json.loads(json.dumps(found.to_dict()))["interrupted"] is True


def run(*arguments):
    return CliRunner().invoke(app, ["suite", *arguments, "--quiet"])


def test_command(tmp_path):
    path = tmp_path / "profile.svg"
    common = ("--horizon", "300", "--repetitions", "2", "--policies", "uniform,tea")
    done = run("factored", "--only", "trap", *common, "--plot", str(path))
    assert done.exit_code == 0, done.output
    assert "trap 2x16: a big factor" in done.output
    assert "within 2 x" in done.output
    assert path.exists()
    document = json.loads(run("factored", "--only", "trap", *common, "--json").stdout)
    assert document["suite"] == "factored"
    assert [instance["name"] for instance in document["instances"]] == ["trap 2x16"]
    assert {row[0] for row in document["profile"]["rows"]} == {"uniform", "tea"}
    duels = run(
        "duels",
        "--only",
        "cyclic",
        "--horizon",
        "200",
        "--repetitions",
        "2",
        "--policies",
        "dueling_uniform",
    )
    assert duels.exit_code == 0, duels.output


def test_command_refuses_in_one_sentence(tmp_path):
    assert run("nothing").exit_code == 2
    none = run("factored", "--only", "no such problem")
    assert none.exit_code == 2
    assert "--only 'no such problem' is in none of the names: rank1" in none.output
    assert run("factored", "--plot", str(tmp_path / "profile.gif")).exit_code == 2
