"""Not in the paper: the best of some candidates within a fixed number of verdicts."""

from __future__ import annotations

from functools import partial
from statistics import NormalDist

import numpy as np

from factored_bandits.core.stats import mean_of, verdict_of_runs
from factored_bandits.environments import Environment, make
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.results import Results
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart, quality
from factored_bandits.report.claims import Claim

ARMS = 12
TIES = {"no ties": 0.0, "40 % ties": 0.4}
CALLS = {"no ties": 500, "40 % ties": 1_000}  # enough for most certificates
OWN = "duel_top_two"
OTHER = "dueling_leader_tea"
FIGURE = "fixed_budget_duels-found"


def _problem(tie: float) -> Environment:
    """Utilities at the quantiles of the standard normal distribution, logistic link."""
    normal = NormalDist()
    utilities = [normal.inv_cdf(1.0 - (k + 0.5) / ARMS) for k in range(ARMS)]
    return make("duel_utility", utilities=utilities, link="logistic", tie=tie)


SPEC = Spec(
    name="fixed_budget_duels",
    title="A fixed number of verdicts: how often the best candidate is found",
    text="12 candidates with normal utilities, logistic link. Nothing is lost on the way: what "
    "counts is who is recommended, and when that is proved. duel_halving knows the number of "
    "verdicts.",
    problems=tuple(
        Instance(name, partial(_problem, tie), CALLS[name], "docs/explanation/fixed-budget.md")
        for name, tie in TIES.items()
    ),
    policies=(OWN, "duel_halving", OTHER, "self_sparring", "rmed1", "dueling_uniform"),
    unit="average",
    quick=Preset(repetitions=40),
    full=Preset(repetitions=400),
    confidence=True,
)


def claims(results: Results) -> list[Claim]:
    """On the way, not only in the end, the policy for a budget recommends the better candidate."""
    return [_claim(results, problem) for problem in results.problems]


def _claim(results: Results, problem: str) -> Claim:
    lost = {policy: _on_the_way(results, problem, policy) for policy in (OWN, OTHER)}
    told = ", ".join(f"{policy} {mean_of(runs)}" for policy, runs in lost.items())
    return Claim(
        "fixed_budget_duels",
        f"{problem}: stopped at any time within {CALLS[problem]:,} verdicts, {OWN} recommends "
        f"a better candidate than {OTHER} does",
        f"simple regret, in the mean over the verdicts: {told}",
        verdict_of_runs(lost[OTHER] - lost[OWN], len(TIES)),
        FIGURE,
        "simple regret",
        ours=True,
    )


def _on_the_way(results: Results, problem: str, policy: str) -> np.ndarray:
    """The simple regret of each run, in the mean over the verdicts between checkpoints."""
    result = results.result(problem, policy)
    verdicts = np.diff(result.checkpoints, prepend=0)
    return np.average(result.simple_regret, axis=1, weights=verdicts)


def charts(results: Results) -> list[Chart]:
    """How often the best was found, what the recommendation lacked, and how often it was proved."""
    title = "The best of twelve candidates, against the verdicts"
    return [quality(results.frame, FIGURE, title, stressed=[OWN, OTHER])]
