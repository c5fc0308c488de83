"""The footnote of Section 5.2 of the paper: smaller gaps show the same with more arms, a figure.

"The same" is the advantage that Dueling TEA gains on RMED as K grows. The horizon is that of
`dueling_095`, 10 K^2 and at least 10^5, divided by the square of the gap as a share of 0.9.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.stats import linear_slope, mean_of, verdict_of, verdict_of_runs
from factored_bandits.environments import identical_gap
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.joint import joint_claim
from factored_bandits.lab.results import Results
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart, finals
from factored_bandits.report.claims import Claim

from ._duels import RMED, TEA

ARMS = (16, 64, 256)
WINS = (0.95, 0.8)  # gaps of 0.9 and 0.6, as the captions count them
FIGURE = "smaller_gaps-finals"


def _instance(p: float, arms: int) -> Instance:
    gap = 2.0 * p - 1.0
    rounds = round(max(10**5, 10 * arms**2) * (0.9 / gap) ** 2)
    return Instance(f"p={p:g}, K={arms}", partial(identical_gap, arms, p), rounds, "Section 5.2")


SPEC = Spec(
    name="smaller_gaps",
    title="Smaller gaps: the same with more arms",
    text="One arm beats every other with probability 0.95 or 0.8. T = 10 K^2 for 0.95, at least "
    "10^5, and longer for the smaller gap, by the square of the ratio of the gaps.",
    problems=tuple(_instance(p, arms) for p in WINS for arms in ARMS),
    policies=(TEA, *RMED),
    unit="average",
    quick=Preset(repetitions=4),
    full=Preset(repetitions=20),
)


def claims(results: Results) -> list[Claim]:
    """The same behaviour with the smaller gap, and more arms needed for it."""
    small = WINS[-1]
    slopes = [
        linear_slope(np.log(ARMS), [_log_ratio(results, other, small, arms) for arms in ARMS])
        for other in RMED
    ]
    parts = [
        (f"{other} over {TEA}: {fit}", verdict_of(fit.value, fit.error, fit.degrees, len(RMED)))
        for other, fit in zip(RMED, slopes, strict=True)
    ]
    says = (
        'Section 5.2: "Smaller gaps show the same behavior": at p = 0.8 too, the regret of RMED '
        "grows faster with K than that of Dueling TEA"
    )
    unit = "slope of the log of a ratio of regrets against log K"
    same = joint_claim("smaller_gaps", says, parts, FIGURE, unit)

    most = ARMS[-1]
    parts = []
    for other in RMED:
        lead = _log_ratio(results, other, WINS[0], most) - _log_ratio(results, other, small, most)
        told = (
            f"{other} over {TEA} at K={most}: {_ratio(results, other, WINS[0])} with p = 0.95, "
            f"{_ratio(results, other, small)} with 0.8"
        )
        parts.append((told, verdict_of_runs(lead, len(RMED))))
    says = (
        'Section 5.2: smaller gaps "require more arms": at equal K Dueling TEA is further behind '
        "RMED, or less ahead, at p = 0.8 than at 0.95"
    )
    return [same, joint_claim("smaller_gaps", says, parts, FIGURE, "ratio of regrets")]


def _log_ratio(results: Results, other: str, p: float, arms: int) -> Floats:
    """The log of the regret of `other` over that of Dueling TEA, per repetition."""
    problem = _instance(p, arms).name
    return np.log(results.final(problem, other) / results.final(problem, TEA))


def _ratio(results: Results, other: str, p: float) -> str:
    return f"{math.exp(mean_of(_log_ratio(results, other, p, ARMS[-1])).value):.2g}"


def charts(results: Results) -> list[Chart]:
    """Final regret for each gap and K."""
    return [finals(results.frame, FIGURE, "Final regret by gap and number of arms")]
