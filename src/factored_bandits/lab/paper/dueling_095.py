"""Figure 4 of the paper (appendix): a winner of 0.95, K = 16 to 2048 arms, early rounds decide.

T = 10 K^2, at least 10^5: the longest initial phase is that of RMED2 and RMED2FH, 3 log log T < 9
duels for each of the K (K - 1) / 2 pairs, which is less than half of that. D-TS is left out with
2048 arms: it would take more than an hour per repetition, as far as smaller K tell.
"""

from __future__ import annotations

import dataclasses

from factored_bandits.lab.results import Results
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart, Peer, curves, finals, slopes
from factored_bandits.report.claims import Claim

from ._duels import NAMED, RMED, ahead, arms_span, beside, instances

ARMS = (16, 32, 64, 128, 256, 512, 1024, 2048)

SPEC = Spec(
    name="dueling_095",
    title="Duels: a winner of 0.95, and more arms",
    text="One arm beats every other with probability 0.95; all other duels are even (the paper's "
    "appendix). T = 10 K^2, at least 10^5, so that every initial phase ends. Regret in the unit "
    "`average`. D-TS is left out with 2048 arms, where a run would take more than an hour.",
    problems=instances(
        ARMS, 0.95, [max(10**5, 10 * K * K) for K in ARMS], "the paper's additional experiment"
    ),
    policies=("dueling_tea", "dueling_tea(bound=betting)", *RMED, *NAMED, "vdb"),
    unit="average",
    quick=Preset(repetitions=4, problems=("K=16", "K=64", "K=256")),
    full=Preset(repetitions=20, left_out=(("dts", "K=2048"),)),
)


def claims(results: Results) -> list[Claim]:
    """Dueling TEA wins when K is large enough; a smaller K can neither prove nor refute it."""
    last = results.problems[-1]
    says = (
        'Section 5.2: "Dueling Bandit TEA outperforms all baseline algorithms when the number of '
        'arms is sufficiently large"'
    )
    claim = ahead(results, last, (*RMED, *NAMED), says, "dueling_095-finals")
    if claim.verdict != "undecided" and last != f"K={ARMS[-1]}":
        more = f"so far it {claim.verdict}, but {ARMS[-1]} arms decide, in the preset full"
        claim = dataclasses.replace(
            claim,
            verdict="undecided",
            measured=f"{claim.measured}; {more}",
            reason=f"{claim.reason}; {more}",
        )
    return [claim]


def peers(results: Results) -> tuple[str, list[Peer]]:
    """All baselines beside Dueling TEA, with the most arms that were run."""
    last = results.problems[-1]
    return f"Duels, a winner of 0.95, {last}", beside(results, last, (*RMED, *NAMED))


def charts(results: Results) -> list[Chart]:
    """Regret at T = 10 K^2 for each K and against K, and over time for the largest K."""
    largest = results.problems[-1]
    last = results.frame[results.frame.problem == largest]
    span = arms_span(results)

    return [
        finals(results.frame, "dueling_095-finals", f"A winner of 0.95: final regret, {span}"),
        slopes(results.frame, "dueling_095-slopes", f"Final regret against K, {span}"),
        curves(last, "dueling_095-curves", f"Regret over time with {largest}"),
    ]
