"""Section 5.2 of the paper, the third criterion: additive terms in K, as a figure.

What is paid before log T counts is O(K) for TEA, and K times that for others. The figure shows
regret against K at a fixed horizon, on log-log axes; slopes are fitted over the larger half of
the K's, and the claims are about these slopes.
"""

from __future__ import annotations

from factored_bandits.core.stats import verdict_of
from factored_bandits.lab.results import Results
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart, slopes
from factored_bandits.report.charts.slopes import fitted
from factored_bandits.report.claims import Claim

from ._duels import TEA, arms_span, instances

P = 0.95  # the probability that the best arm wins
BLIND = 0.9  # from this share of the regret of uniform play on, nothing was learned
ARMS = (8, 16, 32, 64, 128, 256, 512)
# the powers of K in the additive terms, Section 5.2
ORDERS = {TEA: 1, "rmed1": 2, "rmed2": 2, "rucb": 2, "multi_sbm": 2, "dts": 3}

SPEC = Spec(
    name="additive_terms",
    title="Additive terms: regret against the number of arms, at a fixed horizon",
    text="One arm beats every other with probability 0.95. At a fixed horizon the regret of an "
    "algorithm grows with K like its additive term, once that dominates; a slope of 1 is linear in "
    "K, 2 quadratic.",
    problems=instances(ARMS, P, [10**6] * len(ARMS), "Section 5.2, the third criterion"),
    policies=(*ORDERS, "rmed2fh", "sparring", "vdb"),
    unit="average",
    quick=Preset(repetitions=5, horizon=3 * 10**5, problems=tuple(f"K={K}" for K in ARMS[:-1])),
    full=Preset(repetitions=20),
)


def claims(results: Results) -> list[Claim]:
    """The orders of Section 5.2; a slope decides if it is nearer to its order than to another."""
    found = []
    fits = fitted(results.frame, smallest(results))

    for policy, order in ORDERS.items():
        slope = fits[policy]
        measured = (
            f"{policy}: slope {slope.value:.2f} +- {slope.error:.2f} over "
            f"{', '.join(larger(results))}"
        )
        if order == 1:
            verdict = verdict_of(1.5 - slope.value, slope.error)
            says = (
                "Section 5.2: Dueling TEA has no additive term above O(K): the slope against K is "
                "below 1.5"
            )
        else:
            verdict = verdict_of(slope.value - (order - 0.5), slope.error)
            says = (
                f"Section 5.2: an additive O(K^{order}) dominates {policy}: the slope is above "
                f"{order - 0.5:g}"
            )

        # then the horizon limits its regret, and the slope says nothing
        share = blindness(results, policy)
        if share > BLIND:
            verdict = "undecided"
            measured = f"{measured}; but it still plays blindly ({share:.0%} of uniform play)"
        unit = "slope of log regret against log K: 1 is linear in K"
        figure = "additive_terms-slopes"
        found.append(Claim("additive_terms", says, measured, verdict, figure, unit))

    return found


def blindness(results: Results, policy: str) -> float:
    """Regret with the largest K, as a share of what uniform play would have."""
    last = results.problems[-1]
    arms = float(last.partition("=")[2])
    uniform = (P - 0.5) * (1.0 - 1.0 / arms) * float(results.rounds(last)[-1])
    return results.mean(last, policy).value / uniform


def larger(results: Results) -> list[str]:
    """The larger half of the problems, where additive terms show."""
    return results.problems[len(results.problems) // 2 :]


def smallest(results: Results) -> int:
    """The smallest K that slopes are fitted to."""
    return int(larger(results)[0].partition("=")[2])


def charts(results: Results) -> list[Chart]:
    """Regret against K."""
    fitted_from = smallest(results)
    title = f"Final regret against K at a fixed horizon, {arms_span(results)}"
    return [
        slopes(results.frame, "additive_terms-slopes", title, smallest=fitted_from, stressed=ORDERS)
    ]
