"""Contribution 5 of the paper as a figure: up to which horizon an additive term dominates.

Late regret is A + B log T. The additive term dominates up to T* = exp(A / B). If A and B are both
linear in K but for a factor log K in A, log T* grows with log K: T* is a power of K. If A is
quadratic, log T* grows with K: T* is exponential.
"""

from __future__ import annotations

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.stats import linear_slope, log_log_slope, mean_of, verdict_of
from factored_bandits.lab.results import Results
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart, curves
from factored_bandits.report.claims import Claim

from ._duels import TEA, instances

ARMS = (16, 32, 64, 128, 256)
OTHERS = ("rmed1", "rucb")
LATE = 1e6  # from here on regret is logarithmic with all K that are run
FIGURE = "additive_horizons-curves"

SPEC = Spec(
    name="additive_horizons",
    title="Up to which horizon an additive term dominates",
    text="One arm beats every other with probability 0.95, T = 10^10. Late regret is A + B log T; "
    "A and B are those of the last four decades, and the additive term dominates up to "
    "T* = exp(A / B).",
    problems=instances(ARMS, 0.95, [10**10] * len(ARMS), "contribution 5"),
    policies=(TEA, *OTHERS),
    unit="average",
    quick=Preset(
        repetitions=40,
        problems=tuple(f"K={K}" for K in ARMS[:-1]),
        fewer=tuple((policy, 10) for policy in OTHERS),
    ),
    full=Preset(repetitions=100),
)


def claims(results: Results) -> list[Claim]:
    """T* is of order K for Dueling TEA; exponential in K for others, as their bounds have it."""
    arms = np.array([float(name.partition("=")[2]) for name in results.problems])
    own = [log_horizon(results, name, TEA) for name in results.problems]
    slope = linear_slope(np.log(arms), own)
    says = (
        'Section 1: the additive term of Dueling TEA "is only dominant for time horizons up to '
        'O(K)": log T* grows with log K by a slope below 1.5'
    )
    told = f"{TEA}: {slope}; {_told(results, own)}"
    verdict = verdict_of(1.5 - slope.value, slope.error, slope.degrees)
    unit = "log of the horizon up to which regret is mostly its additive term"
    found = [Claim("additive_horizons", says, told, verdict, FIGURE, unit)]

    for policy in OTHERS:
        own = [log_horizon(results, name, policy) for name in results.problems]
        slope = log_log_slope(arms, own)
        says = (
            f"the additive term of {policy} dominates up to exp(K), as in its bound (Section 1): "
            "log T* grows with a power of K above 0.5"
        )
        told = f"{policy}: {slope}; {_told(results, own)}"
        verdict = verdict_of(slope.value - 0.5, slope.error, slope.degrees)
        found.append(Claim("additive_horizons", says, told, verdict, FIGURE, unit, ours=True))

    return found


def log_horizon(results: Results, problem: str, policy: str) -> Floats:
    """A / B, the logarithm of T*, per repetition."""
    log_rounds = np.log(results.rounds(problem))
    curve = results.curve(problem, policy)
    last = curve[:, -1]
    early = np.array([np.interp(np.log(LATE), log_rounds, run) for run in curve])
    growth = (last - early) / (log_rounds[-1] - np.log(LATE))
    return np.asarray(last / growth - log_rounds[-1])


def _told(results: Results, own: list[Floats]) -> str:
    pairs = zip(results.problems, own, strict=True)
    return "; ".join(f"{name}: log T* = {mean_of(values)}" for name, values in pairs)


def charts(results: Results) -> list[Chart]:
    """Regret over ten decades."""
    return [curves(results.frame, FIGURE, "Regret over time: additive terms, then log T")]
