"""Figure 2 of the paper: TEA against Rank1Elim and Rank1ElimKL, 16 x 16 levels, u* v* varied."""

from __future__ import annotations

import math
from functools import partial

from factored_bandits.core.stats import mean_of, verdict_of_runs
from factored_bandits.environments import spiked
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.joint import joint_claim
from factored_bandits.lab.results import Results
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.lab.timeline import elimination_timeline
from factored_bandits.report.charts import Chart, Peer, curves, finals, ratio_of
from factored_bandits.report.claims import Claim

BEST = (0.0625, 0.25, 0.5, 0.75, 1.0)
HALF = (0.25, 0.5, 0.75)  # "if the means are not too close to zero or one"
SLOW = ("marginal_thompson", "unimodal_thompson", "logistic_thompson")
KL = ("rank1_elim_kl", "rank1_elim_kl(delta=released)")

SPEC = Spec(
    name="rank1",
    title="Rank-one bandits: TEA against Rank1Elim and Rank1ElimKL",
    text="16 x 16 levels, the best of each factor 0.2 ahead of all others, Bernoulli rewards, "
    "u* v* varied (Section 5.1 of the paper). Rank1Elim and Rank1ElimKL know the horizon; TEA does "
    "not.",
    problems=tuple(
        Instance(f"u*v*={best:g}", partial(spiked, 16, best, 0.2), 10**6, "Section 5.1")
        for best in BEST
    ),
    policies=(
        "tea",
        "tea(bound=hoeffding)",
        "tea(bound=bernstein)",
        "tea(bound=betting)",
        "rank1_elim",
        *KL,
        "tsallis_inf",
        *SLOW,
        "uniform",
    ),
    unit="reward",
    quick=Preset(repetitions=10, fewer=tuple((policy, 2) for policy in SLOW)),
    full=Preset(repetitions=20),
    glance=Preset(
        repetitions=10,
        policies=("tea", "rank1_elim", *KL, "leader_tea", "uniform"),
        fewer=(("leader_tea", 4), ("uniform", 2)),
    ),
)


def claims(results: Results) -> list[Claim]:
    """What Section 5.1 says of the figure."""
    every = [_name(best) for best in BEST]
    middle = [_name(best) for best in HALF]
    says = (
        'Section 5.1: "we clearly outperform rank-1 Elimination over different parameter settings"'
    )
    found = [_ahead(results, says, "rank1_elim", every), _constants(results)]

    for kl in KL:
        which = "as published" if kl == KL[0] else "as its authors' code has it"
        says = (
            'Section 5.1: TEA "even beat[s] the KL optimized version if the means are not too '
            f'close to zero or one": Rank1ElimKL {which}'
        )
        found.append(_ahead(results, says, kl, middle))
        says = (
            'Section 5.1: "rank1ElimKL has an advantage when the Bernoulli random variables are '
            f'strongly biased": {which}'
        )
        found.append(_ahead(results, says, "tea", [every[0], every[-1]], kl))

    return found


def _constants(results: Results) -> Claim:
    """Regret over what its bound has beside the constant, at u* v* = 1/2.

    In the bound of TEA a gap is the smallest over the levels of the other factor, in that of
    Rank1Elim the mean over them, which is larger: the constant of TEA is held against a larger sum.
    """
    problem = _name(0.5)
    best, others = sorted({*map(float, spiked(16, 0.5, 0.2).params["factors"][0])}, reverse=True)
    mean = (best + 15 * others) / 16
    log_t = math.log(results.rounds(problem)[-1])
    sums = {
        "tea": 2 * 15 / ((best - others) * others),
        "rank1_elim": 2 * 15 / ((best - others) * mean),
    }
    own, other = (results.final(problem, policy) / (sums[policy] * log_t) for policy in sums)

    says = (
        'Section 5.1: "When the bias is close to 1/2, we clearly see the better constants of TEA": '
        "regret over log T and the sum of 1 / gap"
    )
    measured = f"{problem}: tea {mean_of(own)}; rank1_elim {mean_of(other)}"
    return Claim(
        experiment="rank1",
        says=says,
        measured=measured,
        verdict=verdict_of_runs(other - own),
        figure="rank1-finals",
        unit="regret over (sum of 1 / gap) log T, each with the gaps of its own bound",
    )


def _name(best: float) -> str:
    return f"u*v*={best:g}"


def _ahead(
    results: Results, says: str, worse: str, problems: list[str], better: str = "tea"
) -> Claim:
    parts = []
    for problem in problems:
        verdict = results.beats(problem, better, worse, len(problems))
        told = (
            f"{problem}: {better} {results.mean(problem, better)}, {worse} "
            f"{results.mean(problem, worse)} ({verdict})"
        )
        parts.append((told, verdict))
    return joint_claim("rank1", says, parts, "rank1-finals", results.unit())


def peers(results: Results) -> tuple[str, list[Peer]]:
    """Rank1Elim and Rank1ElimKL beside TEA, as Section 5.1 has it."""
    found = []
    for policy in ("rank1_elim", KL[0]):
        for best in BEST:
            problem = _name(best)
            claimed = 1 if policy == "rank1_elim" or best in HALF else -1
            pair = ("tea", policy) if claimed > 0 else (policy, "tea")
            # as many comparisons as decide the claim that it belongs to
            together = sum(policy == "rank1_elim" or (b in HALF) == (best in HALF) for b in BEST)
            peer = Peer(
                key=policy,
                label=f"{policy}, {best:g}",
                ratio=ratio_of(results.final(problem, policy), results.final(problem, "tea")),
                claimed=claimed,
                verdict=results.beats(problem, *pair, together),
            )
            found.append(peer)

    return "Rank-one rewards, 16 x 16 levels, by u*v*", found


def charts(results: Results) -> list[Chart]:
    """Final regret and regret over time for each u* v*, and the elimination timeline of TEA."""
    about = ("rank1_elim", "rank1_elim_kl")
    ends = "Final regret by bias: TEA, Rank1Elim and Rank1ElimKL among the others"
    over = "Regret over time by bias, from where the lines part"
    title = "One run of TEA, u* v* = 0.75: which level was active when"
    seen = elimination_timeline(results, _name(0.75), "tea", title)
    return [
        finals(results.frame, "rank1-finals", ends, stressed=about),
        curves(results.frame, "rank1-curves", over, stressed=about),
        *seen,
    ]
