"""Theorem 2 as a figure: TEA to 10^12 rounds, where regret grows with the logarithm of time.

Rounds in which nothing can change are skipped, so a run costs what its informative rounds cost.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from factored_bandits.core.stats import mean_of, verdict_of_runs
from factored_bandits.environments import spiked
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.results import Results
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.lab.timeline import elimination_timeline
from factored_bandits.report.charts import Chart, curves
from factored_bandits.report.claims import Claim

PROBLEM = "u*v*=0.75"

SPEC = Spec(
    name="horizon",
    title="TEA to 10^12 rounds",
    text="16 x 16 levels, u* v* = 0.75, gaps 0.2. Rounds in which nothing can change are skipped, "
    "exactly; so the whole elimination timeline can be seen: all levels active, elimination, and "
    "re-entries ever more rare.",
    problems=(
        Instance(PROBLEM, partial(spiked, 16, 0.75, 0.2), 10**12, "Theorem 2 over twelve decades"),
    ),
    policies=("tea", "tea(bound=betting)"),
    unit="reward",
    quick=Preset(repetitions=10),
    full=Preset(repetitions=20),
    checkpoints=120,
)


def claims(results: Results) -> list[Claim]:
    """Theorem 2: logarithmic regret."""
    rounds = results.rounds(PROBLEM)
    curves = results.curve(PROBLEM, "tea")
    at = {decade: int(np.argmin(np.abs(np.log10(rounds) - decade))) for decade in (8, 10, 12)}
    early = curves[:, at[10]] - curves[:, at[8]]
    late = curves[:, at[12]] - curves[:, at[10]]

    # if growth is logarithmic, two decades cost the same wherever they lie; if it is linear, a
    # hundred times as much
    verdict = verdict_of_runs(3.0 * early - late)
    measured = f"tea: 10^8 to 10^10 {mean_of(early)}; 10^10 to 10^12 {mean_of(late)}"
    says = (
        "Theorem 2: regret grows like log T: from 10^10 to 10^12 at most three times as much as "
        "from 10^8 to 10^10"
    )
    unit = "regret added, in unit 'reward'"
    return [Claim("horizon", says, measured, verdict, "horizon-curves", unit)]


def charts(results: Results) -> list[Chart]:
    """Regret over twelve decades, and the elimination timeline of TEA."""
    over = f"Regret to 10^{np.log10(results.rounds(PROBLEM)[-1]):.0f} rounds, on a logarithmic axis"
    title = "One run of TEA: which level was active when, and when it re-entered"
    seen = elimination_timeline(results, PROBLEM, "tea", title)
    return [curves(results.frame, "horizon-curves", over), *seen]
