"""Real processes, killed by kill -9 and by Ctrl-C, go on from their journal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("killed_arena.py")
BUDGET = 60
CONCURRENCY = 4

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are a matter of POSIX")


def begun(journal: Path, log: Path, **variables: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(PROGRAM), str(journal), str(log), str(BUDGET), str(CONCURRENCY)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", **variables}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def count_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait_for(path: Path, lines: int, process: subprocess.Popen[str]) -> None:
    while count_lines(path) < lines:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.001)


def answers(journal: Path) -> list[tuple[int, int]]:
    entries = [json.loads(line) for line in journal.read_text("utf-8").splitlines()[1:]]
    return [(entry["ask"], entry["part"]) for entry in entries if entry["event"] == "answer"]


def test_kill_9_loses_no_verdict_and_pays_for_none_twice(tmp_path):
    journal = tmp_path / "run.jsonl"
    log = tmp_path / "calls.txt"
    kept: list[tuple[int, int]] = []
    for reached in (15, 35):
        process = begun(journal, log)
        wait_for(journal, reached, process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        # nothing that was there is gone
        whole = journal.read_bytes()[: journal.read_bytes().rfind(b"\n") + 1]
        journal_copy = tmp_path / "copy.jsonl"
        journal_copy.write_bytes(whole)
        assert answers(journal_copy)[: len(kept)] == kept
        kept = answers(journal_copy)
        assert len(kept) >= reached - 2

    process = begun(journal, log)
    printed, complaints = process.communicate()
    assert (process.returncode, complaints) == (0, "")
    assert printed == f"d calls {BUDGET}\n"

    found = answers(journal)
    assert found[: len(kept)] == kept
    assert max(Counter(found).values()) == 1
    assert len(found) == BUDGET
    # only what was in flight when the process died was asked for again
    assert BUDGET <= count_lines(log) <= BUDGET + 2 * CONCURRENCY


def test_ctrl_c_ends_with_the_result_so_far(tmp_path):
    journal = tmp_path / "run.jsonl"
    process = begun(journal, tmp_path / "calls.txt")
    wait_for(journal, 20, process)
    process.send_signal(signal.SIGINT)
    printed, complaints = process.communicate()
    assert (process.returncode, complaints) == (0, "")
    _, stopped, calls = printed.split()
    assert stopped == "interrupted"
    assert int(calls) == len(answers(journal)) < BUDGET


def test_ctrl_c_ends_a_coroutine_as_asyncio_does(tmp_path):
    journal = tmp_path / "run.jsonl"
    process = begun(journal, tmp_path / "calls.txt", ASYNC="1")
    wait_for(journal, 20, process)
    process.send_signal(signal.SIGINT)
    printed, complaints = process.communicate()
    assert (process.returncode, printed) == (-signal.SIGINT, "")
    assert "KeyboardInterrupt" in complaints
    assert "Task was destroyed" not in complaints
    assert "never retrieved" not in complaints
    assert len(answers(journal)) >= 19
