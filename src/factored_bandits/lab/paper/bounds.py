"""Theorems 1 to 3 and the lower bound of Section 4, as a figure: regret and pulls between them."""

from __future__ import annotations

from functools import partial

import numpy as np

from factored_bandits.core.stats import Verdict
from factored_bandits.environments import identical_gap, make, spiked
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.results import Results
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart, overlay
from factored_bandits.report.claims import Claim
from factored_bandits.theory import Check, check

PLAYER = {
    "rank1 16x16": "tea",
    "sum 4x4x4": "tea",
    "duels K=16": "dueling_tea",
    "duels K=64": "dueling_tea",
}
UNIT = "regret and pulls over their bound"
_sum = partial(make, "additive", effects=[[0.3, 0.0, 0.0, 0.0]] * 3, base=0.05)

SPEC = Spec(
    name="bounds",
    title="Between the bounds of the theory",
    text="Theorem 1 bounds the pulls of every suboptimal level, Theorems 2 and 3 the regret; the "
    "lower bound is that of Section 4, for Bernoulli rewards. Bounds hold in expectation: means "
    "are held against them at all checkpoints and levels, at the 1 % level together.",
    problems=(
        Instance("rank1 16x16", partial(spiked, 16, 0.75, 0.2), 10**8, "Theorems 1 and 2"),
        Instance("sum 4x4x4", _sum, 10**8, "Theorems 1 and 2, three factors"),
        Instance("duels K=16", partial(identical_gap, 16, 0.95), 10**8, "Theorems 1 and 3"),
        Instance("duels K=64", partial(identical_gap, 64, 0.95), 10**8, "Theorems 1 and 3"),
    ),
    policies=("tea", "dueling_tea"),
    quick=Preset(repetitions=20),
    full=Preset(repetitions=20),
)


def checks(results: Results) -> dict[str, Check]:
    """Per problem, what `fb.theory.check` says."""
    played = [results.result(problem, PLAYER[problem]) for problem in results.problems]
    return {result.problem: check(result, result.environment) for result in played}


def claims(results: Results) -> list[Claim]:
    """One row per theorem and problem."""
    found = []
    for name, verdict in checks(results).items():
        share = float(np.nanmax(verdict.regret / verdict.upper))
        pulls = max(p.measured / p.upper for p in verdict.pulls)
        measured = (
            f"at most {share:.1%} of the bound on regret, {pulls:.1%} of that on pulls, at every "
            "checkpoint"
        )
        measured = f"{PLAYER[name]}: {measured}"
        says = f"{verdict.theorem}: regret and pulls are below the bounds ({name})"
        found.append(
            Claim("bounds", says, measured, _word(verdict.below_upper), "bounds-overlay", UNIT)
        )

        ratio = verdict.regret[-1] / verdict.lower[-1]
        says = f"Section 4: regret is above the asymptotic lower bound ({name})"
        measured = (
            f"{PLAYER[name]}: {ratio:.3g} times the lower bound at T = {verdict.rounds[-1]:,}"
        )
        found.append(
            Claim("bounds", says, measured, _word(verdict.above_lower), "bounds-overlay", UNIT)
        )

    return found


def _word(answer: bool | None) -> Verdict:
    if answer is None:
        return "undecided"
    return "holds" if answer else "fails"


def charts(results: Results) -> list[Chart]:
    """Regret between the bounds."""
    import pandas as pd

    parts = []
    for name, verdict in checks(results).items():
        # the lower bound is asymptotic
        late = np.where(verdict.late, verdict.lower, np.nan)
        drawn = {f"upper bound ({verdict.theorem})": verdict.upper, "lower bound": late}
        for word, values in drawn.items():
            columns = {"problem": name, "name": word, "round": verdict.rounds, "value": values}
            parts.append(pd.DataFrame(columns))

    title = "Regret of TEA and Dueling TEA between the upper and the lower bound"
    return [overlay(results.frame, pd.concat(parts), "bounds-overlay", title)]
