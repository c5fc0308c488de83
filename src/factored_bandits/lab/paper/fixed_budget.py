"""Not in the paper: what is found within a fixed number of plays, where only the end counts."""

from __future__ import annotations

from functools import partial

import numpy as np

from factored_bandits.core.stats import mean_of, verdict_of_runs
from factored_bandits.environments import Environment, make
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.results import Results
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart, quality
from factored_bandits.report.claims import Claim

SIZES = (5, 4, 4)
STEP = 0.4  # log-odds from level to level
INTERACTIONS = {"no interactions": 0.0, "interactions": 0.7}  # standard deviation, log-odds
OWN = "logistic_halving"
OTHER = "tea(bound=betting)"
FIGURE = "fixed_budget-found"


def _problem(noise: float) -> Environment:
    """Rates of all combinations: main effects, and what each combination has of its own."""
    rng = np.random.default_rng([9, 3])
    effects = np.meshgrid(*(STEP * np.arange(size) for size in SIZES), indexing="ij")
    odds = np.sum(effects, axis=0) - 2.5 + rng.normal(0.0, noise, SIZES)
    return make("table", means=1.0 / (1.0 + np.exp(-odds)))


SPEC = Spec(
    name="fixed_budget",
    title="A fixed number of plays: how often the best is found",
    text="5 x 4 x 4 levels, rewards 0 or 1. Nothing is lost on the way: what counts is the "
    "combination that is recommended in the end. logistic_halving knows the number of plays.",
    problems=tuple(
        Instance(name, partial(_problem, noise), 1_000, "docs/how-to/judges.md")
        for name, noise in INTERACTIONS.items()
    ),
    policies=(OWN, "logistic_thompson", "lb_inf", OTHER, "uniform"),
    unit="reward",
    quick=Preset(repetitions=20),
    full=Preset(repetitions=200),
    confidence=True,
)


def claims(results: Results) -> list[Claim]:
    """Where nobody waits for a certificate, a policy for a fixed budget leaves less regret."""
    return [_claim(results, problem) for problem in results.problems]


def _claim(results: Results, problem: str) -> Claim:
    lost = {policy: results.result(problem, policy).simple_regret[:, -1] for policy in (OWN, OTHER)}
    told = ", ".join(f"{policy} {mean_of(runs)}" for policy, runs in lost.items())
    return Claim(
        "fixed_budget",
        f"{problem}: in the end {OWN} recommends something better than {OTHER} does",
        f"simple regret: {told}",
        verdict_of_runs(lost[OTHER] - lost[OWN], len(INTERACTIONS)),
        FIGURE,
        "simple regret",
        ours=True,
    )


def charts(results: Results) -> list[Chart]:
    """How often the best was found, and what the recommendation lacked, against the plays."""
    return [quality(results.frame, FIGURE, "Found within 1,000 plays", stressed=[OWN, OTHER])]
