"""Kill it, start it twice, go on: every task once, the same numbers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from small_experiment import TASKS, TOML, numbers

from factored_bandits import lab

COMMAND = [
    sys.executable,
    "-m",
    "factored_bandits.cli",
    "run",
    "small.toml",
    "--out",
    "out",
    "--quiet",
]
ENVIRONMENT = {**os.environ, "NUMBA_DISABLE_JIT": "1"}  # nothing to compile
SOURCE = TOML.format(horizon=2_500)


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> pd.DataFrame:
    """What an undisturbed run finds, compiled or not."""
    [found] = lab.run(
        [lab.parse(SOURCE)], "quick", tmp_path_factory.mktemp("whole"), lab.Engine(workers=1), False
    )
    return numbers(found.frame)


def start(folder: Path, *more: str) -> subprocess.Popen[str]:
    (folder / "small.toml").write_text(SOURCE)
    return subprocess.Popen(
        [*COMMAND, *more],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(folder: Path) -> dict[str, int]:
    return {
        path.name: path.stat().st_mtime_ns for path in folder.glob("out/results/small/*.parquet")
    }


def wait_for(folder: Path, tasks: int) -> None:
    deadline = time.monotonic() + 120
    while len(finished(folder)) < tasks:
        assert time.monotonic() < deadline, "no task was finished in two minutes"
        time.sleep(0.05)


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def read(folder: Path) -> pd.DataFrame:
    return numbers(pd.read_parquet(folder / "out" / "results"))


@pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="asks the system by /proc for the workers"
)
def test_killed_and_continued(tmp_path, expected):
    process = start(tmp_path, "--workers", "2")
    wait_for(tmp_path, 2)
    workers = children(process.pid)
    process.kill()
    process.communicate()
    assert len(workers) >= 2
    deadline = time.monotonic() + 60
    while any(is_alive(worker) for worker in workers):
        assert time.monotonic() < deadline, "workers outlive a killed run"
        time.sleep(0.1)
    kept = finished(tmp_path)
    assert 2 <= len(kept) < TASKS
    again = start(tmp_path, "--workers", "2")
    output, errors = again.communicate(timeout=300)
    assert again.returncode == 0, errors
    assert "results: out" in output
    after = finished(tmp_path)
    assert len(after) == TASKS
    assert kept.items() <= after.items(), "a finished task was run twice"
    pd.testing.assert_frame_equal(read(tmp_path), expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="every run is a fork of one process")
def test_killed_many_times_while_writing(tmp_path, whole):
    """The same rows as of a run that nobody disturbed; what was left half written is never read."""
    script = Path(__file__).with_name("killed_runs.py")
    out = tmp_path / "out"
    done = subprocess.run(
        [sys.executable, str(script), str(out), "22"],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    ends = [line.split() for line in done.stdout.splitlines()]
    assert {moment for moment, status in ends[:-1] if status == "-9"} == {
        "half",
        "written",
        "renamed",
    }
    assert len(ends) >= 3 * TASKS // 22
    assert ends[-1][1] == "0", done.stderr

    left = list(out.rglob(".*.unfinished"))
    assert len(left) == sum(moment != "renamed" for moment, _ in ends[:-1])
    undisturbed = numbers(pd.read_parquet(whole / "results"))
    pd.testing.assert_frame_equal(read(tmp_path), undisturbed)
    for frame in ("eliminations", "plays"):
        columns = ["problem", "policy", "repetition"]
        one, other = (
            pd.read_parquet(folder / frame).sort_values(columns, kind="stable", ignore_index=True)
            for folder in (out, whole)
        )
        pd.testing.assert_frame_equal(one, other)

    for path in left:
        os.utime(path, (0, 0))
    lab.Store(out).prepare()
    assert not list(out.rglob(".*.unfinished"))


@pytest.mark.full
def test_reproduce_killed_at_any_moment(tmp_path):
    """Experiments of the paper, compiled, by the command, killed from outside; one file damaged."""
    command = [*COMMAND[:3], "reproduce", "--only", "bounds", "--only", "katariya_table"]
    command += ["--workers", "2", "--quiet", "--out"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    whole, out = tmp_path / "whole", tmp_path / "out"
    subprocess.run([*command, str(whole)], check=True, **quiet)

    tasks = len(list(whole.glob("results/*/*.parquet")))
    lives = 0
    kept = 0
    while kept < tasks:
        process = subprocess.Popen([*command, str(out)], **quiet)
        lives += 1
        while process.poll() is None and len(list(out.glob("results/*/*.parquet"))) <= kept:
            time.sleep(0.05)
        time.sleep(0.3 * lives % 1.0)  # in the middle of this or that
        process.kill()
        assert process.wait() in (0, -signal.SIGKILL)
        kept = len(list(out.glob("results/*/*.parquet")))
        if lives == 1:
            next(out.glob("results/*/*.parquet")).write_bytes(b"PAR1")

    assert lives >= 3
    subprocess.run([*command, str(out)], check=True, **quiet)
    assert len(list((out / "damaged").rglob("*.parquet"))) == 1
    one, other = (numbers(pd.read_parquet(folder / "results")) for folder in (out, whole))
    pd.testing.assert_frame_equal(one, other)


@pytest.mark.full
def test_two_runs_on_one_folder(tmp_path, expected):
    runs = [start(tmp_path, "--workers", "1") for _ in range(2)]
    for process in runs:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
    assert len(finished(tmp_path)) == TASKS
    assert not list(tmp_path.glob("out/*/*/.*"))
    pd.testing.assert_frame_equal(read(tmp_path), expected)


def test_ctrl_c_says_how_to_go_on(tmp_path):
    process = start(tmp_path, "--workers", "2")
    wait_for(tmp_path, 1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert f"of {TASKS} tasks are kept in out; the same command goes on" in errors
    assert "Traceback" not in errors
