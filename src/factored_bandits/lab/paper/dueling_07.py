"""Figure 3 of the paper: every dueling algorithm, a winner of 0.7, K = 8 to 128 arms."""

from __future__ import annotations

from factored_bandits.lab.results import Results
from factored_bandits.lab.spec import EVERY, Preset, Spec
from factored_bandits.report.charts import Chart, Peer, curves, finals, slopes
from factored_bandits.report.claims import Claim

from ._duels import NAMED, RMED, TEA, ahead, arms_span, behind, beside, instances

ARMS = (8, 16, 32, 64, 128)
VARIANTS = (
    "dueling_tea(positions=both)",
    "dueling_tea(bound=betting)",
    "sparring(base_bandit=tsallis_inf)",
)

SPEC = Spec(
    name="dueling_07",
    title="Duels: a winner of 0.7",
    text="One arm beats every other with probability 0.7; all other duels are even (Section 5.2 of "
    "the paper). Regret in the unit `average`. Interleaved Filter, Beat the Mean, SAVAGE and "
    "RMED2FH know the horizon.",
    problems=instances(ARMS, 0.7, [10**6] * len(ARMS), "Section 5.2"),
    policies=(EVERY, *VARIANTS),
    unit="average",
    quick=Preset(repetitions=4, policies=(TEA, *RMED, *NAMED, "vdb", *VARIANTS)),
    full=Preset(repetitions=20),
    glance=Preset(
        repetitions=5,
        problems=("K=16", "K=64", "K=128"),
        policies=(TEA, "rmed1", "sparring", "dueling_leader_tea"),
    ),
)


def claims(results: Results) -> list[Claim]:
    """What Section 5.2 says of the figure; "sufficiently big" is the largest K that was run."""
    last = results.problems[-1]
    says = (
        'Section 5.2: "TEA outperforms all algorithms besides RMED variants, as long as the number '
        'of arms are sufficiently big"'
    )
    found = [ahead(results, last, NAMED, says, "dueling_07-finals")]

    says = 'Section 5.2: "besides RMED variants": these have less regret than Dueling TEA'
    return [*found, behind(results, last, RMED, says, "dueling_07-finals")]


def peers(results: Results) -> tuple[str, list[Peer]]:
    """The algorithms that Section 5.2 names, beside Dueling TEA, with the most arms."""
    last = results.problems[-1]
    return f"Duels, a winner of 0.7, {last}", beside(results, last, (*NAMED, *RMED), better=RMED)


def charts(results: Results) -> list[Chart]:
    """Final regret and regret over time for each K, and against K."""
    span = arms_span(results)
    return [
        finals(results.frame, "dueling_07-finals", f"A winner of 0.7: final regret, {span}"),
        curves(results.frame, "dueling_07-curves", "Regret over time, from where the lines part"),
        slopes(results.frame, "dueling_07-slopes", f"Final regret against K, {span}"),
    ]
