"""How time and memory grow with the number of arms: `python benchmarks/growth.py [POLICY...]`.

Nanoseconds of processor time per round, idle rounds played like others, one best arm (p = 0.7):
over the first K^2 / 20 rounds, in which pairs have hardly met, and over the first K^2, which is the
early phase and what follows. Least of several runs for few arms. The exponent is that of the line
between the ends.
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np

import factored_bandits as fb
from factored_bandits.policies.footprint import state_bytes
from factored_bandits.simulation.runner import Runner

SIZES = (64, 256, 1024)
PHASES = {"first K^2 / 20 rounds": 0.05, "first K^2 rounds": 1.0}
POLICIES = ("dts", "rmed1")
GOAL = 1.2
MOST_MIB = {"rmed1": 257}
SECONDS = 3.0  # after which no run is repeated


def seconds(name: str, arms: int, rounds: int) -> float:
    problem = fb.environments.identical_gap(arms, 0.7)
    policy = fb.policies.make(name)
    runner = Runner(policy, problem, np.array([rounds]), 1, skip_idle=False)
    least = math.inf
    spent = 0.0
    while spent < SECONDS:
        began = time.process_time()
        runner.repetition(0, lambda index, t: False)
        least = min(least, time.process_time() - began)
        spent += time.process_time() - began
    return least


def main() -> None:
    for name in sys.argv[1:] or POLICIES:
        seconds(name, SIZES[0], 1)  # compiles
        for phase, share in PHASES.items():
            found = []
            for arms in SIZES:
                rounds = int(share * arms**2)
                found.append((seconds(name, arms, rounds) - seconds(name, arms, 1)) / rounds * 1e9)
            exponent = math.log(found[-1] / found[0]) / math.log(SIZES[-1] / SIZES[0])
            times = ", ".join(f"K = {k}: {ns:,.0f} ns" for k, ns in zip(SIZES, found, strict=True))
            print(f"  {name}, {phase}: K^{exponent:.2f}, at most K^{GOAL}   ({times})", flush=True)

        mib = state_bytes(fb.policies.make(name), np.array([4096, 4096])) / 2**20
        goal = f", at most {MOST_MIB[name]}" if name in MOST_MIB else ""
        print(f"  {name}, K = 4096: {mib:.0f} MiB{goal}", flush=True)


if __name__ == "__main__":
    main()
