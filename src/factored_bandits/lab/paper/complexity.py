"""Section 5.1 of the paper, memory and computation per round against the number of levels."""

from __future__ import annotations

from functools import partial

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.stats import Slope, log_log_slope, mean_of, verdict_of
from factored_bandits.core.table import Table
from factored_bandits.environments import spiked
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.results import Results, all_of
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.policies import make
from factored_bandits.policies.footprint import state_bytes
from factored_bandits.report.charts import Chart
from factored_bandits.report.claims import Claim

LEVELS = (64, 128, 256, 512)
ORDERS = {"tea": 2, "rank1_elim": 1}  # the power of K in Section 5.1

SPEC = Spec(
    name="complexity",
    title="Memory and time against the number of levels",
    text="K x K levels, u* v* = 0.75, gaps 0.2. Memory is that of the state; time is processor "
    "time of a round, all else included, on the machine that ran it.",
    problems=tuple(
        Instance(f"K={K}", partial(spiked, K, 0.75, 0.2), 2 * 10**5, "Section 5.1") for K in LEVELS
    ),
    policies=tuple(ORDERS),
    unit="reward",
    quick=Preset(repetitions=5),
    full=Preset(repetitions=20),
)


def claims(results: Results) -> list[Claim]:
    """The orders of Section 5.1; both are upper bounds."""
    memory = {policy: memory_slope(policy) for policy in ORDERS}
    verdicts = [
        verdict_of(order + 0.5 - memory[policy].value, 0.0, 1) for policy, order in ORDERS.items()
    ]
    # "inferior" is said of TEA: its memory must be above linear
    verdicts.append(verdict_of(memory["tea"].value - 1.5, 0.0, 1))
    told = [
        f"{policy}: slope {memory[policy].value:.2f}, {_bytes(policy, LEVELS[-1]):,.0f} bytes for "
        f"{LEVELS[-1]} x {LEVELS[-1]} levels"
        for policy in ORDERS
    ]
    space = Claim(
        experiment="complexity",
        says='Section 5.1: memory of TEA is "O(sum K^2)", "as opposed to rank-1 Elimination that '
        'only requires O(K1 + K2)": slopes of 2 and 1 against K',
        measured="; ".join(told),
        verdict=all_of(verdicts),
        unit="slope of log bytes against log K",
    )

    fits = {policy: time_slope(results, policy) for policy in ORDERS}
    verdicts = [
        verdict_of(order + 0.5 - fits[policy].value, fits[policy].error, fits[policy].degrees, 2)
        for policy, order in ORDERS.items()
    ]
    last = results.problems[-1]
    told = [
        f"{policy}: {fits[policy]}, {1e9 * seconds(results, last, policy).mean():,.0f} ns a round "
        f"at {last}"
        for policy in ORDERS
    ]
    time = Claim(
        experiment="complexity",
        says="Section 5.1: a round of TEA takes at most of the order of sum K^2, one of Rank1Elim "
        "of K1 + K2: slopes below 2.5 and 1.5 against K",
        measured="; ".join(told),
        verdict=all_of(verdicts),
        unit="slope of log processor time against log K",
    )
    return [space, time]


def memory_slope(policy: str) -> Slope:
    """Bytes of a state against K, exactly."""
    return log_log_slope(np.array(LEVELS), [np.full(2, _bytes(policy, K)) for K in LEVELS])


def _bytes(policy: str, K: int) -> float:
    return state_bytes(make(policy), np.array([K, K]))


def time_slope(results: Results, policy: str) -> Slope:
    """Processor time of a round against K."""
    every = [seconds(results, problem, policy) for problem in results.problems]
    return log_log_slope(np.array([float(name[2:]) for name in results.problems]), every)


def seconds(results: Results, problem: str, policy: str) -> Floats:
    """Processor time of a round, per repetition."""
    frame = results.frame
    last = results.rounds(problem)[-1]
    chosen = frame[(frame.problem == problem) & (frame.policy == policy) & (frame["round"] == last)]
    return np.asarray(chosen.seconds.to_numpy(dtype=np.float64) / last)


def table(results: Results) -> Table:
    """Bytes and nanoseconds for each K."""
    rows = []
    for problem, K in zip(results.problems, LEVELS, strict=True):
        cells = []
        for policy in ORDERS:
            time = mean_of(1e9 * seconds(results, problem, policy))
            cells += [f"{_bytes(policy, K):,.0f}", str(time)]
        rows.append((problem, *cells))

    columns = ("levels", "tea: bytes", "ns a round", "rank1_elim: bytes", "ns a round")
    return Table("Memory of a state, processor time of a round", columns, rows, "mean +- s.e.")


def charts(results: Results) -> list[Chart]:
    """None: the table has all numbers."""
    return []
