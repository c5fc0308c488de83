"""`benchmarks/regret.py` and `real_data.py`: the ratios, the files, Ctrl-C, problems from data."""

from __future__ import annotations

import csv
import json
import math
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

import factored_bandits as fb

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def regret(monkeypatch):
    return imported("regret", monkeypatch)


@pytest.fixture
def tables(monkeypatch):
    return imported("regret_tables", monkeypatch)


@pytest.fixture
def constants(monkeypatch):
    return imported("constants", monkeypatch)


@pytest.fixture
def real_data(monkeypatch):
    return imported("real_data", monkeypatch)


def imported(name, monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    return __import__(name)


def row(tables, problem, policy, runs, certifies=False, leader=math.nan):
    values = np.array(runs, dtype=float)
    return tables.Row(
        problem=problem,
        horizon=100,
        policy=policy,
        certifies=certifies,
        repetitions=len(runs),
        mean=float(values.mean()),
        error=0.0,
        median=float(np.median(values)),
        worst=float(values.max()),
        found=1.0,
        ruled_out=math.nan,
        lower=math.nan,
        leader=leader,
        runs=tuple(runs),
    )


def test_largest_ratios(tables):
    """b is 30 / 10 behind on the first, c has the worst run; c does not play the second."""
    rows = [
        row(tables, "first", "a", [8.0, 12.0], leader=4.0),
        row(tables, "first", "b", [20.0, 40.0], certifies=True, leader=4.0),
        row(tables, "first", "c", [5.0, 60.0], leader=4.0),
        row(tables, "second", "a", [4.0, 4.0]),
        row(tables, "second", "b", [2.0, 2.0], certifies=True),
    ]
    table = tables.summary_table(rows, 100)
    found = {cells[0]: dict(zip(table.columns, cells, strict=True)) for cells in table.rows}
    assert [cells[0] for cells in table.rows] == ["a", "b", "c"]
    assert found["a"]["mean / best"] == "2.00"
    assert found["a"]["worst / best worst"] == "2.00"
    assert found["a"]["goal"] == "yes"
    assert found["b"]["mean / best"] == "3.00"
    assert found["b"]["worst / best worst"] == f"{40 / 12:.2f}"
    assert found["b"]["worst / best mean"] == "4.00"
    assert found["b"]["mean / LR"] == "7.50"
    assert found["b"]["certifies"] == "yes"
    assert found["b"]["goal"] == "no"
    assert found["c"]["problems"] == "1 of 2"


def test_one_problem(tables):
    rows = [row(tables, "first", "a", [30.0]), row(tables, "first", "b", [10.0], leader=8.0)]
    table = tables.problem_table(rows, "to see")
    assert [cells[0] for cells in table.rows] == ["b", "a"]
    assert [cells[table.columns.index("/ best")] for cells in table.rows] == ["1.00", "3.00"]
    assert [cells[table.columns.index("/ LR")] for cells in table.rows] == ["1.25", "-"]


def run(regret, monkeypatch, *options):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # nothing to compile
    monkeypatch.setattr(sys, "argv", ["regret.py", "--quiet", "--workers", "1", *options])
    regret.main()


def test_a_run(regret, monkeypatch, tmp_path, capsys):
    """The same numbers as `simulate`; levels that are ruled out are counted at the end only."""
    options = ["--problems", "trap", "--policies", "uniform, tea, cucb", "--repetitions", "2"]
    options += ["--horizons", "40,80", "--most-combinations", "4"]
    files = ["--csv", str(tmp_path / "rows.csv"), "--json", str(tmp_path / "rows.json")]
    run(regret, monkeypatch, *options, *files)

    problem = fb.environments.make("trap")
    result = fb.simulate("uniform", problem, 80, 2, checkpoints=[40, 80], progress=False)
    with (tmp_path / "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(each["policy"], each["horizon"]) for each in rows] == [
        ("uniform", "40"),
        ("uniform", "80"),
        ("tea", "40"),
        ("tea", "80"),
    ]
    assert [float(each["mean"]) for each in rows[:2]] == result.regret.mean(axis=0).tolist()
    assert float(rows[1]["leader"]) == fb.theory.leader_lower(problem, 80)
    assert [each["ruled_out"] for each in rows] == ["nan", "nan", "nan", "0.0"]

    stored = json.loads((tmp_path / "rows.json").read_text())
    assert stored[1]["runs"] == result.regret[:, 1].tolist()
    assert stored[1]["ruled_out"] is None
    said = capsys.readouterr().out
    assert "trap 2x16, 40 rounds" in said
    assert "Over 1 problems at 80 rounds" in said
    assert "cucb left out of trap 2x16: " in said


def test_what_is_known_is_not_played_again(regret, monkeypatch, tmp_path, capsys):
    """The rows are changed by hand, to see that they are taken as they are."""
    path = tmp_path / "rows.json"
    options = ["--problems", "trap", "--horizons", "40", "--repetitions", "2"]
    run(regret, monkeypatch, *options, "--policies", "uniform", "--json", str(path))
    written = json.loads(path.read_text())
    written[0]["mean"] = 12345.0
    path.write_text(json.dumps(written))

    both = ["--policies", "uniform, tea", "--beside", str(path), "--json", str(path)]
    run(regret, monkeypatch, *options, *both)
    rows = json.loads(path.read_text())
    assert [each["policy"] for each in rows] == ["uniform", "tea"]
    assert rows[0] == written[0]
    assert "12,345" in capsys.readouterr().out


def test_policies_over_all_combinations_are_left_out_where_there_are_many(
    regret, monkeypatch, capsys
):
    options = ["--problems", "trap", "--policies", "uniform, flat_ucb1", "--repetitions", "1"]
    run(regret, monkeypatch, *options, "--horizons", "50", "--most-combinations", "31")
    left_out = "flat_ucb1 left out of trap 2x16: more than 31 combinations (--most-combinations)"
    assert left_out in capsys.readouterr().out


def test_ctrl_c_prints_what_there_is(regret, monkeypatch, tmp_path, capsys):
    """The signal comes while the second policy plays its second repetition or later."""

    class Interrupted(regret.Benchmark):
        def watch(self, result):
            if result.label == "tea":
                signal.raise_signal(signal.SIGINT)
            return super().watch(result)

    monkeypatch.setattr(regret, "Benchmark", Interrupted)
    options = ["--problems", "trap,logistic", "--policies", "uniform, tea, lb_inf"]
    options += ["--horizons", "40", "--repetitions", "2", "--csv", str(tmp_path / "rows.csv")]
    run(regret, monkeypatch, *options)
    said = capsys.readouterr().out
    assert "interrupted; what follows is what there is" in said
    assert "Over 1 problems at 40 rounds" in said
    with (tmp_path / "rows.csv").open() as file:
        policies = [each["policy"] for each in csv.DictReader(file)]
    assert policies[0] == "uniform"
    assert "lb_inf" not in policies


def test_another_value_of_a_constant(constants, monkeypatch, tmp_path):
    """A row per value, each as the policy plays with it; then it is as before."""
    written = tmp_path / "rows.json"
    options = ["policies.blocks.propensity_bets.CAUTION=0.25,1e9", "--problems", "trap"]
    options += ["--policies", "exp3", "--horizons", "400", "--repetitions", "2"]
    run(constants, monkeypatch, *options, "--json", str(written))

    bold, timid = json.loads(written.read_text())
    assert (bold["policy"], timid["policy"]) == ("exp3, CAUTION = 0.25", "exp3, CAUTION = 1e+09")
    assert bold["runs"] == timid["runs"], "bets change no play"
    assert bold["ruled_out"] > 0.0 == timid["ruled_out"]
    assert fb.policies.blocks.propensity_bets.CAUTION == 1.0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("policies.leader.block.SETTELD=1", "must be module.NAME=value,value"),
        ("policies.leader.block.SETTLED=two", "must be module.NAME=value,value"),
        ("policies.leader.block.randint=1", "and not a float"),
    ],
)
def test_a_constant_that_is_none(constants, monkeypatch, capsys, given, said):
    with pytest.raises(SystemExit):
        run(constants, monkeypatch, given)
    assert said in capsys.readouterr().err


def test_an_unknown_problem_is_told_with_the_known_ones(regret, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        run(regret, monkeypatch, "--problems", "trpa")
    assert "no problem of that name; there are rank1 16x16" in capsys.readouterr().err


def test_a_folder_without_data(real_data, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(sys, "argv", ["real_data.py", str(tmp_path)])
    with pytest.raises(SystemExit):
        real_data.main()
    assert "holds no such problems" in capsys.readouterr().err
