"""Contribution 4 of the paper on a suite: every factored policy, as a performance profile."""

from __future__ import annotations

from factored_bandits.environments.suites import factored
from factored_bandits.lab.certified import certified_charts
from factored_bandits.lab.joint import joint_claim
from factored_bandits.lab.results import Results
from factored_bandits.lab.spec import EVERY, Preset, Spec
from factored_bandits.report.charts import Chart, profile
from factored_bandits.report.claims import Claim

SPEC = Spec(
    name="suite_factored",
    title="All factored policies on the suite of factored problems",
    text="The paper's family, and a problem for each assumption that can hold or fail. A policy "
    "that cannot play a problem counts as infinitely far from the best there.",
    problems=factored(),
    policies=(EVERY, "tea(bound=betting)"),
    unit="reward",
    quick=Preset(
        repetitions=3,
        shorten=10,
        left_out=(("flat_thompson", "additive 6^5"), ("flat_thompson", "rank1 20^3")),
    ),
    full=Preset(repetitions=20),
)


def claims(results: Results) -> list[Claim]:
    """Contribution 4: TEA need not know the form of the reward function."""
    parts = []
    for problem in results.problems:
        verdict = results.beats(problem, "tea", "uniform", len(results.problems))
        lead = results.lead(problem, "tea", "uniform")
        parts.append((f"{problem}: tea {lead} less than uniform ({verdict})", verdict))
    says = (
        'Section 1: "does not require [...] knowledge of the form of the reward function": less '
        "regret than uniform play on every problem"
    )
    return [joint_claim("suite_factored", says, parts, "suite_factored-profile", results.unit())]


def charts(results: Results) -> list[Chart]:
    """Performance profiles, and what could be signed in the end."""
    count = len(results.problems)
    title = f"{count} factored problems: how often each policy is near the best"
    near = profile(results.frame, "suite_factored-profile", title, stressed=["uniform"])

    title = f"{count} factored problems: wrong levels that are ruled out in the end"
    return [near, *certified_charts(results, title)]
