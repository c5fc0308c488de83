"""A Dask cluster of real processes, one of which is killed; Ray where there is one."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from small_experiment import TASKS, TOML, numbers

import factored_bandits as fb
from factored_bandits import lab
from factored_bandits.errors import FactoredBanditsError, InvalidInputError, MissingExtraError
from factored_bandits.lab import engines
from factored_bandits.simulation.compilers import packed
from factored_bandits.simulation.runner import Runner

ENVIRONMENT = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}


def cluster(folder: Path) -> tuple[str, list[subprocess.Popen[bytes]]]:
    """A scheduler and two workers with one thread each, on loopback."""
    file = folder / "scheduler.json"
    shared = ["--scheduler-file", str(file), "--no-dashboard"]
    module = [sys.executable, "-m"]
    commands = [
        [*module, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", *shared]
    ]
    commands += [
        [*module, "distributed.cli.dask_worker", *shared, "--nthreads", "1", "--no-nanny"]
    ] * 2
    out = subprocess.DEVNULL
    processes = [
        subprocess.Popen(command, env=ENVIRONMENT, stdout=out, stderr=out) for command in commands
    ]
    deadline = time.monotonic() + 120
    while not file.exists() or not file.read_text().strip():
        assert time.monotonic() < deadline, "the scheduler did not start"
        time.sleep(0.1)
    return json.loads(file.read_text())["address"], processes


def wait_for_workers(address: str, count: int) -> None:
    import distributed

    with distributed.Client(address, set_as_default=False) as client:
        client.wait_for_workers(count, timeout=120)


@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="needs the extra dask")
@pytest.mark.filterwarnings("default")
def test_a_dask_worker_dies_and_every_task_is_there_once(tmp_path):
    spec = lab.parse(TOML.format(horizon=2_000))
    [local] = lab.run([spec], "quick", tmp_path / "local", lab.Engine(workers=1), progress=False)
    address, processes = cluster(tmp_path)
    try:
        wait_for_workers(address, 2)
        out = tmp_path / "dask"
        seen = []

        def kill_one() -> None:
            while len(list(out.glob("results/small/*.parquet"))) < 2:
                time.sleep(0.02)
            seen.append(len(list(out.glob("results/small/*.parquet"))))
            processes[2].kill()

        killer = threading.Thread(target=kill_one)
        killer.start()
        [found] = lab.run(
            [spec], "quick", out, lab.Engine("dask", scheduler=address), progress=False
        )
        killer.join()
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert seen[0] < TASKS, "the worker was killed too late"
    assert found.missing == 0
    assert len(list(out.glob("results/small/*.parquet"))) == TASKS
    pd.testing.assert_frame_equal(numbers(found.frame), numbers(local.frame))
    pd.testing.assert_frame_equal(found.plays, local.plays)
    pd.testing.assert_frame_equal(found.eliminations, local.eliminations)


@pytest.mark.full
@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="needs the extra dask")
@pytest.mark.filterwarnings("default")
def test_loops_are_compiled_before_the_tasks_once_for_all_workers_of_a_machine(
    tmp_path, monkeypatch
):
    monkeypatch.setitem(ENVIRONMENT, "NUMBA_DISABLE_JIT", "0")
    monkeypatch.setitem(ENVIRONMENT, "NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    address, processes = cluster(tmp_path)
    runner = Runner(fb.policies.make("uniform"), fb.environments.spiked(3), np.array([10]), 0)
    try:
        wait_for_workers(address, 2)
        lab.Engine("dask", scheduler=address).warm([runner])
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert len(list(tmp_path.glob("cache/*/loop.play_uniform_*.nbi"))) == 1


def test_what_is_to_be_compiled_elsewhere_arrives_there(monkeypatch):
    found = []
    monkeypatch.setattr(engines, "warm_up", lambda runners, progress: found.extend(runners))
    problems = [fb.environments.spiked(3), fb.environments.spiked(4)]
    runners = [Runner(fb.policies.make("tea"), each, np.array([10]), 0) for each in problems]
    engines.warm_here(packed(runners))
    assert [runner.loop_name for runner in found] == [runner.loop_name for runner in runners]
    assert [runner.environment.sizes for runner in found] == [(3, 3), (4, 4)]


def test_processes_give_the_same_bits(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    spec = lab.parse(TOML.format(horizon=200))
    [one] = lab.run([spec], "quick", tmp_path / "one", lab.Engine(workers=1), progress=False)
    [two] = lab.run([spec], "quick", tmp_path / "two", lab.Engine(workers=2), progress=False)
    pd.testing.assert_frame_equal(numbers(one.frame), numbers(two.frame))


def test_a_worker_that_is_killed_is_told_in_one_sentence(tmp_path, monkeypatch):
    """Nothing is retried for ever; what was finished is kept."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    spec = lab.parse(TOML.format(horizon=200))

    def kill(*task):
        os.kill(os.getpid(), 9)

    monkeypatch.setattr("factored_bandits.lab.engines._named_alone", kill)
    with pytest.raises(
        FactoredBanditsError, match=r"a worker was killed, .* the next run goes on from there"
    ):
        lab.run([spec], "quick", tmp_path, lab.Engine(workers=2), progress=False)


@pytest.mark.full
@pytest.mark.filterwarnings("default")
def test_ray_gives_the_same_bits(tmp_path):
    pytest.importorskip("ray", reason="needs the extra ray")
    spec = lab.parse(TOML.format(horizon=200))
    [one] = lab.run([spec], "quick", tmp_path / "one", lab.Engine(workers=1), progress=False)
    [two] = lab.run([spec], "quick", tmp_path / "two", lab.Engine("ray", workers=2), progress=False)
    pd.testing.assert_frame_equal(numbers(one.frame), numbers(two.frame))


@pytest.mark.parametrize(
    ("engine", "complaint"),
    [
        (lab.Engine("dask"), "needs the address of its scheduler"),
        (
            lab.Engine("processes", scheduler="tcp://127.0.0.1:1"),
            "a scheduler is for the engine dask",
        ),
    ],
)
def test_wrong_engines_are_refused(engine, complaint, tmp_path):
    with pytest.raises(InvalidInputError, match=complaint):
        lab.run([lab.parse(TOML.format(horizon=10))], "quick", tmp_path, engine, progress=False)


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="ray is here")
def test_a_missing_engine_is_named(tmp_path):
    with pytest.raises(MissingExtraError, match=r"needs ray, .* pip install .*\[ray\]"):
        lab.run(
            [lab.parse(TOML.format(horizon=10))],
            "quick",
            tmp_path,
            lab.Engine("ray"),
            progress=False,
        )
