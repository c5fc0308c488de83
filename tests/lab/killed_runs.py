"""Runs of the small experiment on one folder, each killed by `kill -9` while it writes a file.

    python killed_runs.py FOLDER WRITES

Every run is a process of its own and is killed at its WRITES-th file, by turns before the file is
complete, before it is renamed, and after. Prints how each of them ended, until one is not killed.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
from pathlib import Path

import joblib  # noqa: F401  # once for all runs
import pandas  # noqa: F401
import pyarrow.parquet  # noqa: F401
from small_experiment import TOML

from factored_bandits import lab
from factored_bandits.core import files

MOMENTS = ("half", "written", "renamed")


def die_at(last: int, moment: str) -> None:
    """Arrange for this process to be killed while it writes its last file."""
    flush, flush_folder = files._flush, files._flush_folder
    written: list[Path] = []

    def flush_or_die(path: Path) -> None:
        flush(path)
        written.append(path)
        if len(written) == last and moment == "half":
            os.truncate(path, path.stat().st_size // 2)
        if len(written) == last and moment != "renamed":
            os.kill(os.getpid(), signal.SIGKILL)

    def flush_folder_or_die(folder: Path) -> None:
        flush_folder(folder)
        if len(written) == last:
            os.kill(os.getpid(), signal.SIGKILL)

    files._flush = flush_or_die
    files._flush_folder = flush_folder_or_die


def main() -> None:
    folder = Path(sys.argv[1])
    spec = lab.parse(TOML.format(horizon=100))
    # the digests of the code, once for all runs
    assert all(task.file for task in lab.make_tasks(spec, "quick"))

    for moment in itertools.cycle(MOMENTS):
        child = os.fork()
        if child == 0:
            die_at(int(sys.argv[2]), moment)
            lab.run([spec], "quick", folder, lab.Engine(workers=1), progress=False)
            os._exit(0)

        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(moment, status, flush=True)
        if status != -signal.SIGKILL:
            return


if __name__ == "__main__":
    main()
