"""Processor time of compiling: each policy alone, and after others in the same process.

    python benchmarks/compiling.py [--ordinary] [LABEL...]

Two loops of each policy are compiled, the usual one and the one that walks through idle rounds. The
first column is a process that compiles nothing else (but uniform play, which loads the compiler),
the second one a process that has compiled all policies above. Nothing is read from the cache. With
--ordinary numba compiles as it does by itself, optimising every kernel on its own before the loop
that contains it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile

ONE_PROCESS = """
import contextlib, json, sys, time
import factored_bandits as fb
from factored_bandits.core import compiling

ordinary, *labels = sys.argv[1:]
if ordinary == "ordinary":
    from numba.core.compiler import Compiler
    compiling.KernelCompiler = Compiler
    for way in ("_inner_libraries", "shortcuts"):
        setattr(compiling, way, contextlib.nullcontext)

def seconds(label, **options):
    policy = fb.policies.make(label)
    duel = policy.info.kind == "duel"
    problem = fb.environments.identical_gap(5, 0.9) if duel else fb.environments.spiked(levels=3)
    begin = time.process_time()
    fb.simulate(policy, problem, 100, 1, progress=False, compiled=True, **options)
    return time.process_time() - begin

seconds("uniform")
print(json.dumps([[seconds(l), seconds(l, skip_idle=False)] for l in labels]))
"""


def compiled(*labels: str, ordinary: bool) -> list[list[float]]:
    """For each policy the seconds of its two loops, in a process of their own."""
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-c", ONE_PROCESS, "ordinary" if ordinary else "ours", *labels],
            env={**os.environ, "NUMBA_CACHE_DIR": cache},
            capture_output=True,
            text=True,
            check=True,
        )
    found: list[list[float]] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("labels", nargs="*", metavar="LABEL")
    parser.add_argument("--ordinary", action="store_true", help="as numba does it by itself")
    given = parser.parse_args()
    labels = given.labels or ["tea", "dueling_tea", "rmed1", "rmed2", "osub", "imed_ub"]
    alone = [compiled(label, ordinary=given.ordinary)[0] for label in labels]
    together = compiled(*labels, ordinary=given.ordinary)

    print(f"{'':20}  alone             after those above")
    for label, *pairs in zip(labels, alone, together, strict=True):
        cells = [f"{usual:6.1f} s {walking:6.1f} s" for usual, walking in pairs]
        print(f"{label:20}{'  '.join(cells)}")


if __name__ == "__main__":
    main()
