"""What the first run on a Dask cluster waits for: two workers here, an empty cache, the same twice.

    python benchmarks/cluster.py

Seconds of processor time of the workers, with the processes in which they compile, beside the
seconds inside repetitions. The second run finds everything compiled.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import distributed
import psutil

from factored_bandits import lab

EXPERIMENT = """
name = "bench"
policies = ["tsallis_inf", "flat_ucb1"]
seconds = 0.2
[[problems]]
problem = "rank1"
[quick]
horizon = 20_000
repetitions = 20
"""


def cluster(folder: Path) -> tuple[str, list[subprocess.Popen[bytes]]]:
    """A scheduler and two workers on loopback; its address and the processes."""
    file = folder / "scheduler.json"
    shared = ["--scheduler-file", str(file), "--no-dashboard"]
    loopback = ["--host", "127.0.0.1", "--port", "0"]
    commands = [["distributed.cli.dask_scheduler", *loopback, *shared]]
    commands += [["distributed.cli.dask_worker", *shared, "--nthreads", "1", "--no-nanny"]] * 2
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
    processes = [
        subprocess.Popen([sys.executable, "-m", *command], env=environment, **quiet)
        for command in commands
    ]
    while not file.exists() or not file.read_text().strip():
        time.sleep(0.1)
    return json.loads(file.read_text())["address"], processes


def used(processes: list[subprocess.Popen[bytes]]) -> list[float]:
    """Seconds of processor time, with those of finished children."""
    return [sum(psutil.Process(process.pid).cpu_times()[:4]) for process in processes]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        address, processes = cluster(folder)
        try:
            with distributed.Client(address, set_as_default=False) as client:
                client.wait_for_workers(2, timeout=120)
            for number in ("first", "second"):
                before = used(processes)
                began = time.perf_counter()
                engine = lab.Engine("dask", scheduler=address)
                spec = lab.parse(EXPERIMENT)
                [found] = lab.run([spec], "quick", folder / number, engine, progress=False)
                wall = time.perf_counter() - began
                spent = [after - was for was, after in zip(before, used(processes), strict=True)]
                last = found.frame[found.frame["round"] == found.frame.horizon]
                print(
                    f"{number} run: {wall:.1f} s, workers {spent[1]:.1f} and {spent[2]:.1f} CPU s, "
                    f"{last.seconds.sum():.1f} of them inside repetitions"
                )
        finally:
            for process in processes:
                process.kill()
                process.wait()


if __name__ == "__main__":
    main()
