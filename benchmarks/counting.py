"""Instructions that a call takes, counted one by one: the same number whatever else is running."""

from __future__ import annotations

import ctypes
import math
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from factored_bandits.core.extensions.drawing import quick
from factored_bandits.core.rng import generators
from factored_bandits.core.run import ROUND
from factored_bandits.simulation.runner import Runner

Counter = Callable[[Callable[[], object]], int]


def counter(folder: str) -> Counter:
    """A function that calls another one and says how many instructions that took.

    It is compiled by gcc into `folder`.
    """
    library = Path(folder) / "count.so"
    if not library.exists():
        source = Path(__file__).with_name("count.c")
        command = ["gcc", "-O2", "-fPIC", "-shared", str(source), "-o", str(library)]
        subprocess.run(command, check=True)
    counting = ctypes.CDLL(str(library))
    counting.stop.restype = ctypes.c_uint64

    def counted(work: Callable[[], object]) -> int:
        counting.start()
        work()
        return int(counting.stop())

    return counted


def per_round(
    counted: Counter, runner: Runner, loop: Any, seed: int, begin: int, end: int
) -> float:
    """Instructions per round of a compiled loop, about from one round to another.

    What a call with no round to play takes is taken off. nan if there was none left to play.
    """
    own, noise = generators(seed)
    state = runner.new_state()
    run = runner.prepare(noise, state)
    given = (runner.params, state, runner.environment.data, run, quick(own), quick(noise))
    loop(*given, begin)
    play = loop.dispatcher
    empty = min(counted(lambda: play(*given, 0)) for _ in range(3))  # the first one binds
    first = int(run.clock[ROUND])
    spent = counted(lambda: play(*given, end - begin)) - empty
    rounds = int(run.clock[ROUND]) - first
    return spent / rounds if rounds else math.nan
