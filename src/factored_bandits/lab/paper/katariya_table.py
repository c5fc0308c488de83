"""The table of Katariya et al. (AISTATS 2017), to which Section 5.1 of the paper compares.

Rank1Elim for K x L levels; u and v are 0.7 but for one entry of 0.9.
"""

from __future__ import annotations

import math
from functools import partial

from factored_bandits.core.stats import Mean, Verdict, errors_needed
from factored_bandits.core.table import Table
from factored_bandits.environments import Environment, make
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.joint import joint_claim
from factored_bandits.lab.results import Results
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart, finals
from factored_bandits.report.claims import Claim

SIZES = (8, 16, 32)
# mean regret of Rank1Elim and its error
PUBLISHED = {"8x8": Mean(17491.0, 384.0), "16x16": Mean(41823.0, 1689.0)}
# an agreement counts if the error that is possible is less than this share of the published mean
NARROW = 0.25
FIGURE = "katariya_table-finals"


def problem(K: int, L: int) -> Environment:
    """u and v are 0.7, but 0.9 at one entry each.

    >>> problem(2, 3).mean([0, 0])
    0.81
    """
    return make("rank1", factors=[[0.9] + [0.7] * (K - 1), [0.9] + [0.7] * (L - 1)])


SPEC = Spec(
    name="katariya_table",
    title="Rank1Elim as published, and TEA beside it",
    text="u and v are 0.7 everywhere but 0.9 at one entry; T = 2,000,000. Published: 8x8 17,491 +- "
    "384, 16x16 41,823 +- 1,689 (Katariya et al., AISTATS 2017).",
    problems=tuple(
        Instance(f"{K}x{L}", partial(problem, K, L), 2 * 10**6, "Katariya et al. 2017")
        for K in SIZES
        for L in SIZES
    ),
    policies=("tea", "rank1_elim", "rank1_elim_kl", "rank1_elim_kl(delta=released)"),
    unit="reward",
    quick=Preset(repetitions=20),
    full=Preset(repetitions=20),
)


def claims(results: Results) -> list[Claim]:
    """Our Rank1Elim against the published means; and the paper's comparison on these problems."""
    found = [_agreement(results, name) for name in PUBLISHED]
    parts = []
    for name in results.problems:
        verdict = results.beats(name, "tea", "rank1_elim", len(results.problems))
        told = (
            f"{name}: tea {results.mean(name, 'tea')}, rank1_elim "
            f"{results.mean(name, 'rank1_elim')} ({verdict})"
        )
        parts.append((told, verdict))
    says = (
        'Section 5.1: "we clearly outperform rank-1 Elimination over different parameter '
        'settings", here those of Katariya et al.'
    )
    return [*found, joint_claim("katariya_table", says, parts, FIGURE, results.unit())]


def _agreement(results: Results, name: str) -> Claim:
    published = PUBLISHED[name]
    own = results.mean(name, "rank1_elim")
    # on either side; the published error is taken to be known at least as well as ours
    runs = len(results.final(name, "rank1_elim"))
    wide = errors_needed(runs - 1, comparisons=2) * math.hypot(own.error, published.error)

    verdict: Verdict = "undecided"
    if abs(own.value - published.value) > wide:
        verdict = "fails"
    elif wide < NARROW * published.value:
        verdict = "holds"

    says = (
        f"our Rank1Elim has the regret that Katariya et al. 2017 published for {name}: {published} "
        "at T = 2,000,000"
    )
    measured = (
        f"our rank1_elim {own}; the difference is {abs(own.value - published.value):,.0f}, with so "
        f"many runs it may be {wide:,.0f}"
    )
    return Claim("katariya_table", says, measured, verdict, FIGURE, results.unit(name), ours=True)


def table(results: Results) -> Table:
    """Published means beside ours."""
    rows = []
    for name in results.problems:
        own = [str(results.mean(name, policy)) for policy in SPEC.policies]
        told = str(PUBLISHED[name]) if name in PUBLISHED else "-"
        rows.append((name, told, *own))

    title = "Regret at T = 2,000,000: mean and standard error"
    columns = ("levels", "Rank1Elim, published", *SPEC.policies)
    return Table(title, columns, rows, "published: Katariya et al. 2017")


def charts(results: Results) -> list[Chart]:
    """Final regret for each size."""
    return [finals(results.frame, FIGURE, "Final regret by number of levels")]
