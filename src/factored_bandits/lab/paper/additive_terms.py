"""The paper's central point on duels: what is paid before log T counts is O(K) for TEA, and K times
that for others.

Regret against K at a fixed horizon, on log-log axes; slopes are fitted per repetition over the
larger half of the K's.
"""

from __future__ import annotations

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.lab.results import Mean, Results, mean_of
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart, slopes
from factored_bandits.report.claims import Claim, Verdict, verdict_of

from ._duels import TEA, instances

P, BLIND = 0.95, 0.9  # the winner's chance; from which share of uniform play on nothing was learned
ARMS = (8, 16, 32, 64, 128, 256, 512)
ORDERS = {
    TEA: 1,
    "rmed1": 2,
    "rmed2": 2,
    "rucb": 2,
    "multi_sbm": 2,
    "dts": 3,
}  # of the additive terms, Section 5.2

SPEC = Spec(
    name="additive_terms",
    title="Regret against the number of arms, at a fixed horizon",
    text="One arm beats every other with chance 0.95. At a fixed horizon the regret of an algorithm grows with K like "
    "its additive term, once that dominates; a slope of 1 is linear in K, 2 quadratic.",
    problems=instances(ARMS, P, [10**6] * len(ARMS), "Section 5.2, the third criterion"),
    policies=(*ORDERS, "rmed2fh", "sparring", "vdb"),
    unit="average",
    quick=Preset(repetitions=5, horizon=3 * 10**5, problems=tuple(f"K={K}" for K in ARMS[:-1])),
    full=Preset(repetitions=20),
)


def claims(results: Results) -> list[Claim]:
    """The orders that Section 5.2 gives; a slope decides if it is nearer to its order than to a
    neighbour's.
    """
    found = []
    for policy, order in ORDERS.items():
        slope = slope_of(results, policy)
        measured = f"slope {slope.value:.2f} +- {slope.error:.2f} over {', '.join(larger(results))}"
        if order == 1:
            verdict: Verdict = verdict_of(1.5 - slope.value, slope.error)
            says = "Section 5.2: Dueling TEA has no additive term above O(K): the slope against K is below 1.5"
        else:
            verdict = verdict_of(slope.value - (order - 0.5), slope.error)
            says = f"Section 5.2: an additive O(K^{order}) dominates {policy}: the slope is above {order - 0.5:g}"
        share = blindness(results, policy)
        if share > BLIND:  # then the horizon limits its regret, and the slope says nothing
            verdict = "undecided"
            measured = f"{measured}; but it still plays blindly ({share:.0%} of uniform play)"
        found.append(Claim("additive_terms", says, measured, verdict, "additive_terms-slopes"))

    return found


def blindness(results: Results, policy: str) -> float:
    """Regret with the largest K, as a share of what uniform play would have."""
    last = results.problems[-1]
    arms = float(last.partition("=")[2])
    uniform = (P - 0.5) * (1.0 - 1.0 / arms) * float(results.rounds(last)[-1])
    return results.mean(last, policy).value / uniform


def larger(results: Results) -> list[str]:
    """The larger half of the problems, where additive terms show."""
    return results.problems[len(results.problems) // 2 :]


def slope_of(results: Results, policy: str) -> Mean:
    """The slope of log regret against log K: mean over the repetitions, and its standard error."""
    problems = larger(results)
    x = np.log([float(problem.partition("=")[2]) for problem in problems])
    y: Floats = np.log(
        [np.maximum(results.final(problem, policy), 1.0) for problem in problems]
    )  # (K, repetitions)
    x = x - x.mean()
    return mean_of(np.asarray((x[:, None] * y).sum(axis=0) / (x * x).sum()))


def charts(results: Results) -> list[Chart]:
    """Regret against K."""
    smallest = int(larger(results)[0].partition("=")[2])
    return [slopes(results.frame, "additive_terms-slopes", SPEC.title, smallest=smallest)]
