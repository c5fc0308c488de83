"""A sentence of the paper that an experiment can decide, and what was measured."""

from dataclasses import dataclass

from factored_bandits.core.stats import Verdict

__all__ = ["Claim", "Verdict"]


@dataclass(frozen=True)
class Claim:
    """One row of the table of claims.

    >>> Claim("rank1", "TEA beats Rank1Elim", "smallest lead 3.1 SE", verdict="holds").verdict
    'holds'
    """

    experiment: str  # the experiment that decides it
    says: str  # what the paper says, in our words, with its section
    measured: str  # what came out, with its standard error
    verdict: Verdict
    figure: str = ""  # the name of the chart that shows it, where there is one
