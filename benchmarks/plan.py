"""How soon `plan` gives its first answer, and how good that is.

Without options: seconds of wall clock and of processor time from the start of the process to the
first answer and to the last, with one worker and an empty cache of compiled code: two minutes. With
`--accuracy`: the first answer beside the simulation, for easy and hard problems: three minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import factored_bandits as fb
from factored_bandits.planning.estimate import estimate
from factored_bandits.planning.forecast import share_point

QUESTION = "plan --factors 5,4,3 --base-rate 0.05 --lift 0.2 --traffic 2000/day --workers 1"
PROBLEMS = [
    ((2,), 0.1, 0.5),
    ((2, 2), 0.2, 1.0),
    ((3, 2), 0.3, 0.8),
    ((3, 2), 0.3, 0.5),
    ((5, 4, 3), 0.05, 0.5),
    ((2, 2, 2, 2), 0.1, 0.3),
    ((10, 10), 0.1, 1.0),
]
BOUNDS = ("betting", "bernstein", "hoeffding", "paper")
REPETITIONS = 100


def first_answer() -> None:
    """From the start of the process, as a user waits for it."""
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-m", "factored_bandits.cli", *QUESTION.split()]
        began = time.perf_counter()
        process = subprocess.Popen(
            command,
            env={**os.environ, "NUMBA_CACHE_DIR": cache},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        line = process.stderr.readline()
        wall = time.perf_counter() - began
        cpu = processor_seconds(process.pid)
        print(f"first answer: {wall:.1f} s ({cpu:.1f} s of processor time): {line.rstrip()}")

        final, _ = process.communicate()
        wall = time.perf_counter() - began
        print(f"last answer: {wall:.1f} s: {final.splitlines()[0]}")


def processor_seconds(pid: int) -> float:
    """What a running process has used (Linux); nan elsewhere."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def accuracy() -> None:
    """Half of the runs and 90 % of them: estimated over simulated."""
    print(
        "half of runs: simulated; then estimated over simulated: half of runs, 90 % of them, lost"
    )
    worst = 0.0
    for factors, base_rate, lift in PROBLEMS:
        problem = fb.Assumptions(factors, base_rate, lift).problem()
        for bound in BOUNDS:
            policy = fb.policies.make("tea", bound=bound)
            estimated = estimate(policy, problem, seed=0)
            assert estimated is not None
            simulated = fb.plan(
                problem,
                policies=[policy],
                repetitions=REPETITIONS,
                horizon=4 * np.median(estimated.all_decided),
                flat=False,
                progress=False,
            ).forecasts[0]
            ratios = [
                share_point(estimated.all_decided, share)
                / share_point(simulated.all_decided, share)
                for share in (0.5, 0.9)
            ]
            lost = estimated.lost(estimated.all_decided) / simulated.lost(simulated.all_decided)
            worst = max(worst, *(abs(ratio - 1.0) for ratio in ratios))
            name = f"{' x '.join(map(str, factors))}, {base_rate:.0%}, {lift:.0%}"
            print(
                f"{name:<28}{bound:<11}{share_point(simulated.all_decided, 0.5):>14,.0f}"
                f"{ratios[0]:>8.2f}{ratios[1]:>8.2f}{lost:>8.2f}",
                flush=True,
            )
    print(f"largest error: {worst:.0%}")


if __name__ == "__main__":
    if "--accuracy" in sys.argv:
        accuracy()
    else:
        first_answer()
