"""Section 5.2 of the paper on a suite of duels: every dueling policy, as a performance profile."""

from __future__ import annotations

from factored_bandits.core.stats import Verdict
from factored_bandits.environments.suites import duels
from factored_bandits.lab.results import Results
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
    """Section 5.2 on D-TS."""
    near: list[str] = []
    far: list[str] = []

    for problem in results.problems:
        means = {
            policy: results.mean(problem, policy).value for policy in results.policies(problem)
        }
        if "dts" in means:
            ratio = means["dts"] / max(min(means.values()), 1e-9)
            (near if ratio <= WITHIN else far).append(f"{problem} {ratio:.1f} x")

    total = len(near) + len(far)
    # over problems, not repetitions: a share of a fixed list, without an error of its own
    verdict: Verdict = "holds" if len(near) > total / 2 else "fails"
    share = f"within {WITHIN:g} x of the smallest mean regret on {len(near)} of {total} problems"
    measured = f"dts: {share}; beyond: {', '.join(far) or 'none'}"
    says = (
        "Section 5.2: D-TS shows one of the best empirical performances: near the best on most "
        "problems"
    )
    unit = "mean regret over the smallest mean regret on a problem"
    return [Claim("suite_duels", says, measured, verdict, "suite_duels-profile", unit)]


def charts(results: Results) -> list[Chart]:
    """Performance profiles."""
    title = f"{len(results.problems)} problems with duels: how often each policy is near the best"
    return [profile(results.frame, "suite_duels-profile", title, stressed=["dts"])]
