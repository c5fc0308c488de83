"""Theorem 1, steps 1 and 2 of its proof: how often a confidence interval fails.

Two levels that are alike, beside two others: whenever a level is eliminated, an interval has
failed. The proof says that from phase s on this happens with probability at most 1 / f(t_s), where
t_s is the round in which the phase begins; rewards of 0 and 1 with mean 1/2 have the largest noise.
"""

from __future__ import annotations

from functools import partial

from factored_bandits.core.distributions.binomial import verdict_of_count
from factored_bandits.environments import make
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.results import Results, all_of
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart
from factored_bandits.report.claims import Claim
from factored_bandits.simulation.record import ELIMINATED
from factored_bandits.theory import f

PROBLEM = "two equal levels"
BEGINS = (3, 11, 31, 101)  # rounds in which a phase begins
ENOUGH = 8.0  # failures that the bound allows: with none of so many it can be decided

SPEC = Spec(
    name="failures",
    title="How often a confidence interval fails",
    text="2 x 2 levels, all alike, rewards 0 or 1 with mean 1/2. Every elimination is a failure of "
    "a confidence interval.",
    problems=(
        Instance(
            PROBLEM,
            partial(make, "additive", effects=[[0.0, 0.0], [0.0, 0.0]], base=0.5),
            3000,
            "the proof of Theorem 1",
        ),
    ),
    policies=("tea",),
    quick=Preset(repetitions=600),
    full=Preset(repetitions=20_000),
    checkpoints=2,
)


def claims(results: Results) -> list[Claim]:
    """At most 1 / f(t_s), for phases so early that the repetitions can decide it."""
    runs = len(results.final(PROBLEM, "tea"))
    decidable = [t for t in BEGINS if runs / f(t) >= ENOUGH]
    verdicts = []
    told = []

    for t in decidable:
        failed = failures_from(results, t)
        verdicts.append(verdict_of_count(failed, runs, 1.0 / f(t), len(decidable)))
        told.append(f"from round {t}: tea {failed} of {runs:,}, 1 / f = {1.0 / f(t):.2%}")

    verdict = all_of(verdicts) if decidable else "undecided"
    if not decidable:
        told.append(
            f"tea: {runs} runs are too few to see a probability of {1.0 / f(BEGINS[0]):.0%}"
        )
    says = (
        'Theorem 1, proof: "P[conf failure at round s] <= 1 / f(t_s)": at most so many of the runs '
        "have a failure in that phase or later"
    )
    unit = "runs with an elimination, which costs no regret here"
    measured = "; ".join(told)
    return [Claim("failures", says, measured, verdict, unit=unit)]


def failures_from(results: Results, t: int) -> int:
    """In how many runs a level of the first factor was eliminated at round t or later."""
    own = results.eliminations[results.eliminations.factor == 0]
    late = own.groupby("repetition").tail(1)
    # an event at t or later, or an elimination before it that lasts
    return int(((late["round"] >= t) | (late.event == ELIMINATED)).sum())


def charts(results: Results) -> list[Chart]:
    """None: there is hardly ever anything to draw."""
    return []
