"""Section 3 of the paper on sparring, one bandit per factor, as a figure: together and apart.

In a sum of two factors the regret of both is the sum of their regrets. If each factor learned as
well beside the other as alone, with the other at its best, the pair would pay twice what one pays.
"""

from __future__ import annotations

from functools import partial

from factored_bandits.core.arrays import Floats
from factored_bandits.core.stats import Verdict, mean_of, verdict_of_runs
from factored_bandits.environments import make
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.results import Results, all_of
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart, finals
from factored_bandits.report.claims import Claim

GAP = 0.4
FACTOR = [GAP, 0.0, 0.0, 0.0]
TOGETHER, APART = "two factors", "one factor alone"
UCB = ("per_factor_ucb", "per_factor_kl_ucb")
THOMPSON = "marginal_thompson"
MOST = 0.1  # what two factors of TEA may pay more than twice one
FIGURE = "sparring_factors-finals"

SPEC = Spec(
    name="sparring_factors",
    title="One bandit per factor, together and apart",
    text="A sum of two factors of 4 levels, the best 0.4 ahead; and one of them alone, the other "
    "fixed at its best. Whoever learns each factor as well together as apart pays twice as much.",
    problems=(
        Instance(
            TOGETHER, partial(make, "additive", effects=[FACTOR] * 2, base=0.1), 20_000, "Section 3"
        ),
        Instance(
            APART, partial(make, "additive", effects=[FACTOR], base=0.1 + GAP), 20_000, "Section 3"
        ),
    ),
    policies=("tea", *UCB, THOMPSON),
    unit="reward",
    quick=Preset(repetitions=60),
    full=Preset(repetitions=400),
)


def claims(results: Results) -> list[Claim]:
    """Sparring pays for the other factor; TEA does not."""
    says = (
        'Section 3: "The downside of sparring algorithms, both theoretically and practically": one '
        "UCB per factor pays more for two factors than twice what one alone costs"
    )
    verdicts = [verdict_of_runs(_extra(results, policy), len(UCB)) for policy in UCB]
    found = [_claim(results, says, UCB, all_of(verdicts))]

    says = f"sparring suffers with Thompson sampling too: {THOMPSON} pays more than twice as much"
    verdict = verdict_of_runs(_extra(results, THOMPSON))
    found.append(_claim(results, says, (THOMPSON,), verdict, ours=True))

    extra = _extra(results, "tea")
    room = MOST * 2.0 * results.final(APART, "tea")  # per repetition: its mean has an error, too
    says = (
        'Section 3: TEA "avoids these downsides": it pays for two factors what twice one costs, '
        f"within {MOST:.0%}"
    )
    verdict = all_of([verdict_of_runs(side, 2) for side in (room - extra, room + extra)])
    return [*found, _claim(results, says, ("tea",), verdict)]


def _extra(results: Results, policy: str) -> Floats:
    """What two factors cost beyond twice one, per repetition."""
    return results.final(TOGETHER, policy) - 2.0 * results.final(APART, policy)


def _claim(
    results: Results, says: str, policies: tuple[str, ...], verdict: Verdict, *, ours: bool = False
) -> Claim:
    told = [
        f"{policy}: {results.mean(TOGETHER, policy)}, twice one {mean_of(2.0 * apart)}"
        for policy in policies
        for apart in [results.final(APART, policy)]
    ]
    return Claim(
        experiment="sparring_factors",
        says=says,
        measured="; ".join(told),
        verdict=verdict,
        figure=FIGURE,
        unit=results.unit(),
        ours=ours,
    )


def charts(results: Results) -> list[Chart]:
    """Final regret together and apart."""
    return [finals(results.frame, FIGURE, "Final regret of two factors, and of one alone")]
