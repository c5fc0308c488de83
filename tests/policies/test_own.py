"""Policies from outside: a file, a script or a notebook, an object with select and update."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import factored_bandits as fb
import slips
from factored_bandits.cli.app import app
from factored_bandits.errors import ContractError, InvalidInputError

EXAMPLE = Path(__file__).parents[2] / "examples" / "epsilon_greedy.py"
PROBLEM = fb.environments.make("additive", effects=[[0.0, 0.5], [0.0, 0.3, 0.1]])


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


def quick(policy, problem=PROBLEM, **options):
    return fb.simulate(policy, problem, 300, repetitions=2, progress=False, **options)


def test_a_file_is_a_policy():
    policy = fb.policies.make(f"{EXAMPLE}(epsilon=0.2)")
    assert (policy.name, policy.label, policy.own) == (
        "epsilon_greedy",
        "epsilon_greedy(epsilon=0.2)",
        True,
    )
    assert fb.policies.make(str(EXAMPLE), epsilon=0.2) == policy
    assert quick(str(EXAMPLE)).label == "epsilon_greedy"
    comparison = fb.compare(f"{EXAMPLE}, uniform", PROBLEM, 100, 2, progress=False)
    assert [result.label for result in comparison.results] == ["epsilon_greedy", "uniform"]


def test_an_edited_file_is_read_again(tmp_path):
    file = slips.written(tmp_path)
    first = fb.policies.make(str(file)).module
    assert fb.policies.make(str(file)).module is first
    slips.written(tmp_path, ('"Slips"', '"Edited"'))
    os.utime(file, ns=(0, 1))
    assert fb.policies.make(str(file)).info.title == "Edited"


def test_files_of_one_name_are_two_policies(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        slips.written(tmp_path / folder, ('"Slips"', f'"{folder}"'))
    made = [fb.policies.make(str(tmp_path / folder / "slips.py")) for folder in ("a", "b")]
    assert [policy.info.title for policy in made] == ["a", "b"]
    assert made[0].module.__name__ != made[1].module.__name__


def test_a_file_imports_its_neighbours(tmp_path):
    (tmp_path / "neighbour_of_slips.py").write_text("TITLE = 'from next door'\n")
    file = slips.written(
        tmp_path,
        ("import numpy as np\n", "import numpy as np\nimport neighbour_of_slips\n"),
        ('"Slips"', "neighbour_of_slips.TITLE"),
    )
    before = list(sys.path)
    assert fb.policies.make(str(file)).info.title == "from next door"
    assert sys.path == before


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("import numpy as np", "import numpi as np", "line 4: ModuleNotFoundError: No module"),
        ("def learn(", "def learn)", "line 46: unmatched"),
        ("def learn(", "def lern(", "slips is not a policy: it has no learn"),
        ("class Params(NamedTuple)", "class Params", "Params must be a typing.NamedTuple"),
        ("    long: int = 10**9", "    long: int", "Non-default|non-default"),
        ("INFO = Info(", "INFO = dict(title=", "line 9: "),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_the_line(tmp_path, old, new, said):
    file = slips.written(tmp_path, (old, new))
    with pytest.raises((ContractError, InvalidInputError), match=said) as caught:
        fb.policies.make(str(file))
    assert "slips" in str(caught.value)


def test_no_such_file_and_no_such_parameter(tmp_path):
    with pytest.raises(InvalidInputError, match=r"there is no policy file 'nowhere/mine\.py'"):
        fb.policies.make("nowhere/mine.py")
    with pytest.raises(InvalidInputError, match="no parameter of slips named 'speed'"):
        fb.policies.make(f"{slips.written(tmp_path)}(speed=1)")


def test_the_command_takes_a_file(tmp_path):
    def run(*arguments):
        sizes = ["--levels", "3", "--horizon", "300", "--repetitions", "2", "--quiet"]
        return CliRunner().invoke(app, ["simulate", "rank1", *sizes, "--policy", *arguments])

    done = run(str(EXAMPLE))
    assert done.exit_code == 0, done.output
    assert "epsilon_greedy" in done.output

    file = slips.written(tmp_path)
    failed = run(f"{file}(index=7)")
    assert failed.exit_code == 2
    [line] = failed.output.splitlines()
    number = slips.line_of(file, "state.plays[level] += 1")
    assert f"{file}, line {number}, in learn: state.plays[level] += 1" in line


def test_a_script_is_a_policy_by_the_name_of_its_file(tmp_path):
    """As is a notebook, whose cells are `__main__`, too."""
    end = (
        "\nimport __main__\nimport factored_bandits as fb\n"
        "problem = fb.environments.make('additive', effects=[[0.0, 0.5], [0.0, 0.3, 0.1]])\n"
        "print(fb.simulate(__main__, problem, 300, repetitions=1, progress=False).label)\n"
        "del __main__.__file__\n"
        "print(fb.policies.make(__main__).label)\n"
    )
    file = tmp_path / "my_script.py"
    file.write_text(slips.SOURCE + end)
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["my_script", "notebook"]), done.stderr


class Random:
    """What people bring along."""

    def __init__(self, sizes, rng):
        self.sizes = sizes
        self.rng = rng
        self.seen = []

    def select(self):
        return [int(self.rng.integers(size)) for size in self.sizes]

    def update(self, action, reward):
        self.seen.append((action, reward))


def test_a_class_with_select_and_update_is_told_what_to_write():
    for given in (Random, Random((2,), None)):
        with pytest.raises(InvalidInputError) as caught:
            fb.simulate(given, PROBLEM, 100)
        assert str(caught.value) == (
            "Random has select and update; as a policy, run in plain Python, it is "
            "fb.policies.adapt(lambda sizes, rng: Random(...), name='random'), where select() "
            "gives a level per factor and update(action, reward) learns"
        )
    with pytest.raises(InvalidInputError, match=r"fb\.policies\.adapt"):
        fb.compare(Random, PROBLEM, 100)


def test_an_adapted_object_gets_what_it_chose_and_runs_uncompiled(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    learners = []

    def create(sizes, rng):
        learners.append(Random(sizes, rng))
        return learners[-1]

    policy = fb.policies.adapt(create, name="random")
    result = quick(policy, seed=4, workers=1)
    last = learners[-1]
    assert last.sizes == (2, 3)
    assert len(last.seen) == 299, "the last block of a run is not learned"
    assert {reward for _, reward in last.seen} <= {0.0, 1.0}
    assert all(isinstance(action, tuple) for action, _ in last.seen)
    assert np.array_equal(result.regret, quick(policy, seed=4).regret)
    assert result.label == "random"

    duel = fb.policies.adapt(create, name="random", kind="duel", scale=(-1, 1))
    quick(duel, fb.environments.identical_gap(4, 0.9))
    assert {reward for _, reward in learners[-1].seen} == {-1.0, 1.0}


def test_slips_of_an_adapted_object():
    def wrong(answer):
        def select(self):
            return answer

        kind = type("Wrong", (Random,), {"select": select})
        return fb.policies.adapt(lambda sizes, rng: kind(sizes, rng), name="wrong")

    with pytest.raises(ContractError, match=r"select\(\) gave \[1\] in round 1; it must give 2"):
        quick(wrong(1))
    with pytest.raises(ContractError, match=r"select\(\) gave \[0\.5, 1\.0\]"):
        quick(wrong((0.5, 1)))
    with pytest.raises(ContractError, match="plan chose level 3 of factor 1 in round 1"):
        quick(wrong((1, 3)))
    with pytest.raises(InvalidInputError, match="an adapted object, which an agent could not save"):
        fb.Agent(wrong((1, 1)), factors={"a": [1, 2]})
