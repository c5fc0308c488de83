"""Our compiled loops against plain C that does the same job.

    python benchmarks/limit [--instructions] [JOB...]

Each C program of this folder is compiled by gcc -O3 -march=native into a temporary folder and given
the same generators, so it must play the same rounds: its regret is compared with ours. Processor
time of 10^6 rounds, the least of several runs in one process, ours and C by turns; and the goal
beside the ratio. Without gcc there is nothing to compare with.

--instructions counts instructions instead (x86-64, Linux), which no other work on the machine
changes: of rounds 2,000 to 2,300.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import factored_bandits as fb
from factored_bandits.core.rng import generators
from factored_bandits.simulation.runner import Runner

sys.path.insert(0, str(Path(__file__).parent.parent))

from counting import counter, per_round

ROUNDS = 1_000_000
TRIES = 7
SEED = 1
HERE = Path(__file__).parent
NUMPY = Path(np.__file__).parent
# Beta numbers are drawn by NumPy's own C library.
LIBRARIES = (f"-L{NUMPY / 'random' / 'lib'}", "-lnpyrandom", "-lm")
# fused multiply-add would round otherwise than our loops do
FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-fPIC", "-shared")


class Limit(NamedTuple):
    """A job, and how many times as long as C it may take; without a goal it is only shown."""

    policy: str
    problem: fb.environments.Environment
    goal: float | None = None
    skip_idle: bool = True


def limits() -> dict[str, Limit]:
    """The jobs by name."""
    equal = fb.environments.make("rank1", factors=[[0.7] * 16] * 2)
    spiked = fb.environments.spiked(16, 0.75, 0.2)
    single = fb.environments.make("rank1", factors=[[0.75] + [0.55] * 15])
    equal_duel = fb.environments.make("duel_utility", utilities=[0.0] * 16)
    winner = fb.environments.identical_gap(16, 0.7)
    return {
        "uniform, 16 x 16": Limit("uniform", spiked, 2.5),
        "tea, all levels active": Limit("tea", equal, 3.0),
        "tea, spiked": Limit("tea", spiked, 3.0),
        "tea, spiked, every round played": Limit("tea", spiked, 3.0, skip_idle=False),
        "dueling_tea, all arms active": Limit("dueling_tea", equal_duel, 2.5),
        "dueling_tea, p = 0.7": Limit("dueling_tea", winner, 2.5),
        "flat_ucb1, K = 16": Limit("flat_ucb1", single, 1.7),
        "flat_ucb1, 16 x 16": Limit("flat_ucb1", spiked, 1.7),
        "rmed1, every round played": Limit("rmed1", winner, 1.7, skip_idle=False),
        "rucb, every round played": Limit("rucb", winner, skip_idle=False),
        "dts, K = 16": Limit("dts", winner),
        "flat_thompson, 16 x 16": Limit("flat_thompson", spiked),
        "tsallis_inf, 16 x 16": Limit("tsallis_inf", spiked),
        "lb_inf, 16 x 16": Limit("lb_inf", spiked),
    }


class Job(ctypes.Structure):
    """As in limit.h."""

    _fields_ = (
        ("values", ctypes.c_void_p),
        ("losses", ctypes.c_void_p),
        ("columns", ctypes.c_long),
        ("size", ctypes.c_long),
        ("rounds", ctypes.c_long),
        ("skip", ctypes.c_long),
        ("plays", ctypes.c_void_p),
    )


def words(generator: np.random.Generator) -> Any:
    """The state and the increment of a PCG64, as C keeps them: aligned to 16 bytes."""
    state: Any = generator.bit_generator.state["state"]
    block = np.zeros(6, dtype=np.uint64)
    aligned = block[(block.ctypes.data // 8) % 2 :][:4]
    for index, number in enumerate((state["state"], state["inc"])):
        aligned[2 * index] = number & (2**64 - 1)
        aligned[2 * index + 1] = number >> 64
    return aligned


def in_c(limit: Limit, folder: str, rounds: int | None = None) -> Callable[[], float]:
    """Compile the C program of a job; the function plays it and returns the regret."""
    library = Path(folder) / f"{limit.policy}.so"
    source = HERE / f"{limit.policy}.c"
    if not library.exists():
        command = ["gcc", *FLAGS, str(source), "-o", str(library), *LIBRARIES]
        subprocess.run(command, check=True)
    play = ctypes.CDLL(str(library)).play
    play.restype = ctypes.c_double

    problem = limit.problem
    sizes = problem.sizes
    if problem.kind == "duel":
        pairs = [[problem.mean([i, j]) for j in range(sizes[1])] for i in range(sizes[0])]
        values = np.array(pairs, dtype=np.float64)
        losses = np.array(problem.data.losses)
    else:
        values = np.array(problem.data.values)
        losses = np.array([problem.data.highest])
    plays = np.zeros(sum(sizes), dtype=np.int64)
    job = Job(
        values.ctypes.data,
        losses.ctypes.data,
        len(sizes),
        sizes[0],
        rounds or ROUNDS,
        limit.skip_idle,
        plays.ctypes.data,
    )

    def run(arrays: Any = (values, losses, plays)) -> float:
        own, noise = map(words, generators(SEED))
        found = play(
            ctypes.byref(job), ctypes.c_void_p(own.ctypes.data), ctypes.c_void_p(noise.ctypes.data)
        )
        return float(found)

    return run


def our_runner(limit: Limit) -> Runner:
    """What plays a job here."""
    return Runner(
        fb.policies.make(limit.policy),
        limit.problem,
        np.array([ROUNDS]),
        SEED,
        permute=False,
        skip_idle=limit.skip_idle,
    )


def in_our_loop(limit: Limit) -> Callable[[], float]:
    """Play a job; the regret."""
    runner = our_runner(limit)

    def run() -> float:
        record = runner.repetition(0, lambda index, t: False)
        assert record is not None
        return float(record.regret[-1])

    return run


def nanoseconds(*runs: Callable[[], float]) -> list[float]:
    """Processor time per round of each, the least of several, by turns."""
    least = [float("inf")] * len(runs)
    for _ in range(TRIES):
        for number, run in enumerate(runs):
            began = time.process_time()
            run()
            least[number] = min(least[number], time.process_time() - began)
    return [seconds / ROUNDS * 1e9 for seconds in least]


COUNTED = (2_000, 2_300)  # from round, to round


def instructions(limit: Limit, folder: str) -> list[float]:
    """Instructions per round of our loop and of C."""
    counted = counter(folder)
    begin, end = COUNTED
    runner = our_runner(limit)
    ours = per_round(counted, runner, runner.loop, SEED, begin, end)

    in_c_at = [counted(in_c(limit, folder, rounds)) for rounds in COUNTED]
    return [ours, (in_c_at[1] - in_c_at[0]) / (end - begin)]


def main() -> None:
    if shutil.which("gcc") is None:
        print("Our loops against plain C: left out, there is no gcc here")
        return

    counting = "--instructions" in sys.argv
    chosen = [part for part in sys.argv[1:] if not part.startswith("--")]
    what = "instructions, rounds 2,000 to 2,300" if counting else "ns, 10^6 rounds"
    print(f"Our loops against plain C, {what}: per round of ours, of C, and the ratio")
    with tempfile.TemporaryDirectory() as folder:
        for label, limit in limits().items():
            if chosen and not any(part in label for part in chosen):
                continue
            if counting:
                ours_counted, c_counted = instructions(limit, folder)
                ratio = ours_counted / c_counted
                print(f"  {label:<34} {ours_counted:>7.0f} {c_counted:>7.0f} {ratio:>6.2f} x")
                continue
            ours, c = in_our_loop(limit), in_c(limit, folder)
            regrets = ours(), c()
            same = "same regret" if regrets[0] == regrets[1] else "regret {:g} and {:g}"
            time_ours, time_c = nanoseconds(ours, c)
            goal = f"at most {limit.goal:g}" if limit.goal else ""
            print(
                f"  {label:<34} {time_ours:>7.1f} {time_c:>7.1f} {time_ours / time_c:>6.2f} x   "
                f"{goal:<12} {same.format(*regrets)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
