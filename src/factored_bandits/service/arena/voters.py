"""What the votes of each voter look like: always one side, or sooner than anybody can read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from factored_bandits.core.distributions.binomial import at_least

from .ballots import SECOND, Ballot
from .study import Rules
from .tables import VoterRow

# Of all voters together: with probability at most this, somebody is flagged who looks at contents.
SIDE_ALPHA = 0.01
FAST_SHARE = 0.5  # of the votes of somebody who is flagged as too fast
FAST_VOTES = 3


@dataclass(frozen=True)
class VoterReport:
    """The votes of one voter.

    Attributes
    ----------
    voter
        A keyed hash of the cookie.
    link
        The name of the link by which they came.
    counted
        Votes that the agent was told, or will be.
    left, right, ties
        What they chose.
    skipped
        Duels that were given back.
    fast
        Votes that came sooner than the rules allow for reading.
    side_p_value
        Of choosing a side so often without a preference for it: exact, two-sided.
    side_only
        Whether that is too rare to be an accident.
    excluded
        Why their votes are left out; None if they are not.
    """

    voter: bytes
    link: str
    counted: int
    left: int
    right: int
    ties: int
    skipped: int
    fast: int
    side_p_value: float
    side_only: bool
    excluded: str | None

    @property
    def too_fast(self) -> bool:
        """Whether at least half of their votes, and three of them, came too soon."""
        return self.fast >= max(FAST_VOTES, FAST_SHARE * self.counted)

    @property
    def name(self) -> str:
        """Eight characters of the hash: enough to tell voters of a study apart."""
        return self.voter.hex()[:8]


def reports(
    voters: Iterable[VoterRow],
    ballots: Iterable[Ballot],
    links: Mapping[str, str],
    rules: Rules,
) -> list[VoterReport]:
    """A report for each voter, in their order."""
    by_voter: dict[bytes, list[Ballot]] = {}
    for ballot in ballots:
        by_voter.setdefault(ballot.voter, []).append(ballot)
    rows = list(voters)
    level = SIDE_ALPHA / max(len(by_voter), 1)
    return [
        _report(row, by_voter.get(row.voter, []), links.get(row.link, row.link), rules, level)
        for row in rows
    ]


def _report(
    row: VoterRow, ballots: list[Ballot], link: str, rules: Rules, level: float
) -> VoterReport:
    cast = [each for each in ballots if each.status in ("voted", "telling", "counted")]
    counts = {choice: sum(each.choice == choice for each in cast) for choice in ("1", "2", "0")}
    p_value = side_p_value(counts["1"], counts["2"])
    soon = round(rules.least_seconds * SECOND)
    return VoterReport(
        voter=row.voter,
        link=link,
        counted=len(cast),
        left=counts["1"],
        right=counts["2"],
        ties=counts["0"],
        skipped=sum(each.status == "skipped" for each in ballots),
        fast=sum(each.chosen is not None and each.chosen - each.shown < soon for each in cast),
        side_p_value=p_value,
        side_only=p_value <= level,
        excluded=row.excluded,
    )


def side_p_value(left: int, right: int) -> float:
    """Two-sided and exact: sides are drawn at random, so that each is as likely without a habit.

    >>> side_p_value(5, 5), round(side_p_value(10, 0), 9)
    (1.0, 0.001953125)
    """
    most = max(left, right)
    return min(1.0, 2.0 * at_least(most, left + right, 0.5))
