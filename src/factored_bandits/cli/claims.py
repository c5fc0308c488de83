"""The table of claims: what the paper says, what was measured, and the verdict."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .output import show, wrapped

if TYPE_CHECKING:
    from factored_bandits.core.table import Table
    from factored_bandits.report.claims import Claim

WIDTHS = (46, 52, 9)  # of the columns where there is no terminal


def show_claims(claims: Sequence[Claim]) -> None:
    """Print the table; a terminal wraps long cells itself."""
    table = claims_table(claims)
    show(table if sys.stdout.isatty() else wrapped(table, WIDTHS))


def claims_table(claims: Sequence[Claim]) -> Table:
    """The table of claims, as data."""
    from factored_bandits.core.table import Table

    rows = [(claim.says, claim.measured, claim.verdict) for claim in claims]
    return Table("", ("the paper says", "measured", "verdict"), rows, tally(claims), align="lll")


def tally(claims: Sequence[Claim]) -> str:
    """How many hold, fail, and are undecided.

    >>> from factored_bandits.report.claims import Claim
    >>> tally([Claim("rank1", "it is better", "2 +- 1", "undecided")])
    '0 hold, 0 fail, 1 are undecided with this preset'
    """
    counts = Counter(claim.verdict for claim in claims)
    return (
        f"{counts['holds']} hold, {counts['fails']} fail, {counts['undecided']} are undecided "
        "with this preset"
    )
