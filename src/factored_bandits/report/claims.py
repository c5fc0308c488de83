"""Sentences that an experiment can decide: the paper's and our own, and what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from factored_bandits.core.stats import Verdict

__all__ = ["Claim", "Verdict", "counts_of", "reason_of", "split_claims", "tally"]


@dataclass(frozen=True)
class Claim:
    """One row of the table of claims.

    >>> Claim("rank1", "TEA beats Rank1Elim", "smallest lead 3.1 SE", verdict="holds").verdict
    'holds'
    """

    experiment: str  # the experiment that decides it
    says: str  # the paper's sentence with its section and how it is read, or what we expect
    measured: str  # what came out, with its standard error; parts are separated by "; "
    verdict: Verdict
    figure: str = ""  # the name of the chart that shows it, where there is one
    unit: str = ""  # what the numbers are, and in which unit
    reason: str = ""  # of what was measured, the part that decides; empty for all of it
    ours: bool = False  # our own expectation, no sentence of the paper

    @property
    def decided_by(self) -> str:
        """What decides it: of several comparisons, those that have the verdict."""
        return self.reason or self.measured


def reason_of(parts: Sequence[tuple[str, Verdict]], verdict: Verdict) -> str:
    """Of several comparisons in words, those that brought the verdict about.

    One that fails is enough for all to fail; where all must hold, all are the reason.

    >>> reason_of([("K=8: 3, other 5 (holds)", "holds"), ("K=16: 9, other 7", "fails")], "fails")
    'K=16: 9, other 7'
    """
    return "; ".join(text.removesuffix(f" ({own})") for text, own in parts if own == verdict)


def split_claims(claims: Sequence[Claim]) -> tuple[list[Claim], list[Claim]]:
    """The sentences of the paper, and our own expectations.

    >>> both = [Claim("a", "", "", "holds"), Claim("b", "", "", "fails", ours=True)]
    >>> [[claim.experiment for claim in part] for part in split_claims(both)]
    [['a'], ['b']]
    """
    papers = [claim for claim in claims if not claim.ours]
    return papers, [claim for claim in claims if claim.ours]


def counts_of(claims: Sequence[Claim]) -> dict[Verdict, int]:
    """How many claims have each verdict.

    >>> counts_of([Claim("rank1", "it is better", "2 +- 1", "undecided")])
    {'holds': 0, 'fails': 0, 'undecided': 1}
    """
    counts = Counter(claim.verdict for claim in claims)
    verdicts: tuple[Verdict, ...] = ("holds", "fails", "undecided")
    return {verdict: counts[verdict] for verdict in verdicts}


def tally(claims: Sequence[Claim]) -> str:
    """How many hold, fail, and are undecided.

    >>> tally([Claim("rank1", "it is better", "2 +- 1", "undecided")])
    '0 hold, 0 fail, 1 is undecided'
    """
    counts = counts_of(claims)
    words = {"holds": "hold", "fails": "fail", "undecided": "are undecided"}
    alone = {"holds": "holds", "fails": "fails", "undecided": "is undecided"}
    told = [
        f"{count} {alone[verdict] if count == 1 else words[verdict]}"
        for verdict, count in counts.items()
    ]
    return ", ".join(told)
