"""Section 5.2 of the paper, the third criterion: additive terms in K, as a figure.

What is paid before log T counts is O(K) in the bound of TEA, and K times that in the bounds of
others. The figure shows regret against K at a fixed horizon, on log-log axes; slopes are fitted
over the larger half of the K's, and the claims are about these slopes. The paper speaks of the
terms of bounds; that the regret of an algorithm has the order of its bound is our expectation.
"""

from __future__ import annotations

from factored_bandits.core.stats import Verdict, verdict_of
from factored_bandits.lab.results import Results, all_of
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart, Slope, slopes
from factored_bandits.report.charts.slopes import fitted
from factored_bandits.report.claims import Claim

from ._duels import RMED, TEA, arms_span, instances

P = 0.95  # the probability that the best arm wins
BLIND = 0.9  # from this share of the regret of uniform play on, nothing was learned
ARMS = (8, 16, 32, 64, 128, 256, 512)
# the powers of K in the additive terms of the bounds, Section 5.2
ORDERS = {**dict.fromkeys(RMED, 2), "rucb": 2, "multi_sbm": 2, "dts": 3}
FIGURE = "additive_terms-slopes"
UNIT = "slope of log regret against log K: 1 is linear in K"

SPEC = Spec(
    name="additive_terms",
    title="Additive terms: regret against the number of arms, at a fixed horizon",
    text="One arm beats every other with probability 0.95. At a fixed horizon the regret of an "
    "algorithm grows with K like its additive term, once that dominates; a slope of 1 is linear in "
    "K, 2 quadratic.",
    problems=instances(ARMS, P, [10**6] * len(ARMS), "Section 5.2, the third criterion"),
    policies=(TEA, *ORDERS, "sparring", "vdb"),
    unit="average",
    quick=Preset(repetitions=5, horizon=3 * 10**5, problems=tuple(f"K={K}" for K in ARMS[:-1])),
    full=Preset(repetitions=20),
)


def claims(results: Results) -> list[Claim]:
    """Orders in K; a slope decides if it is nearer to its order than to another."""
    fits = fitted(results.frame, smallest(results))
    over = ", ".join(larger(results))
    own = fits[TEA]
    says = (
        'Section 5.2: "There are no additive constants that dominate the regret for time horizons '
        'T > O(K)" in Dueling TEA: its slope against K is below 1.5'
    )
    found = [
        Claim(
            experiment="additive_terms",
            says=says,
            measured=f"{TEA}: {own} over {over}",
            verdict=verdict_of(1.5 - own.value, own.error, own.degrees),
            figure=FIGURE,
            unit=UNIT,
        ),
        _not_negligible(results, fits),
    ]

    for policy, order in ORDERS.items():
        slope = fits[policy]
        verdict, note = above(results, policy, slope, order - 0.5)
        says = (
            f"the K^{order} in the bound of {policy} (Section 5.2) shows in its regret: the slope "
            f"is above {order - 0.5:g}"
        )
        measured = f"{policy}: {slope} over {over}{note}"
        found.append(Claim("additive_terms", says, measured, verdict, FIGURE, UNIT, ours=True))

    return found


def _not_negligible(results: Results, fits: dict[str, Slope]) -> Claim:
    """What the paper says of its evaluation, in which RMED was the best of the others."""
    decided = [above(results, policy, fits[policy], 1.5, len(RMED)) for policy in RMED]
    told = [
        f"{policy}: {fits[policy]}{note}" for policy, (_, note) in zip(RMED, decided, strict=True)
    ]
    says = (
        'Section 5.2: "The evaluation shows that the additive terms are indeed non-negligible": '
        "regret of the RMED variants grows faster than K, with slopes above 1.5"
    )
    verdict = all_of([verdict for verdict, _ in decided])
    return Claim("additive_terms", says, "; ".join(told), verdict, FIGURE, UNIT)


def above(
    results: Results, policy: str, slope: Slope, limit: float, comparisons: int = 1
) -> tuple[Verdict, str]:
    """Whether a slope is above a limit, and a note where the horizon limits the regret."""
    share = blindness(results, policy)
    if share > BLIND:
        # then the slope says nothing
        return "undecided", f"; but it still plays blindly ({share:.0%} of uniform play)"
    return verdict_of(slope.value - limit, slope.error, slope.degrees, comparisons), ""


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
    return [slopes(results.frame, FIGURE, title, smallest=fitted_from, stressed=(TEA, *ORDERS))]
