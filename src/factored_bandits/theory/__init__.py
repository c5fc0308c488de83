"""The paper's theory, to be computed: gaps, kappa, upper and lower bounds, checks of results.

Nothing here simulates. Gaps and regret are in the units of the problem; numbers of TEM are on its
scale [-1, 1].

>>> import factored_bandits as fb
>>> problem = fb.environments.spiked(levels=4, best=0.81, gap=0.5)
>>> fb.theory.identifiability(problem).holds, round(fb.theory.kappa(problem).value, 3)
(True, 2.25)
>>> round(fb.theory.regret_lower(problem, 1e6)), round(fb.theory.regret_upper(problem, 1e6))
(34, 113753)
"""

from __future__ import annotations

from factored_bandits.policies.tem.bounds import SUM_OF_INVERSES

from .check import check
from .confidence import confidence, f, failure_probability, reentry_round, tau
from .gaps import Identifiability, Witness, gaps, identifiability
from .kappa import Kappa, kappa
from .leader import leader_lower
from .lower import condorcet_lower, pulls_lower, regret_lower
from .unimodality import Unimodality, unimodality
from .upper import (
    comparisons_upper,
    extra_pulls,
    pulls_upper,
    pulls_upper_likely,
    regret_upper,
    slope,
)
from .verdict import Check

__all__ = [
    "SUM_OF_INVERSES",
    "Check",
    "Identifiability",
    "Kappa",
    "Unimodality",
    "Witness",
    "check",
    "comparisons_upper",
    "condorcet_lower",
    "confidence",
    "extra_pulls",
    "f",
    "failure_probability",
    "gaps",
    "identifiability",
    "kappa",
    "leader_lower",
    "pulls_lower",
    "pulls_upper",
    "pulls_upper_likely",
    "reentry_round",
    "regret_lower",
    "regret_upper",
    "slope",
    "tau",
    "unimodality",
]
