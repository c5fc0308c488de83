"""What an agent costs: its lock, its undoing, late answers, open decisions, compiled steps.

python benchmarks/agent.py [PART ...]     # of lock, undo, late, memory, flat, compiled, calls,
                                          # start; all by default

CPU time, the least of several; on a machine that does other things too, trust ratios.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import factored_bandits as fb
from factored_bandits.agent import learner
from factored_bandits.agent.step import PLAN, step
from factored_bandits.core.kernel import bind

FACTORS = {"x": list(range(16)), "y": list(range(16))}
ARMS = list(range(16))


def microseconds(work: Callable[[], Any], repeat: int = 2000, tries: int = 15) -> float:
    """Of one call, the least of several tries."""
    best = float("inf")
    for _ in range(tries):
        began = time.process_time()
        for _ in range(repeat):
            work()
        best = min(best, (time.process_time() - began) / repeat)
    return best * 1e6


def agent(name: str, size: int = 16, **more: Any) -> fb.Agent:
    """An agent for `size` x `size` levels, or for `size` arms."""
    if fb.policies.make(name).info.kind == "duel":
        return fb.Agent(name, arms=list(range(size)), **more)
    return fb.Agent(name, factors={"x": list(range(size)), "y": list(range(size))}, **more)


def lock() -> None:
    """The lock by itself, and all that a call does beside its work."""
    made = agent("uniform")
    made.tell(made.ask().id, 1.0)
    held = threading.RLock()

    def locked() -> None:
        with held:
            pass

    empty = microseconds(lambda: None)
    print("Microseconds of a call beside its work (target: the lock below 1)")
    print(f"  the lock               {microseconds(locked) - empty:6.2f}")
    print(f"  a call that reads      {microseconds(lambda: made._calls.read(int)) - empty:6.2f}")
    print(f"  a call that changes    {microseconds(lambda: made._calls.change(int)) - empty:6.2f}")


def undo() -> None:
    """An ask with its tell: with the copy that undoes a failure, and without one."""
    print("Microseconds of an ask with its tell; what the copy costs, and how large it is")
    without = learner.Learner.begin

    def no_copy(self: learner.Learner) -> int:
        if self._copy is None:
            without(self)
        return 0

    for name, size in (("uniform", 16), ("tea", 16), ("flat_ucb1", 16), ("dts", 16), ("dts", 128)):
        figures: dict[str, float] = {}
        for _ in range(3):
            for label, begin in (("with", without), ("without", no_copy)):
                learner.Learner.begin = begin  # type: ignore[method-assign]
                made = agent(name, size)
                taken = microseconds(lambda: made.tell(made.ask().id, 1.0), 300, 2)  # noqa: B023
                figures[label] = min(taken, figures.get(label, taken))
        learner.Learner.begin = without  # type: ignore[method-assign]
        kept = sum(array.nbytes for array in made._state)
        cost = figures["with"] - figures["without"]
        print(
            f"  {name:10s} {size:4d}  {figures['with']:7.1f}   of which the copy {cost:6.1f}   "
            f"{kept / 1024:8.1f} KiB"
        )


def late() -> None:
    """The longest call when the answer of the first of 10,000 decisions comes last."""
    print("Seconds of the last tell of 10,000 that comes for the first decision; then of learn()")
    for name in ("uniform", "tea", "lb_inf", "dts"):
        made = agent(name)
        ids = [made.ask().id for _ in range(10_000)]
        for identifier in ids[1:]:
            made.tell(identifier, 1.0)
        began = time.process_time()
        made.tell(1, 1.0)
        told = time.process_time()
        made.learn()
        print(f"  {name:10s} {told - began:8.4f} {time.process_time() - told:8.2f}")


def memory() -> None:
    """Bytes per decision that cannot be learned because the first one is open."""
    print("Bytes per decision behind one that was forgotten (554 before)")
    for name in ("flat_ucb1", "uniform", "tea"):
        made = agent(name, 4, expire_after=10**9)
        tracemalloc.start()
        made.ask()
        for _ in range(20_000):
            made.tell(made.ask().id, 1.0)
        used, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        print(f"  {name:10s} {used / 20_000:6.1f}")


MOST_GROWTH = 1.25  # of an agent's time and memory, from the first to the second half of its life


def flat() -> None:
    """A million decisions of which 1 % are never answered, and expire after 1,000 rounds."""
    print("A million decisions, 1 % never answered: per tenth the memory and the time of a call")
    made = agent("uniform", 4, expire_after=1000)
    rng = np.random.default_rng(1)
    medians, sizes = [], []
    for tenth in range(1, 11):
        taken = []
        for _ in range(100_000):
            began = time.process_time()
            decision = made.ask()
            if rng.random() >= 0.01:
                made.tell(decision.id, 1.0)
            taken.append(time.process_time() - began)
        middle, last = np.quantile(taken, [0.5, 0.999]) * 1e6
        size = len(made.dump())
        medians.append(middle)
        sizes.append(size)
        print(
            f"  {tenth:2d}  backlog {made.backlog:5d}  dump {size:7,} characters  "
            f"median {middle:6.1f} us  99.9 % {last:8.1f} us",
            flush=True,
        )
    for what, each in (("the median", medians), ("the dump", sizes)):
        growth = np.median(each[5:]) / np.median(each[:5])
        print(f"  {what}, second half over first: {growth:.2f} x   at most {MOST_GROWTH:g}")


TARGET = 150.0  # microseconds of an ask with its tell, compiled
SLICES = 12  # of ROUNDS each, in turn plain and compiled
ROUNDS = 100


def compiled() -> None:
    """Every policy in plain Python and compiled, on the same history; compiles what is not kept."""
    print("Microseconds of an ask with its tell, over slices of 100 rounds from the first on")
    print(f"{'':21s}  in plain Python      compiled, target {TARGET:.0f}")
    print(f"{'':21s}  {'median   worst':>15s}   {'median   worst':>15s}    times as fast")
    problems = [(name, agent_16(name)) for name in fb.policies.names()]
    problems += [(f"{name} 20^5", five_by_20(name)) for name in ("lb_inf", "logistic_thompson")]

    for title, make in problems:
        plain, quick = make(False), make(True)
        taken: dict[bool, list[float]] = {False: [], True: []}
        for _ in range(SLICES):
            for made in (plain, quick):
                taken[made.compiled].append(slice_of(made))
        if plain.dump() != quick.dump():
            raise SystemExit(f"{title}: the two forms differ")

        middle = {form: float(np.median(each)) for form, each in taken.items()}
        print(
            f"{title:21s}  {middle[False]:7.0f} {max(taken[False]):7.0f}   "
            f"{middle[True]:7.0f} {max(taken[True]):7.0f}   "
            f"{middle[False] / middle[True]:6.1f}  "
            f"{'' if middle[True] <= TARGET else 'above the target'}",
            flush=True,
        )


def agent_16(name: str) -> Callable[[bool], fb.Agent]:
    """16 x 16 levels, or 16 arms."""
    return lambda form: agent(name, 16, horizon=10**5, seed=1, compiled=form)


def five_by_20(name: str) -> Callable[[bool], fb.Agent]:
    """Five factors of 20 levels."""
    factors = {f"factor {l}": list(range(20)) for l in range(5)}
    return lambda form: fb.Agent(name, factors=factors, seed=1, compiled=form)


def slice_of(made: fb.Agent) -> float:
    """Microseconds of a round; rewards depend on the action and the round only."""
    rewards = np.random.default_rng(made.status().asked).random(ROUNDS)
    several = made.policy.info.feedback == "semi-bandit"
    began = time.process_time()
    for reward in rewards.tolist():
        decision = made.ask()
        good = float(reward < 0.3 + 0.02 * decision.action[0])
        made.tell(decision.id, [good, 1.0] if several else good)
    return (time.process_time() - began) / ROUNDS * 1e6


def calls() -> None:
    """One compiled step in the ways in which it can be called."""
    print("Microseconds of one call of a step, the least of 9 tries: learn, plan")
    ways = ("plain Python", "bind", "dispatcher", "entry point")
    print(f"{'':19s}" + "".join(f"{way:>17s}" for way in ways))
    for name in ("marginal_thompson", "tea", "dueling_uniform"):
        made = agent(name, compiled=True)
        steps, module = made._learner.steps, made.policy.module
        known = (steps._params, steps._state, 1)
        arrays = (steps._actions, steps._rewards)
        one = (steps._actions[:1].copy(), steps._rewards[:1].copy())
        bound: Any = bind(step, name, plan=module.plan, learn=module.learn)
        rng, drawn = made._generator, steps._drawn
        works = [
            (partial(module.learn, *known, *one), partial(module.plan, *known, rng, arrays[0])),
        ]
        for call, draws in ((bound, rng), (bound.dispatcher, drawn), (steps._entry, drawn)):
            given = (*known, draws, *arrays)
            works.append((partial(call, *given, 1), partial(call, *given, PLAN)))
        shown = [[microseconds(work, 1000, 9) for work in pair] for pair in works]
        print(f"  {name:17s}" + "".join(f"{learn:9.1f} {plan:7.1f}" for learn, plan in shown))


START = """
import sys, time
from time import process_time as now
begin = now()
import factored_bandits as fb
from factored_bandits import Agent
imported = now()
factors = {"x": list(range(16)), "y": list(range(16))}
agent = Agent("lb_inf", factors=factors, compiled=FORM)
made = now()
Agent("lb_inf", factors=factors, compiled=FORM)
print(imported - begin, made - imported, now() - made, "numba" in sys.modules)
"""


def start() -> None:
    """The first seconds of a process: import, the first agent, the second one."""
    print("Milliseconds of a new process, the least of 7: import, first Agent, second Agent")
    for form in (False, "auto", True):
        found = []
        for _ in range(7):
            code = f"FORM = {form!r}\n{START}"
            run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            *times, numba = run.stdout.split()
            found.append([1000 * float(each) for each in times])
        least = np.min(found, axis=0)
        print(
            f"  compiled={form!s:6s} {least[0]:7.0f} {least[1]:7.0f} {least[2]:7.1f}   "
            f"numba imported: {numba}"
        )


PARTS = {
    "lock": lock,
    "undo": undo,
    "late": late,
    "memory": memory,
    "flat": flat,
    "compiled": compiled,
    "calls": calls,
    "start": start,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"which of {', '.join(PARTS)}; all by default")
    for part in parser.parse_args().parts or PARTS:
        PARTS[part]()


if __name__ == "__main__":
    main()
