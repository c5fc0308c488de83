"""Everything that has a target, measured: `make bench`, or `python benchmarks/run.py [PART ...]`.

Each part is a process of its own and is ended after its time, so that the whole ends, too. Names of
policies instead of parts: what a step of each costs. Processor time, the least of several runs; on
a machine that does other things as well, trust ratios within one part.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Part(NamedTuple):
    """A part of the benchmark: a script of this folder, and after how many minutes it is ended."""

    command: tuple[str, ...]
    minutes: float
    about: str


PARTS = {
    "limit": Part(("limit",), 10, "our loops against plain C"),
    "growth": Part(("growth.py",), 10, "time and memory against the number of arms"),
    "agent": Part(("agent.py", "lock", "compiled", "flat"), 15, "an ask with its tell"),
    "compile": Part(("ratios.py", "compile"), 15, "compiling the loops of all policies"),
    "report": Part(("report.py",), 5, "the report of ./laboratory, if there is one"),
    "start": Part(("ratios.py", "start"), 1, "starting"),
    "active": Part(("ratios.py", "active"), 2, "nobody is ever eliminated"),
    "policies": Part(("ratios.py", "policies"), 15, "a step of every policy"),
    "neighbourhoods": Part(("ratios.py", "neighbourhoods"), 5, "the unimodal family"),
    "arms": Part(("ratios.py", "growth"), 3, "dueling_tea against the number of arms"),
    "horizon": Part(("ratios.py", "horizon"), 3, "10^12 rounds"),
    "literal": Part(("ratios.py", "literal"), 3, "the pseudo-code as it is written"),
    "memory": Part(("ratios.py", "memory"), 3, "memory of 4096 arms"),
    "engines": Part(("ratios.py", "engines"), 5, "what a task of the laboratory costs"),
}


def run(part: Part) -> str:
    """Run a part to its end, or to the end of its time; what there is to say of it."""
    script, *arguments = part.command
    began = time.monotonic()
    # A session of its own, so that the processes it has started end with it.
    process = subprocess.Popen(
        [sys.executable, str(HERE / script), *arguments], start_new_session=True
    )
    try:
        code = process.wait(timeout=60 * part.minutes)
    except subprocess.TimeoutExpired:
        return f"cut off after {part.minutes:g} minutes"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
    seconds = time.monotonic() - began
    return f"{seconds:.0f} s" if code == 0 else f"left out or failed (exit code {code})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "parts", nargs="*", help=f"which of {', '.join(PARTS)}; all by default; or policies"
    )
    given = parser.parse_args().parts
    chosen = {name: PARTS[name] for name in given or PARTS if name in PARTS}
    policies = tuple(name for name in given if name not in PARTS)
    if policies:
        chosen["policies named"] = Part(("ratios.py", *policies), 15, ", ".join(policies))

    print(f"At most {sum(part.minutes for part in chosen.values()):g} minutes", flush=True)
    ends = {}
    for name, part in chosen.items():
        print(f"\n== {name}: {part.about}", flush=True)
        ends[name] = run(part)

    print("\n== how the parts ended")
    for name, end in ends.items():
        print(f"  {name:<16} {end}")


if __name__ == "__main__":
    main()
