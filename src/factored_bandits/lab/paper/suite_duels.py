"""Section 5.2 of the paper on a suite of duels: every dueling policy, as a performance profile."""

from __future__ import annotations

from factored_bandits.core.stats import Verdict, verdict_of_runs
from factored_bandits.environments.suites import duels
from factored_bandits.lab.certified import certified_charts
from factored_bandits.lab.results import Results, all_of
from factored_bandits.lab.spec import EVERY, Preset, Spec
from factored_bandits.report.charts import Chart, profile
from factored_bandits.report.claims import Claim

WITHIN = 2.0
LARGE = ("paper p=0.7 K=256", "paper p=0.95 K=512")

SPEC = Spec(
    name="suite_duels",
    title="All dueling policies on the suite of duels",
    text="The paper's two families with K growing, total orders, cycles, ties. A policy that "
    "cannot play a problem counts as infinitely far from the best there.",
    problems=duels(),
    policies=(EVERY, "dueling_tea(bound=betting)"),
    unit="average",
    quick=Preset(
        repetitions=3,
        shorten=20,
        problems=tuple(instance.name for instance in duels() if instance.name not in LARGE),
    ),
    full=Preset(repetitions=20),
)


def claims(results: Results) -> list[Claim]:
    """Section 5.2 on D-TS: near the best on most of the suite; what was not run is open."""
    every = [
        instance.name
        for instance in SPEC.problems
        # D-TS cannot play some, those with ties
        if instance.name not in results.problems or "dts" in results.policies(instance.name)
    ]
    found = {name: _near(results, name) for name in every if name in results.problems}
    near = [name for name, verdict in found.items() if verdict == "holds"]
    far = [name for name, verdict in found.items() if verdict == "fails"]

    verdict: Verdict = "undecided"
    if len(near) > len(every) / 2:
        verdict = "holds"
    elif len(far) >= len(every) / 2:
        verdict = "fails"

    absent = [name for name in every if name not in found]
    ratios = {name: _ratio(results, name) for name in found}
    beyond = [f"{name} {ratio:.1f} x" for name, ratio in ratios.items() if ratio > WITHIN]
    measured = (
        f"dts: within {WITHIN:g} x of the smallest mean regret on {len(found) - len(beyond)} of "
        f"{len(found)} problems, surely on {len(near)}; beyond on {len(beyond)}, surely on "
        f"{len(far)}: {', '.join(beyond) or 'none'}"
    )
    if absent:
        measured += f"; not run: {', '.join(absent)}"
    says = (
        'Section 5.2: D-TS "shows one of the best empirical performances": near the best on most '
        "problems"
    )
    unit = "mean regret over the smallest mean regret on a problem"
    return [Claim("suite_duels", says, measured, verdict, "suite_duels-profile", unit)]


def _near(results: Results, problem: str) -> Verdict:
    """Whether D-TS has at most twice the regret of each other policy, on one of all problems."""
    own = results.final(problem, "dts")
    others = [policy for policy in results.policies(problem) if policy != "dts"]
    comparisons = len(SPEC.problems) * len(others)
    verdicts = []
    for other in others:
        runs = results.final(problem, other)
        both = min(len(own), len(runs))
        verdicts.append(verdict_of_runs(WITHIN * runs[:both] - own[:both], comparisons))
    return all_of(verdicts)


def _ratio(results: Results, problem: str) -> float:
    means = [results.mean(problem, policy).value for policy in results.policies(problem)]
    return results.mean(problem, "dts").value / max(min(means), 1e-9)


def charts(results: Results) -> list[Chart]:
    """Performance profiles, and what could be signed in the end."""
    count = len(results.problems)
    title = f"{count} problems with duels: how often each policy is near the best"
    near = profile(results.frame, "suite_duels-profile", title, stressed=["dts"])

    title = f"{count} problems with duels: wrong arms that are ruled out in the end"
    return [near, *certified_charts(results, title)]
