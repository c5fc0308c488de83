"""Section 3 of the paper on the optimal algorithm for structured bandits: constants in L.

OSSB (Combes et al. 2017) is here in its closed form for unimodal problems, a larger class, since
the program over all factored problems cannot be solved. It tries every combination first, and there
are K^L of them.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from factored_bandits.core.stats import Slope, linear_slope, verdict_of
from factored_bandits.environments import Environment, make
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.results import Results
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart, finals
from factored_bandits.report.claims import Claim

LEVELS = 6
FACTORS = (4, 5, 6)
FIGURE = "ossb_factors-finals"
UNIT = "slope of log regret against the number of factors L; 0.69 is a doubling with each"


def _problem(factors: int) -> Environment:
    return make("additive", effects=[[0.15] + [0.0] * (LEVELS - 1)] * factors, base=0.05)


SPEC = Spec(
    name="ossb_factors",
    title="OSSB and TEA against the number of factors",
    text="4 to 6 factors of 6 levels, 1,296 to 46,656 combinations; the best level of each factor "
    "adds 0.15. OSSB is the closed form for unimodal problems.",
    problems=tuple(
        Instance(f"L={factors}", partial(_problem, factors), 50_000, "Section 3")
        for factors in FACTORS
    ),
    policies=("ossb", "tea"),
    unit="reward",
    quick=Preset(repetitions=20),
    full=Preset(repetitions=100),
)


def claims(results: Results) -> list[Claim]:
    """Regret of OSSB at least doubles with each factor; that of TEA does not."""
    fits = {policy: _fit(results, policy) for policy in SPEC.policies}
    double = math.log(2.0)
    fit = fits["ossb"]
    says = (
        'Section 3: OSSB "suffers from additive constants which are exponential in the number of '
        'atomic actions L": its regret at least doubles with each factor'
    )
    verdict = verdict_of(fit.value - double, fit.error, fit.degrees)
    found = [Claim("ossb_factors", says, _told(results, "ossb", fit), verdict, FIGURE, UNIT)]

    fit = fits["tea"]
    says = "TEA has no constants exponential in L: its regret less than doubles with each factor"
    verdict = verdict_of(double - fit.value, fit.error, fit.degrees)
    told = _told(results, "tea", fit)
    return [*found, Claim("ossb_factors", says, told, verdict, FIGURE, UNIT, ours=True)]


def _fit(results: Results, policy: str) -> Slope:
    runs = [np.log(results.final(problem, policy)) for problem in results.problems]
    return linear_slope(np.array(FACTORS), runs)


def _told(results: Results, policy: str, fit: Slope) -> str:
    regrets = [f"{problem}: {results.mean(problem, policy)}" for problem in results.problems]
    return f"{policy}: {fit}; {'; '.join(regrets)}"


def charts(results: Results) -> list[Chart]:
    """Final regret for each number of factors."""
    return [finals(results.frame, FIGURE, "Final regret by number of factors")]
