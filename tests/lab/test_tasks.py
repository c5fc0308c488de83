"""Tasks: pure, cut anywhere, tied to the version of the code."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from small_experiment import TASKS, TOML, numbers

import factored_bandits as fb
from factored_bandits import lab
from factored_bandits.errors import InvalidInputError
from factored_bandits.lab import code as _code
from factored_bandits.lab.page import section
from factored_bandits.lab.worker import work
from factored_bandits.report.claims import Claim


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # the same numbers, and nothing to compile


def frame(source: str, name: str) -> pd.DataFrame:
    return pd.read_parquet(io.BytesIO(work(name, "quick", source)["results"]))


def everything(source: str) -> pd.DataFrame:
    names = [task.name for task in lab.make_tasks(lab.parse(source), "quick")]
    return numbers(pd.concat([frame(source, name) for name in names]))


def test_a_task_is_a_function_of_its_name():
    source = TOML.format(horizon=300)
    first, again = frame(source, "small/3"), frame(source, "small/3")
    pd.testing.assert_frame_equal(numbers(first), numbers(again))
    assert set(first.task) == {"small/3"}
    assert len(first) == 10
    assert first["round"].max() == 300


def test_a_worker_with_other_code_refuses():
    source = TOML.format(horizon=20)
    file = lab.make_tasks(lab.parse(source), "quick")[0].file
    assert work("small/0", "quick", source, file)
    for other in (
        "quick-00000-0123456789ab.parquet",
        lab.make_tasks(lab.parse(source), "quick")[1].file,
    ):
        with pytest.raises(InvalidInputError, match="has other code; install the same version"):
            work("small/0", "quick", source, other)
    with pytest.raises(InvalidInputError, match="has other code"):
        work("small/99", "quick", source, file)


def test_results_do_not_depend_on_the_cut():
    source = TOML.format(horizon=200)
    whole = everything(source.replace("seconds = 1e-6", "seconds = 5"))
    chunks = everything(source)
    assert (whole.task.nunique(), chunks.task.nunique()) == (1, TASKS)
    pd.testing.assert_frame_equal(whole.drop(columns="task"), chunks.drop(columns="task"))


def test_a_worker_compiles_a_policy_once(monkeypatch):
    monkeypatch.delenv("NUMBA_DISABLE_JIT")
    pytest.importorskip("numba")
    from factored_bandits.core import kernel

    source = TOML.format(horizon=40)
    before = set(kernel._BOUND)
    for name in ("small/0", "small/1", "small/2"):  # uniform, on two problems
        assert frame(source, name).policy.unique().tolist() == ["uniform"]
    added = set(kernel._BOUND) - before
    loops = [kernel._BOUND[key] for key in kernel._BOUND if "_uniform_" in key]
    assert len(added) <= 1
    assert [len(loop.signatures) for loop in loops] == [1] * len(loops)


def test_provenance_is_in_every_row():
    import numpy

    row = frame(TOML.format(horizon=50), "small/0").iloc[0]
    assert row.numpy == numpy.__version__
    assert row.code == _code.code_version("uniform")
    assert (row.arms, row.regret_unit, row.seed, row.horizon, row.preset) == (
        "2x2",
        "reward",
        3,
        50,
        "quick",
    )
    assert row.version
    assert row["machine"]
    assert row.numba


VERSIONS = """
import json
from factored_bandits.lab.code import code_version
print(json.dumps([code_version(policy) for policy in ("flat_ucb1", "tea")]))
"""


def test_other_code_another_file(tmp_path):
    """Editing a policy makes new versions of its own results only; a comment makes none."""
    package = tmp_path / "factored_bandits"
    source = Path(fb.__file__).parent
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__"))

    def versions() -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", VERSIONS],
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    def edited(module: str, line: str) -> list[str]:
        path = package / module
        path.write_text(path.read_text() + f"\n{line}\n")
        return versions()

    before = versions()
    assert edited("policies/factored/flat/flat_ucb1.py", "# a remark") == before
    own = edited("policies/factored/flat/flat_ucb1.py", "NEW = 1")
    assert own[0] != before[0]
    assert own[1] == before[1]
    block = edited("policies/tem/phase.py", "NEW = 1")
    assert block[0] == own[0]
    assert block[1] != own[1]
    shared = edited("core/loop.py", "NEW = 1")
    assert all(new != old for new, old in zip(shared, block, strict=True))


def test_every_module_that_a_run_imports_counts():
    """Nothing that a simulation loads is missing from what its version is made of."""
    code = (
        "import sys; import factored_bandits as fb;"
        "fb.simulate('tea', fb.environments.spiked(3), 50, repetitions=1, progress=False);"
        "print(*(name for name in sys.modules if name.startswith('factored_bandits.')))"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    known = _code.reachable([_code.SIMULATOR, "factored_bandits.policies.factored.tea"])
    assert set(done.stdout.split()) <= known


TINY = {"horizon": 30, "shorten": 1, "fewer": (), "repetitions": 2}
ONLY = {  # elsewhere, the problems that the claims need
    "additive_horizons": ("K=16", "K=32"),
    "additive_terms": ("K=8", "K=16"),
    "dueling_07": ("K=8",),
    "dueling_095": ("K=16",),
    "suite_duels": ("paper p=0.7 K=16", "cyclic K=4"),
    "suite_factored": ("rank1 16x16 u*v*=0.25", "trap 2x16"),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # interpreted, 0 / 0 warns
@pytest.mark.parametrize("name", lab.names())
def test_every_experiment_runs_and_decides(name, tmp_path, monkeypatch):
    """With a preset that means nothing; the words and numbers must be there."""
    module = lab.load(name)
    quick = dataclasses.replace(
        module.SPEC.quick, problems=ONLY.get(name, module.SPEC.quick.problems), **TINY
    )
    spec = dataclasses.replace(module.SPEC, quick=quick)
    monkeypatch.setattr(module, "SPEC", spec)
    lab.lookup.spec_of.cache_clear()
    [found] = lab.run([spec], "quick", tmp_path, lab.Engine(workers=1), progress=False)
    lab.lookup.spec_of.cache_clear()
    claims = module.claims(found)
    assert claims
    for claim in claims:
        assert isinstance(claim, Claim)
        assert claim.experiment == name
        assert any(character.isdigit() for character in claim.measured)
        assert claim.verdict in ("holds", "fails", "undecided")
    assert len({claim.says for claim in claims}) == len(claims)
    names = {chart.name for chart in section(found).charts}
    assert {claim.figure for claim in claims if claim.figure} <= names, (
        "a claim shows a figure that is not there"
    )
    assert all(chart.name.startswith(f"{name}-") for chart in section(found).charts)


@pytest.mark.parametrize(
    ("name", "preset"),
    [*((name, "quick") for name in lab.names()), ("rank1", "full"), ("suite_duels", "full")],
)
def test_tasks_are_neither_too_small_nor_too_many(name, preset):
    every = lab.make_tasks(lab.load(name).SPEC, preset)
    assert [task.name for task in every] == [f"{name}/{i}" for i in range(len(every))]
    assert len({task.file for task in every}) == len(every)
    chunks = [chunk for task in every for chunk in task.chunks]
    cells = {id(chunk.cell): chunk.cell.repetitions for chunk in chunks}
    assert sum(chunk.repetitions for chunk in chunks) == sum(cells.values())
    longest = every[0].spec.seconds
    assert all(
        task.seconds <= longest or sum(chunk.repetitions for chunk in task.chunks) == 1
        for task in every
    )
    assert sum(task.seconds < 0.5 for task in every) <= 1 + len(every) // 10
    assert len(every) <= 1000
