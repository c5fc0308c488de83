"""Speed, as ratios measured in one run: `python benchmarks/ratios.py PART ...`, or policies.

Each figure is the least of several runs, policies interleaved, on one worker, in processor time.
`run.py` runs all parts, each in a process of its own.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import factored_bandits as fb
from factored_bandits.simulation.runner import Runner
from factored_bandits.simulation.warming import warm_up

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

ROUNDS = 2_000_000
MOST_SECONDS = 130.0  # of a processor, to compile the loops of all policies
MOST_START = 0.25  # seconds of `import factored_bandits` and of --help
MOST_MEMORY = 2.0  # GiB


def target(name: str, index: int) -> str:
    """What a policy is held to: at 16 x 16 levels or 16 arms, then at 128 arms."""
    limits = fb.policies.make(name).info.slowdown
    return f"at most {limits[index]}" if index < len(limits) else ""


def flat(kind: str, size: int) -> fb.environments.Environment:
    """A problem without differences: nobody is ever eliminated, so all arms stay active."""
    if kind == "duel":
        return fb.environments.make("duel_utility", utilities=[0.0] * size)
    return fb.environments.make("rank1", factors=[[0.7] * size] * 2)


def compile_first(
    policy: object, problem: fb.environments.Environment, skip_idle: bool = True
) -> None:
    """Put the loop on disk if it is not: a simulation would start in plain Python meanwhile."""
    points = np.array([ROUNDS])
    warm_up([Runner(fb.policies.make(policy), problem, points, seed=0, skip_idle=skip_idle)])


def nanoseconds(jobs: dict[str, tuple[object, object, float]], tries: int = 5) -> dict[str, float]:
    """Nanoseconds per step, the least over `tries` interleaved runs.

    What a run of one round takes, for its start and its result, is taken off.
    """
    for policy, problem, _ in jobs.values():
        compile_first(policy, problem)
    least: dict[tuple[str, float], float] = {}
    for _ in range(tries + 1):  # the first one loads
        for label, (policy, problem, rounds) in jobs.items():
            for length in (1, rounds):
                began = time.process_time()
                fb.simulate(
                    policy, problem, length, repetitions=1, workers=1, checkpoints=2, progress=False
                )
                least[label, length] = min(
                    least.get((label, length), float("inf")), time.process_time() - began
                )
    return {
        label: (least[label, job[2]] - least[label, 1]) / job[2] * 1e9
        for label, job in jobs.items()
    }


def row(text: str, value: float, target: str, detail: str = "") -> None:
    print(f"  {text:<58} {value:>9.2f} x   {target:<14} {detail}")


def all_arms_active() -> None:
    print("All arms active, relative to uniform play on the same problem")
    pairs, duels = flat("factored", 16), flat("duel", 16)
    ns = nanoseconds(
        {
            "uniform": ("uniform", pairs, ROUNDS),
            "tea": ("tea", pairs, ROUNDS),
            "dueling_uniform": ("dueling_uniform", duels, ROUNDS),
            "dueling_tea": ("dueling_tea", duels, ROUNDS),
        }
    )
    for name, floor in (("tea", "uniform"), ("dueling_tea", "dueling_uniform")):
        detail = f"{ns[name]:.0f} ns against {ns[floor]:.0f} ns"
        row(
            f"{name}, {'16 x 16' if name == 'tea' else 'K = 16'}",
            ns[name] / ns[floor],
            "at most 4",
            detail,
        )


def each_policy(*names: str) -> None:
    """Every policy, or those named, relative to uniform play in the same run."""
    print(
        "ns per step relative to uniform play, one best level (factored 16 x 16; duels K = 16 and "
        "K = 128)"
    )
    problems = {
        "factored": {"16 x 16": fb.environments.spiked(16, 0.75, 0.2)},
        "duel": {f"K = {k}": fb.environments.identical_gap(k, 0.7) for k in (16, 128)},
    }
    for kind, floor in (("factored", "uniform"), ("duel", "dueling_uniform")):
        for index, (label, problem) in enumerate(problems[kind].items()):
            for name in names or fb.policies.names(kind):
                if fb.policies.describe(name).info.kind == kind and name != floor:
                    ns = nanoseconds({n: (n, problem, 100_000) for n in (floor, name)})
                    detail = f"{ns[name]:.0f} ns against {ns[floor]:.0f} ns"
                    row(f"{name}, {label}", ns[name] / ns[floor], target(name, index), detail)


def neighbourhoods() -> None:
    print("The unimodal family: a step relative to 16 x 16 (30 neighbours), per neighbour")
    sizes = {30: (16, 16), 57: (20,) * 3, 95: (20,) * 5}
    problems = {
        degree: fb.environments.make(
            "rank1", factors=[[0.95] + [0.3] * (size - 1) for size in shape]
        )
        for degree, shape in sizes.items()
    }
    for name in ("unimodal_thompson", "imed_ub", "osub"):
        ns = nanoseconds(
            {str(degree): (name, problem, 200_000) for degree, problem in problems.items()}
        )
        for degree in (57, 95):
            ratio = ns[str(degree)] / ns["30"] * 30 / degree
            text = " x ".join(map(str, sizes[degree]))
            row(
                f"{name}, {text}, {degree} neighbours",
                ratio,
                "at most 2",
                f"{ns[str(degree)]:.0f} ns, {ns['30']:.0f} ns",
            )


def growth() -> None:
    print("Growth of dueling_tea with the number of arms, all active")
    sizes = (16, 128, 1024)
    ns = nanoseconds({str(k): ("dueling_tea", flat("duel", k), ROUNDS) for k in sizes})
    for k in sizes[1:]:
        row(
            f"K = {k} relative to K = 16",
            ns[str(k)] / ns["16"],
            "at most 2",
            f"{ns[str(k)]:.0f} ns",
        )


def horizon() -> None:
    print("A long horizon, 16 x 16 rank one: whole runs")
    problem = fb.environments.spiked(16, 0.75, 0.2)
    seconds: dict[float, float] = {}
    for _ in range(5):  # the first one compiles
        for rounds in (1e7, 1e12):
            began = time.process_time()
            fb.simulate("tea", problem, rounds, repetitions=6, workers=1, progress=False)
            seconds[rounds] = min(
                seconds.get(rounds, float("inf")), (time.process_time() - began) / 6
            )
    row(
        "10^12 rounds relative to 10^7",
        seconds[1e12] / seconds[1e7],
        "at most 3",
        f"{seconds[1e12]:.2f} s a run",
    )


def literal_against_kernel() -> None:
    from oracles import literal

    print(
        "Literal transcription of the pseudo-code, compiled too, relative to the fast form, 16 x 16"
    )
    problem = fb.environments.spiked(16, 0.75, 0.2)
    rounds = 1_000_000
    runs = {}
    for label, policy in (("fast", "tea"), ("literal", literal)):
        compile_first(policy, problem, skip_idle=False)
        fb.simulate(policy, problem, 1000, repetitions=1, skip_idle=False, progress=False)
        began = time.process_time()
        result = fb.simulate(
            policy, problem, rounds, repetitions=1, workers=1, skip_idle=False, progress=False
        )
        runs[label] = (time.process_time() - began, result)
    same = all(
        np.array_equal(a, b)
        for a, b in zip(runs["fast"][1].plays, runs["literal"][1].plays, strict=True)
    )
    ns = {label: seconds / rounds * 1e9 for label, (seconds, _) in runs.items()}
    detail = f"same plays: {same}; {ns['literal']:.0f} ns against {ns['fast']:.0f}"
    row("every round played", runs["literal"][0] / runs["fast"][0], "", detail)
    jumped = nanoseconds({"tea": ("tea", problem, rounds)})["tea"]
    row("idle rounds jumped over", ns["literal"] / jumped, "", f"{jumped:.0f} ns")


def memory() -> None:
    print("Memory of dueling_tea, K = 4096, 10^7 rounds (the state is O(K^2))")
    code = (
        "import resource, factored_bandits as fb\n"
        "problem = fb.environments.identical_gap(4096, 0.95)\n"
        "fb.simulate('dueling_tea', problem, 1e7, repetitions=1, progress=False)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)"
    )
    peak = float(
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
    )
    print(f"  peak {peak:.2f} GiB   at most {MOST_MEMORY:g}")


COMPILE = """
import sys, time
import factored_bandits as fb
from factored_bandits.simulation.warming import runners_of
import numba
def seconds(work):
    began = time.process_time()
    work()
    return time.process_time() - began
