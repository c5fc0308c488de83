"""What the checks of the loop cost, and those of every index.

    python benchmarks/checks.py [--instructions] [JOB...]

The loop that plays the library's own policies looks at the length of every block and trusts its
levels, which are checked in plain Python by the tests; it is held against one that trusts lengths,
too. The loop that plays policies of others looks at every level of every play and checks every
index of every kernel; it is held against one that checks indices alone, and against the library's.
Processor time per round, the least of several runs that alternate, on one worker.

Where arrays and code come to lie in memory moves such a loop by a tenth and more, in either
direction, and stays the same as long as a process lives. So every ratio is measured in several
processes; the median and the range are shown.

--instructions counts instructions instead (x86-64, Linux, gcc), which neither memory nor other work
moves: of rounds 10,000 to 11,000.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from counting import counter, per_round

import factored_bandits as fb
from factored_bandits.core import loop
from factored_bandits.core.kernel import bind, kernel
from factored_bandits.simulation.runner import Runner

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))

ROUNDS = 1_000_000
TRIES = 7
PROCESSES = 9
COUNTED = (10_000, 11_000)  # from round, to round
TARGET = 0.02


@kernel
def any_length(length, longest):
    return True


def jobs() -> dict[str, Runner]:
    import epsilon_greedy

    equal = fb.environments.make("rank1", factors=[[0.7] * 16] * 2)
    spiked = fb.environments.spiked(16, 0.75, 0.2)
    equal_duel = fb.environments.make("duel_utility", utilities=[0.0] * 16)
    duel = fb.environments.identical_gap(16, 0.7)
    chosen = {
        "tea, all levels active": ("tea", equal),
        "tea, one best level": ("tea", spiked),
        "dueling_tea, all arms active": ("dueling_tea", equal_duel),
        "dueling_tea, one best arm": ("dueling_tea", duel),
        "uniform, 16 x 16": ("uniform", spiked),
        "flat_ucb1, 16 x 16": ("flat_ucb1", spiked),
        "rmed1, K = 16": ("rmed1", duel),
        "epsilon_greedy of the examples": (epsilon_greedy, spiked),
    }
    points = np.array([ROUNDS])
    return {
        label: Runner(fb.policies.make(policy), problem, points, seed=1)
        for label, (policy, problem) in chosen.items()
    }


def forms(runner: Runner) -> dict[str, Callable[..., object]]:
    name = runner.policy.name
    # all problems here have two columns, for which policies of others have a loop as well
    kernels = {**runner.kernels(), "columns_of": loop.two_columns}
    trusting = {**kernels, "inside": loop.trusted}
    checked = {"bounds_checked": True, "held": loop.itself}
    return {
        "trusting": bind(loop.play, name, **{**trusting, "is_length": any_length}),
        "library": bind(loop.play, name, **trusting),
        "indices": bind(loop.play, name, **checked, **trusting),
        "others": bind(loop.play, name, **checked, **kernels),
    }


def measure(label: str) -> dict[str, float]:
    """Nanoseconds per round of each form, in this process."""
    runner = jobs()[label]
    bound = forms(runner)
    least = dict.fromkeys(bound, float("inf"))
    for attempt in range(TRIES + 1):
        for form, play in bound.items():
            runner.loop = play
            began = time.process_time()
            runner.repetition(0, lambda index, t: False)
            if attempt:  # the first one compiles
                least[form] = min(least[form], time.process_time() - began)
    return {form: spent / ROUNDS * 1e9 for form, spent in least.items()}


def instructions(label: str, folder: str) -> dict[str, float]:
    """Instructions per round of each form."""
    runner = jobs()[label]
    return {
        form: per_round(counter(folder), runner, play, 1, *COUNTED)
        for form, play in forms(runner).items()
    }


def elsewhere(label: str, number: int) -> dict[str, float]:
    """The same in a process of its own; the environment, and so the stack, is longer in each."""
    done = subprocess.run(
        [sys.executable, __file__, "--here", label],
        env={**os.environ, "FB_PADDING": "x" * (37 * number)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def compared(rows: list[dict[str, float]], form: str, floor: str) -> str:
    """How much slower one form is than another: median and range over the processes."""
    ratios = sorted(row[form] / row[floor] - 1 for row in rows)
    return f"{statistics.median(ratios):+.1%} ({ratios[0]:+.1%} to {ratios[-1]:+.1%})"


def count(chosen: list[str]) -> None:
    print(f"instructions per round, rounds {COUNTED[0]:,} to {COUNTED[1]:,}")
    with tempfile.TemporaryDirectory() as folder:
        for label in jobs():
            if chosen and not any(name in label for name in chosen):
                continue
            row = instructions(label, folder)
            if math.isnan(row["library"]):
                print(f"  {label:<31} idle to the horizon before round {COUNTED[0]:,}", flush=True)
                continue
            shown = ", ".join(f"{form} {number:.2f}" for form, number in row.items())
            print(
                f"  {label:<31} library's {row['library'] / row['trusting'] - 1:+.1%}, "
                f"others' {row['others'] / row['indices'] - 1:+.1%}; {shown}",
                flush=True,
            )


def main(chosen: list[str]) -> None:
    print(f"ns per round, {ROUNDS:,} rounds; medians over {PROCESSES} processes (least and most)")
    for label in jobs():
        if chosen and not any(name in label for name in chosen):
            continue
        rows = [elsewhere(label, number) for number in range(PROCESSES)]
        shown = ", ".join(
            f"{form} {statistics.median(row[form] for row in rows):.1f}" for form in rows[0]
        )
        print(
            f"  {label:<31} library's {compared(rows, 'library', 'trusting')}, "
            f"others' {compared(rows, 'others', 'indices')}, at most {TARGET:.0%} each; "
            f"others' against the library's {compared(rows, 'others', 'library')}; {shown}",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        print(json.dumps(measure(sys.argv[2])))
    elif sys.argv[1:2] == ["--instructions"]:
        count(sys.argv[2:])
    else:
        main(sys.argv[1:])
