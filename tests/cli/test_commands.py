"""The command line: what it prints, for people and for machines."""

from __future__ import annotations

import csv
import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

import factored_bandits as fb
from factored_bandits import lab
from factored_bandits.cli.app import app
from factored_bandits.cli.demo import EXPERIMENTS, NEXT
from factored_bandits.cli.problems import recipe_names
from factored_bandits.simulation import choosing

SMALL = ["--levels", "3", "--horizon", "1e3", "--repetitions", "3", "--quiet"]


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


def test_help_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from factored_bandits.cli import main\n"
        "sys.argv = ['factored-bandits', '--help']\n"
        "try:\n    main()\nexcept SystemExit as error:\n    assert error.code == 0\n"
        "heavy = {'numpy', 'numba', 'matplotlib', 'pandas', 'rich', 'scipy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Exit codes" in done.stdout


def test_without_click_one_line_says_what_to_install():
    code = (
        "import sys\nsys.modules['click'] = None\n"
        "from factored_bandits.cli import main\nsys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == 'the command line needs click: pip install "factored-bandits[cli]"\n'


def test_compare_prints_a_table_sorted_by_regret():
    result = run(
        "compare", "rank1", "--policies", "uniform,flat_ucb1(alpha=0.1)", *SMALL, "--seed", "5"
    )
    title, header, first, second, caption = result.stdout.splitlines()
    assert title == "rank1 (levels 3, best 0.75, gap 0.2, factors 2)"
    assert header.startswith("policy")
    assert (first.split()[0], second.split()[0]) == ("flat_ucb1(alpha=0.1)", "uniform")
    assert caption.endswith("regret in unit 'reward'; horizon 1,000; 3 repetitions; seed 5")
    assert result.stderr == ""


def test_json_is_one_document_with_the_numbers_of_the_library():
    document = json.loads(run("compare", "rank1", "--policies", "uniform", *SMALL, "--json").stdout)
    expected = fb.compare(
        "uniform", fb.environments.spiked(levels=3), 1000, 3, progress=False
    ).to_dict()
    assert {key: document[key] for key in expected} == expected
    assert set(document) - set(expected) == {"title", "files"}


def test_simulate_is_a_comparison_of_one():
    document = json.loads(run("simulate", "rank1", "--policy", "uniform", *SMALL, "--json").stdout)
    assert [each["policy"] for each in document["policies"]] == ["uniform"]


def test_plot_and_csv_are_written(tmp_path):
    plot, out = tmp_path / "regret.svg", tmp_path / "all.csv"
    result = run(
        "compare",
        "rank1",
        "--policies",
        "uniform",
        *SMALL,
        "--plot",
        plot,
        "--out",
        out,
        "--json",
    )
    assert json.loads(result.stdout)["files"] == {"plot": str(plot), "out": str(out)}
    assert plot.read_text().startswith("<?xml")
    rows = list(csv.DictReader(out.read_text().splitlines()))
    same = fb.compare("uniform", fb.environments.spiked(levels=3), 1000, 3, progress=False)
    assert [float(row["regret"]) for row in rows] == same.columns()["regret"].tolist()
    assert list(rows[0]) == [
        "policy",
        "problem",
        "unit",
        "seed",
        "repetition",
        "round",
        "regret",
        "correct",
        "simple_regret",
    ]


def test_eliminations_are_shown_on_request():
    shown = run("compare", "rank1", "--policies", "uniform", *SMALL, "--eliminations").stdout
    assert shown.endswith("none of these policies eliminates levels\n")
    shown = run("compare", "rank1", "--policies", "uniform,tea", *SMALL, "--eliminations").stdout
    assert "tea: when each level was eliminated" in shown


def test_certificates_are_shown_on_request():
    tea = ["simulate", "rank1", "--policy", "tea", *SMALL, "--certificate"]
    shown = run(*tea).stdout.splitlines()
    start = shown.index("Certificates")
    assert shown[start + 1].split() == ["factor", "level", "not", "the", "best", "the", "best"]
    assert [line.split()[:3] for line in shown[start + 2 : start + 4]] == [
        ["0", "0", "(the"],
        ["0", "1", "0%"],
    ]
    assert "a best level was ruled out 0 times" in shown[-1]
    document = json.loads(run(*tea, "--json").stdout)
    assert [each["rounds"] for each in document["certificates"]] == [1000] * 3
    refused = CliRunner().invoke(
        app, ["simulate", "rank1", "--policy", "uniform", *SMALL, "--certificate"]
    )
    assert refused.exit_code == 2
    assert "uniform does not say at any time what is ruled out" in refused.output


def offer(monkeypatch, **names):
    """As if only these policies existed: running all of them would compile all of them."""
    monkeypatch.setattr(choosing, "names", names.__getitem__)


def test_without_policies_all_that_fit_are_run(monkeypatch):
    offer(monkeypatch, duel=["dueling_uniform"], factored=["flat_ucb1", "uniform"])
    document = json.loads(
        run("compare", "identical-gap", "--arms", "3", *SMALL[2:], "--json").stdout
    )
    assert [each["policy"] for each in document["policies"]] == ["dueling_uniform"]
    document = json.loads(run("compare", "rank1", *SMALL, "--json").stdout)
    assert [each["policy"] for each in document["policies"]] == ["flat_ucb1", "uniform"]


def test_policies_that_refuse_the_problem_are_left_out_with_a_reason(monkeypatch):
    offer(monkeypatch, factored=["flat_ucb1", "uniform"])
    large = [
        "--levels",
        "101",
        "--factors",
        "3",
        "--horizon",
        "10",
        "--repetitions",
        "1",
        "--quiet",
        "--json",
    ]
    result = run("compare", "rank1", *large)
    assert [each["policy"] for each in json.loads(result.stdout)["policies"]] == ["uniform"]
    assert "left out flat_ucb1: flat_ucb1 looks at every combination" in result.stderr


def test_a_matrix_file_becomes_a_problem(tmp_path):
    matrix = tmp_path / "three.txt"
    matrix.write_text("3\n.5 .4 .4\n.6 .5 .6\n.6 .4 .5\n")
    options = [
        "--policies",
        "dueling_uniform",
        "--matrix",
        matrix,
        "--unit",
        "strong",
        *SMALL[2:],
        "--json",
    ]
    document = json.loads(run("compare", "duels", *options).stdout)
    assert (document["best"], document["unit"], document["sizes"]) == ([1], "strong", [3])


def test_past_duels_become_a_problem(tmp_path):
    log = tmp_path / "past.csv"
    log.write_text("winner,loser,tie\nb,a,\nb,a,\nb,a,\na,c,1\na,c,1\nb,c,\nb,c,\n")
    options = [
        "--policies",
        "dueling_uniform",
        "--duels-log",
        log,
        "--unit",
        "strong",
        *SMALL[2:],
        "--json",
    ]
    document = json.loads(run("compare", "duels", *options).stdout)
    assert (document["best"], document["unit"], document["sizes"]) == (
        [0],
        "strong",
        [3],
    )  # b came first in the file


def test_the_list_of_duels_tells_what_each_assumes_and_guarantees():
    listed = run("policies", "--duels").stdout
    for name in fb.policies.names("duel"):
        info = fb.policies.describe(name).info
        line = next(line for line in listed.splitlines() if line.startswith(f"{name} "))
        assert info.assumption in line
        assert info.guarantee in line
        assert (" needed " in line) == info.needs_horizon


@pytest.mark.parametrize("suffix", [".npy", ".csv"])
def test_a_table_of_means_becomes_a_problem(tmp_path, suffix):
    means, path = np.array([[0.1, 0.2, 0.9], [0.1, 0.1, 0.1]]), tmp_path / f"means{suffix}"
    np.save(path, means) if suffix == ".npy" else np.savetxt(path, means, delimiter=",")
    document = json.loads(
        run(
            "compare", "table", "--policies", "uniform", "--means", path, *SMALL[2:], "--json"
        ).stdout
    )
    assert (document["best"], document["sizes"]) == ([0, 2], [2, 3])


@pytest.mark.parametrize("group", ["compare", "simulate"])
@pytest.mark.parametrize("problem", recipe_names())
def test_every_problem_has_a_help_page_with_its_own_options(group, problem):
    text = run(group, problem, "--help").output
    assert "The problem:" in text
    assert "--horizon" in text


def test_options_of_a_problem_are_those_of_its_generator():
    text = run("compare", "rank1", "--help").output
    for option in (
        "--levels INTEGER",
        "--best NUMBER",
        "--gap NUMBER",
        "--factors INTEGER",
        "[default: 0.75]",
    ):
        assert option in text
    assert "[average|paper|weak|strong|copeland]" in run("compare", "cyclic", "--help").output


def test_every_generator_is_offered():
    offered = set(recipe_names())
    assert offered == {name.replace("_", "-") for name in fb.environments.generators()} | {
        "duels",
        "table",
    }
    assert run("compare", "rank1", "--policies", "uniform", *SMALL).stdout.startswith("rank1")


def test_policies_are_listed_filtered_and_described():
    every = json.loads(run("policies", "--json").stdout)
    assert [each["name"] for each in every] == fb.policies.names()
    assert list(every[0]) == [
        *("name", "title", "problems", "assumption", "guarantee", "reference", "needs_horizon"),
        *("parameters", "description"),
    ]
    duels = json.loads(run("policies", "--duels", "--json").stdout)
    assert [each["name"] for each in duels] == fb.policies.names("duel")
    table = run("policies", "--factored").stdout.splitlines()
    assert [line.split()[0] for line in table[1:-1]] == fb.policies.names("factored")
    assert run("policies", "dueling-tea").stdout == f"{fb.policies.describe('dueling_tea')}\n"
    assert json.loads(run("policies", "flat_ucb1", "--json").stdout)["parameters"][
        "alpha"
    ].startswith("2.0")


def test_environments_are_listed_and_described():
    document = json.loads(run("environments", "--json").stdout)
    assert [each["name"] for each in document["models"]] == fb.environments.names()
    assert [each["name"] for each in document["problems"]] == sorted(fb.environments.generators())
    plain = run("environments").stdout
    assert "rank1" in plain
    assert "levels=16, best=0.75, gap=0.2, factors=2" in plain
    described = run("environments", "rank1").stdout
    assert (
        "factored-bandits compare rank1 --levels 16 --best 0.75 --gap 0.2 --factors 2" in described
    )
    assert json.loads(run("environments", "identical-gap", "--json").stdout)["model"] is None


def test_version():
    assert run("--version").stdout == f"factored-bandits {fb.__version__}\n"
    assert run("version").stdout.splitlines()[0] == f"factored-bandits {fb.__version__}"


def test_a_terminal_gets_the_same_cells(monkeypatch):
    from factored_bandits.cli import output
    from factored_bandits.core.table import Table

    table = Table("A [title]", ("policy", "regret"), [("mine[b]", "26,199")], "a [caption]")
    drawn = []
    monkeypatch.setattr(output.sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("rich.console.Console.print", lambda self, thing: drawn.append(thing))
    output.show(table)
    (thing,) = drawn
    assert thing.title == "A \\[title]"
    assert [list(column.cells) for column in thing.columns] == [["mine\\[b]"], ["26,199"]]


@pytest.mark.parametrize(
    "command",
    [
        ["policies"],
        ["policies", "--duels"],
        ["environments"],
        ["compare", "rank1", "--policies", "uniform,tea", *SMALL, "--eliminations"],
        ["simulate", "rank1", "--policy", "tea", *SMALL, "--certificate"],
    ],
)
def test_forty_columns(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    lines = run(*command).stdout.splitlines()
    title = "rank1 (levels 3, best 0.75, gap 0.2, factors 2)"  # a sentence, which a terminal wraps
    assert all(len(line) <= 40 or line == title or "=" in line for line in lines), lines


def test_a_narrow_terminal_gets_rows_as_lines(monkeypatch):
    from factored_bandits.cli import output
    from factored_bandits.core.table import Table

    monkeypatch.setattr(output.sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "20")
    said = []
    monkeypatch.setattr(output.click, "echo", said.append)
    output.show(Table("", ("policy", "regret"), [("stochastically_constrained", "26,199")]))
    assert said == ["policy  stochastical\n        ly_constrain\n        ed\nregret  26,199"]


def test_demo_tells_the_whole_story(tmp_path, monkeypatch):
    """The real demo's comparisons, shortened; the demo itself is timed by hand (`make demo`)."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # nothing to compile
    for name in ("rank1", "dueling_07"):
        module = lab.load(name)
        glance = dataclasses.replace(module.SPEC.glance, repetitions=2, horizon=300, fewer=())
        monkeypatch.setattr(module, "SPEC", dataclasses.replace(module.SPEC, glance=glance))
    shown = run("demo", "--workers", "1", "--out", tmp_path / "new").stdout

    assert (tmp_path / "new" / "figures" / "peers.png").read_bytes().startswith(b"\x89PNG")
    assert "<html" in (tmp_path / "new" / "index.html").read_text(encoding="utf-8")
    for text in (*(title for _, title in EXPERIMENTS.values()), "sentences of the paper", "page: "):
        assert text in shown
    for policy in ("tea", "rank1_elim_kl", "leader_tea", "rmed1", "dueling_leader_tea"):
        assert f"\n{policy} " in shown
    assert "Try next" in shown


def test_commands_that_the_demo_recommends_exist():
    commands = [
        line.split()[1:] for line in NEXT.splitlines() if line.startswith("  factored-bandits")
    ]
    assert len(commands) == 2
    root = click.Context(app)
    for name, *options in commands:
        command = app.get_command(root, name)
        if isinstance(command, click.Group):
            name, *options = options
            command = command.get_command(root, name)
        command.make_context(name, options)  # refuses unknown options and values

    makefile = (Path(__file__).parents[2] / "Makefile").read_text(encoding="utf-8")
    [target] = [line.split()[1] for line in NEXT.splitlines() if line.startswith("  make ")]
    assert f"\n{target}: " in makefile
