"""A claim that several comparisons decide together."""

from __future__ import annotations

from collections.abc import Sequence

from factored_bandits.core.stats import Verdict
from factored_bandits.report.claims import Claim, reason_of

from .results import all_of


def joint_claim(
    experiment: str, says: str, parts: Sequence[tuple[str, Verdict]], figure: str, unit: str
) -> Claim:
    """Holds if every part holds; each part is what was measured, and its own verdict.

    >>> parts = [("K=8: 3, other 5 (holds)", "holds"), ("K=16: 9, other 7 (fails)", "fails")]
    >>> claim = joint_claim("rank1", "it is better", parts, "rank1-finals", "regret")
    >>> claim.verdict, claim.reason
    ('fails', 'K=16: 9, other 7')
    """
    verdict = all_of([own for _, own in parts])
    return Claim(
        experiment=experiment,
        says=says,
        measured="; ".join(text for text, _ in parts),
        verdict=verdict,
        figure=figure,
        unit=unit,
        reason=reason_of(parts, verdict),
    )
