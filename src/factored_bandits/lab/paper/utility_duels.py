"""Section 2.2 of the paper: utility-based duels satisfy uniform identifiability.

Which duels do is computed, not simulated: utilities are drawn at random, and the winning
probabilities looked through. What it means for Dueling TEA is played on a few of them.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from factored_bandits.core.stats import Verdict
from factored_bandits.environments import Environment, make, random_utilities
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.joint import joint_claim
from factored_bandits.lab.results import Results
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart, finals
from factored_bandits.report.claims import Claim
from factored_bandits.theory import gaps, identifiability

from ._duels import TEA

LINKS: tuple[Literal["linear", "logistic"], ...] = ("linear", "logistic")
SIZES = (2, 3, 5, 8, 16, 32)
DRAWS = 25  # per link and number of arms
FIGURE = "utility_duels-finals"
UNIFORM = "dueling_uniform"


def _played(link: Literal["linear", "logistic"]) -> Environment:
    """Five arms; with the logistic link utilities lie further apart, for like probabilities."""
    return random_utilities(5, 1.0 if link == "linear" else 4.0, link, draw=3)


SPEC = Spec(
    name="utility_duels",
    title="Duels by utility",
    text="Five arms with random utilities; arm a beats arm b with probability (1 + x) / 2 or "
    "1 / (1 + exp(-x)) for x = u(a) - u(b).",
    problems=tuple(
        Instance(f"{link} link", partial(_played, link), 10**6, "Section 2.2") for link in LINKS
    ),
    policies=(TEA, UNIFORM),
    unit="average",
    quick=Preset(repetitions=5),
    full=Preset(repetitions=20),
)


def claims(results: Results) -> list[Claim]:
    """Every draw is identifiable, and Dueling TEA learns."""
    problems = [
        drawn(link, arms, draw) for link in LINKS for arms in SIZES for draw in range(DRAWS)
    ]
    found = [identifiability(problem).holds for problem in problems]
    smallest = min(float(np.sort(gaps(problem)[0])[1]) for problem in problems)
    verdict: Verdict = "holds" if all(found) else "fails"
    every = Claim(
        experiment="utility_duels",
        says='Section 2.2: utility-based duels satisfy "the uniform identifiability assumption", '
        "for any increasing link",
        measured=f"{sum(found)} of {len(found)} random problems of 2 to {SIZES[-1]} arms, linear "
        f"and logistic; smallest gap {smallest:.2g}",
        verdict=verdict,
        figure=FIGURE,
        unit="computed for dueling_tea, not simulated; gaps in probability",
    )

    parts = []
    for name in results.problems:
        own = results.beats(name, TEA, UNIFORM, len(LINKS))
        means = f"{TEA} {results.mean(name, TEA)}, {UNIFORM} {results.mean(name, UNIFORM)}"
        parts.append((f"{name}: {means} ({own})", own))
    says = (
        'Section 1: "the proposed algorithm for factored bandits can be applied to utility-based '
        'dueling bandits": less regret than uniform play, with both links'
    )
    return [every, joint_claim("utility_duels", says, parts, FIGURE, results.unit())]


def drawn(link: Literal["linear", "logistic"], arms: int, draw: int) -> Environment:
    """A problem with random utilities, other ones than are played."""
    rng = np.random.default_rng((draw, arms))
    return make("duel_utility", utilities=rng.random(arms), link=link)


def charts(results: Results) -> list[Chart]:
    """Final regret for each link."""
    return [finals(results.frame, FIGURE, "Final regret by link function")]