runner, *_ = runners_of(fb.policies.make(sys.argv[1]))
print(seconds(runner.compile), numba.__version__)
"""


def compiling() -> None:
    print("Compiling the loop of each policy, processor seconds in a fresh process: cold / loaded")
    total = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name in fb.policies.names():
            seconds = []
            for _ in range(2):
                done = subprocess.run(
                    [sys.executable, "-c", COMPILE, name],
                    env={**os.environ, "NUMBA_CACHE_DIR": folder},
                    capture_output=True,
                    text=True,
                    check=True,
                )
                seconds.append(float(done.stdout.split()[0]))
            total += seconds[0]
            print(f"  {name:<58} {seconds[0]:>9.2f} / {seconds[1]:.2f}", flush=True)
    print(f"  {'all policies':<58} {total:>9.2f}     at most {MOST_SECONDS:g}")


def start_up() -> None:
    print("Start-up, seconds, bytecode cached (the interpreter alone in brackets)")
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def seconds(*arguments: str) -> float:
        times = []
        for _ in range(7):
            began = time.perf_counter()
            subprocess.run(
                [sys.executable, *arguments], env=variables, capture_output=True, check=True
            )
            times.append(time.perf_counter() - began)
        return min(times)

    bare = seconds("-c", "pass")
    package = seconds("-c", "import factored_bandits")
    target = f"at most {MOST_START}"
    print(f"  import factored_bandits      {package:.3f} ({bare:.3f})   {target}")
    command = seconds("-m", "factored_bandits.cli", "--help")
    print(f"  factored-bandits --help      {command:.3f} ({bare:.3f})   {target}")


ENGINES = """
name = "bench"
policies = ["tsallis_inf", "flat_ucb1"]
seconds = 1
[[problems]]
problem = "rank1"
[quick]
horizon = {horizon}
repetitions = {repetitions}
"""


def engines() -> None:
    """The same tasks in this process and in two others, then twice as many.

    The difference is what a task costs beside its work.
    """
    from joblib.externals.loky import get_reusable_executor

    from factored_bandits import lab

    def run(engine: lab.Engine, repetitions: int) -> tuple[float, float, float, int]:
        """Wall clock, seconds of all processors, seconds inside repetitions, tasks."""
        spec = lab.parse(ENGINES.format(horizon=1_000_000, repetitions=repetitions))
        with tempfile.TemporaryDirectory() as folder:
            wall, used = time.perf_counter(), processors()
            [found] = lab.run([spec], "quick", Path(folder), engine, progress=False)
            wall = time.perf_counter() - wall
            if engine.name == "processes":
                get_reusable_executor().shutdown(wait=True)  # then its seconds count
            used = processors() - used
        last = found.frame[found.frame["round"] == found.frame.horizon]
        return wall, used, float(last.seconds.sum()), len(lab.make_tasks(spec, "quick"))

    print("Engines: tasks of about a second; work = seconds of a processor inside repetitions")
    run(lab.Engine(workers=1), 1)  # compiles
    found = {}
    for workers, repetitions in ((1, 20), (2, 20), (2, 40)):
        found[workers, repetitions] = run(lab.Engine(workers=workers), repetitions)
        wall, used, work, tasks = found[workers, repetitions]
        print(f"  workers {workers}, tasks {tasks}: {work:.1f} s of work in {wall:.1f} s")
        print(
            f"    {used:.1f} s used; efficiency {work / wall / workers:.0%} by the clock, "
            f"{work / used:.0%} by processor time"
        )

    _, used, work, tasks = found[2, 20]
    _, used_twice, work_twice, tasks_twice = found[2, 40]
    each = ((used_twice - work_twice) - (used - work)) / (tasks_twice - tasks)
    start = used - work - tasks * each
    print(f"  2 workers: {start:.1f} s to start, then {each * 1e3:.0f} ms per task beside its work")
    share = each / (work_twice / tasks_twice)
    row("engine overhead per task, relative to its work", share, "below 0.05")


def processors() -> float:
    """Seconds of a processor that this process and its finished children have used."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in found)


PARTS = {
    "active": all_arms_active,
    "policies": each_policy,
    "neighbourhoods": neighbourhoods,
    "growth": growth,
    "horizon": horizon,
    "literal": literal_against_kernel,
    "memory": memory,
    "engines": engines,
    "compile": compiling,
    "start": start_up,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="+", help=f"which of {', '.join(PARTS)}; or policies")
    chosen = parser.parse_args().parts
    named = [part for part in chosen if part not in PARTS]
    for part in chosen:
        if part in PARTS:
            PARTS[part]()
    if named:
        each_policy(*named)
    print(
        "Peak memory of this process "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB"
    )


if __name__ == "__main__":
    main()
