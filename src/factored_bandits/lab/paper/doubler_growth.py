"""Section 5.2 of the paper on Doubler: regret that scales with the square of log t, as a figure."""

from __future__ import annotations

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.stats import mean_of, verdict_of_runs
from factored_bandits.lab.results import Results, all_of
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart, curves
from factored_bandits.report.claims import Claim

from ._duels import TEA, instances

PROBLEM = "K=4"
FIGURE = "doubler_growth-curves"
DECADES = 7
# between 1 for log^2 and 66 / 42 = 1.57 for log^3: (127 - 61) / (61 - 19), decades of j^3
MOST = 1.4

SPEC = Spec(
    name="doubler_growth",
    title="Doubler: the square of log t",
    text="Four arms, one beats every other with probability 0.95. If regret is a log^2 t + b log t "
    "+ c, a decade costs more than the one before it, always by the same amount.",
    problems=instances([4], 0.95, [10**DECADES], "Section 5.2"),
    policies=("doubler", TEA),
    unit="average",
    quick=Preset(repetitions=5),
    full=Preset(repetitions=20),
)


def claims(results: Results) -> list[Claim]:
    """More than log t, and not more than log^2 t."""
    decades = _decades(results, "doubler")
    # with a log10^2 t a decade costs 2 a more than the one before it: over two decades 4 a, early
    # and late
    early = decades[:, 4] - decades[:, 2]
    late = decades[:, 6] - decades[:, 4]
    verdict = all_of([verdict_of_runs(late, 2), verdict_of_runs(MOST * early - late, 2)])
    told = "; ".join(f"10^{j} to 10^{j + 1} {mean_of(decades[:, j])}" for j in range(2, DECADES))
    says = (
        'Section 5.2: "The regret of Doubler scales with O(log^2(t))": decades cost more and more, '
        f"and this growth does not grow (at most {MOST:g} times)"
    )
    measured = f"doubler: {told}; growth {mean_of(early)}, later {mean_of(late)}"
    unit = "regret added, in unit 'average'"
    return [Claim("doubler_growth", says, measured, verdict, FIGURE, unit)]


def _decades(results: Results, policy: str) -> Floats:
    """What each decade costs, per repetition: column j is from 10^j to 10^(j + 1) rounds."""
    log_rounds = np.log10(results.rounds(PROBLEM))
    ends = np.arange(DECADES + 1)
    curve = results.curve(PROBLEM, policy)
    return np.diff([np.interp(ends, log_rounds, run) for run in curve], axis=1)


def charts(results: Results) -> list[Chart]:
    """Regret on a logarithmic axis of rounds, where log t is straight."""
    return [curves(results.frame, FIGURE, "Regret over time: Doubler bends, log t is straight")]
