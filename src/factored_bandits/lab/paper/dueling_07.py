"""Figure 3 of the paper: every dueling algorithm, a winner of 0.7, K = 8 to 128 arms."""

from __future__ import annotations

from factored_bandits.lab.results import Results, all_of
from factored_bandits.lab.spec import EVERY, Preset, Spec
from factored_bandits.report.charts import Chart, curves, slopes
from factored_bandits.report.claims import Claim

from ._duels import NAMED, RMED, TEA, ahead, instances

ARMS = (8, 16, 32, 64, 128)
VARIANTS = (
    "dueling_tea(positions=both)",
    "dueling_tea(bound=betting)",
    "sparring(base_bandit=tsallis_inf)",
)

SPEC = Spec(
    name="dueling_07",
    title="Duels: a winner of 0.7, from 8 to 128 arms",
    text="One arm beats every other with probability 0.7; all other duels are even (Section 5.2 of "
    "the paper). Regret in the unit `average`. Interleaved Filter, Beat the Mean, SAVAGE and "
    "RMED2FH know the horizon.",
    problems=instances(ARMS, 0.7, [10**6] * len(ARMS), "Section 5.2"),
    policies=(EVERY, *VARIANTS),
    unit="average",
    quick=Preset(repetitions=4, policies=(TEA, *RMED, *NAMED, "vdb", *VARIANTS)),
    full=Preset(repetitions=20),
)


def claims(results: Results) -> list[Claim]:
    """What Section 5.2 says of the figure; "sufficiently big" is the largest K that was run."""
    last = results.problems[-1]
    words, verdicts = ahead(results, last, NAMED)
    says = (
        "Section 5.2: Dueling TEA outperforms all algorithms besides RMED variants, K sufficiently "
        "big"
    )
    found = [Claim("dueling_07", says, words, all_of(verdicts), "dueling_07-curves")]

    behind = [results.beats(last, other, TEA) for other in RMED]
    told = [f"{last}: TEA {results.mean(last, TEA)}"]
    told += [f"{other} {results.mean(last, other)}" for other in RMED]
    words = ", ".join(told)
    says = "Section 5.2: RMED variants outperform Dueling TEA at p = 0.7"
    return [*found, Claim("dueling_07", says, words, all_of(behind), "dueling_07-curves")]


def charts(results: Results) -> list[Chart]:
    """Regret over time for each K, and against K."""
    against = slopes(results.frame, "dueling_07-slopes", "A winner of 0.7: final regret against K")
    return [curves(results.frame, "dueling_07-curves", SPEC.title), against]
