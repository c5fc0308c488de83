"""Compiling ahead of time: many loops, side by side, in as many processes as there are cores."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from factored_bandits.core import loop
from factored_bandits.core.kept import may_be_kept
from factored_bandits.core.progress import Progress
from factored_bandits.environments import Environment, identical_gap, make, spiked
from factored_bandits.policies import Policy

from .compilers import COMPILERS, Job
from .runner import Runner
from .tiers import can_be_elsewhere

COMPILING = "compiling (once; kept for next time)"
HORIZON = np.array([1_000])  # of the runs that are compiled for; loops do not depend on it


class Warmed(NamedTuple):
    """What came of it."""

    compiled: int  # loops that are there now, and were not before
    failed: list[str]  # labels of policies that could not be compiled, or kept


def runners_of(policy: Policy, moving: bool = False) -> list[Runner]:
    """A runner for every loop of a policy: problems of a kind share one."""
    if policy.info.kind == "duel":
        problems: list[Environment] = [identical_gap(4, 0.8)]
    else:
        problems = [spiked(3)]
        if policy.info.narrow:
            problems.append(make("rank1", factors=[[0.5, 0.4]] * 3))
        if moving and policy.info.feedback != "semi-bandit":
            effects = [[0.0, 0.1], [0.0, 0.1]]
            problems.append(make("stochastically_constrained", effects=effects, base=0.3))
    return [Runner(policy, problem, HORIZON, seed=0) for problem in problems]


def warm_up(runners: Iterable[Runner], progress: bool = True) -> Warmed:
    """Compile the loops of runners that are not on disk yet, and wait for that.

    Parameters
    ----------
    runners
        Policies on problems; what cannot be compiled elsewhere is passed over.
    progress
        Show a progress bar if it takes more than two seconds.

    Returns
    -------
    Warmed
        How many were compiled, and which failed.
    """
    missing = _missing(runners)
    jobs = [COMPILERS.want(group) for group in missing]
    try:
        with Progress(COMPILING, len(jobs), progress) as bar:
            while not all(job.ended for job in jobs):
                COMPILERS.poll()
                bar.update(sum(job.ended for job in jobs), _running(jobs))
                time.sleep(0.05)
    finally:
        for job in jobs:
            COMPILERS.leave(job)

    done = sum(len(job.names) for job in jobs if not job.failed)
    return Warmed(done, [job.label for job in jobs if job.failed])


def compile_here(runners: Iterable[Runner], progress: bool = True) -> None:
    """Compile the loops of runners that are not on disk yet in this process, which will play them.

    Parameters
    ----------
    runners
        Policies on problems; those of one's own are compiled when they play.
    progress
        Show a progress bar if it takes more than two seconds.
    """
    missing = [runner for group in _missing(runners) for runner in group]
    with Progress(COMPILING, len(missing), progress) as bar:
        for i, runner in enumerate(missing):
            bar.update(i, runner.policy.label)
            runner.compile()


def _running(jobs: Sequence[Job]) -> str:
    """Which policies are being compiled."""
    return ", ".join(job.label for job in jobs if job.running)


def _missing(runners: Iterable[Runner]) -> list[list[Runner]]:
    """Those that are not there yet, each once; per policy, since its loops share kernels."""
    groups: dict[str, dict[str, Runner]] = {}
    for runner in runners:
        if can_be_elsewhere(runner) and not may_be_kept(loop.play, runner.loop_name):
            groups.setdefault(runner.policy.name, {})[runner.loop_name] = runner
    return [list(group.values()) for group in groups.values()]
