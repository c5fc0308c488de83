"""What an agent costs: its lock, its undoing, late answers, open decisions.

python benchmarks/agent.py [PART ...]     # of lock, undo, late, memory, flat; all by default

CPU time, the least of several; on a machine that does other things too, trust ratios.
"""

from __future__ import annotations

import argparse
import threading
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import factored_bandits as fb
from factored_bandits.agent import learner

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


def flat() -> None:
    """A million decisions of which 1 % are never answered, and expire after 1,000 rounds."""
    print("A million decisions, 1 % never answered: per tenth the memory and the time of a call")
    made = agent("uniform", 4, expire_after=1000)
    rng = np.random.default_rng(1)
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
        print(
            f"  {tenth:2d}  backlog {made.backlog:5d}  dump {size:7,} characters  "
            f"median {middle:6.1f} us  99.9 % {last:8.1f} us"
        )


PARTS = {"lock": lock, "undo": undo, "late": late, "memory": memory, "flat": flat}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"which of {', '.join(PARTS)}; all by default")
    for part in parser.parse_args().parts or PARTS:
        PARTS[part]()


if __name__ == "__main__":
    main()
