"""What the checks of the loop cost, and those of every index.

    python benchmarks/checks.py [--instructions | --places] [JOB...]

The loop that plays the library's own policies looks at the length of every block and trusts its
levels, which are checked in plain Python by the tests; it is held against one that trusts lengths,
too. The loop that plays policies of others looks at every level of every play and checks every
index of every kernel; it is held against one that checks indices alone, and against the library's.
Processor time per round, the least of several runs that alternate, on one worker.

Where arrays and code come to lie in memory moves such a loop by a tenth and more, in either
direction, and stays the same as long as a process lives. So every ratio is measured in several
processes; the median and the range are shown.

--places asks what that is for the look at every level: the two forms that differ by it play with
the arrays of a run and of the policy at random places of the memory, other ones in each process. If
no job is named it plays `flat_ucb1`.

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
from typing import Any

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
PLACES = 12  # in each process
PLACE_TRIES = 3
SPREAD = 2**20  # bytes among which an array lies somewhere
COUNTED = (10_000, 11_000)  # from round, to round
TARGET = 0.02

Forms = dict[str, Callable[..., object]]


@kernel
def any_length(length, longest):
    return True


class Placed(Runner):
    """Plays with every array at a random place of the memory, if `place` is given."""

    place: tuple[int, ...] = ()

    def new_state(self) -> Any:
        return placed(super().new_state(), self.place)

    def prepare(self, rng: np.random.Generator, state: Any) -> Any:
        return placed(super().prepare(rng, state), self.place)


def placed(fields: Any, place: tuple[int, ...]) -> Any:
    """The same arrays, each somewhere in a memory of its own."""
    if not place:
        return fields
    rng = np.random.default_rng([*place, len(fields)])

    def moved(array: Any) -> Any:
        memory = np.zeros(array.nbytes + SPREAD, dtype=np.uint8)
        first = 16 * int(rng.integers(SPREAD // 16))  # where numpy's begin is a multiple of 16, too
        view = memory[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
        view[...] = array
        return view

    return fields._replace(**{name: moved(array) for name, array in fields._asdict().items()})


def jobs() -> dict[str, Placed]:
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
        label: Placed(fb.policies.make(policy), problem, points, seed=1)
        for label, (policy, problem) in chosen.items()
    }


def forms(runner: Runner) -> Forms:
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


def timed(runner: Placed, bound: Forms, tries: int) -> dict[str, float]:
    """Nanoseconds per round of each form, in this process."""
    least = dict.fromkeys(bound, float("inf"))
    for attempt in range(tries + 1):
        for form, play in bound.items():
            runner.loop = play
            began = time.process_time()
            runner.repetition(0, lambda index, t: False)
            if attempt:  # the first one compiles
                least[form] = min(least[form], time.process_time() - began)
    return {form: spent / ROUNDS * 1e9 for form, spent in least.items()}


def measure(label: str) -> list[dict[str, float]]:
    """Of all forms, where their arrays happen to lie."""
    runner = jobs()[label]
    return [timed(runner, forms(runner), TRIES)]


def measure_places(label: str, number: int) -> list[dict[str, float]]:
    """Of the forms without the look and with it, a row for each place."""
    runner = jobs()[label]
    bound = {form: play for form, play in forms(runner).items() if form in ("indices", "others")}
    rows = []
    for place in range(PLACES):
        runner.place = (number, place)
        rows.append(timed(runner, bound, PLACE_TRIES))
    return rows


def instructions(label: str, folder: str) -> dict[str, float]:
    """Instructions per round of each form."""
    runner = jobs()[label]
    return {
        form: per_round(counter(folder), runner, play, 1, *COUNTED)
        for form, play in forms(runner).items()
    }


def elsewhere(label: str, number: int, what: str = "--here") -> list[dict[str, float]]:
    """The same in a process of its own; the environment, and so the stack, is longer in each."""
    done = subprocess.run(
        [sys.executable, __file__, what, label, str(number)],
        env={**os.environ, "FB_PADDING": "x" * (37 * number)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: list[dict[str, float]] = json.loads(done.stdout)
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


def places(chosen: list[str]) -> None:
    print(f"ns per round, {ROUNDS:,} rounds; {PLACES} places in each of {PROCESSES} processes")
    for label in jobs():
        if not any(name in label for name in chosen or ["flat_ucb1"]):
            continue
        rows = []
        for number in range(PROCESSES):
            rows += elsewhere(label, number, "--at-places")
        mean = statistics.mean(row["others"] / row["indices"] - 1 for row in rows)
        shown = ", ".join(f"{form} {spread([row[form] for row in rows])}" for form in rows[0])
        print(
            f"  {label:<31} the look: mean {mean:+.1%}, "
            f"median {compared(rows, 'others', 'indices')}, at most {TARGET:.0%}; {shown}",
            flush=True,
        )


def spread(spent: list[float]) -> str:
    """The mean, and from the least to the most."""
    return f"{statistics.mean(spent):.1f} ({min(spent):.1f} to {max(spent):.1f})"


def main(chosen: list[str]) -> None:
    print(f"ns per round, {ROUNDS:,} rounds; medians over {PROCESSES} processes (least and most)")
    for label in jobs():
        if chosen and not any(name in label for name in chosen):
            continue
        rows = [row for number in range(PROCESSES) for row in elsewhere(label, number)]
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
    elif sys.argv[1:2] == ["--at-places"]:
        print(json.dumps(measure_places(sys.argv[2], int(sys.argv[3]))))
    elif sys.argv[1:2] == ["--instructions"]:
        count(sys.argv[2:])
    elif sys.argv[1:2] == ["--places"]:
        places(sys.argv[2:])
    else:
        main(sys.argv[1:])
