"""What the agent was worth: the rewards of its units beside those of the holdout."""

from __future__ import annotations

from typing import NamedTuple

from factored_bandits.errors import InvalidInputError

from .engine import Fold, Group


class GroupReport(NamedTuple):
    """The units of the holdout, or all others.

    Attributes
    ----------
    asked
        How many decisions they have.
    settled
        How many of these were told or have expired.
    mean
        The mean of their rewards, expired decisions with their default; nan if there are none.
    standard_error
        Its standard error; nan for fewer than two.

    Examples
    --------
    >>> print(GroupReport(20, 18, 0.5, 0.121))
    20 decisions, 18 settled, mean reward 0.5 (+- 0.12)
    """

    asked: int
    settled: int
    mean: float
    standard_error: float

    def __str__(self) -> str:
        return (
            f"{self.asked:,} decisions, {self.settled:,} settled, mean reward {self.mean:.4g} "
            f"(+- {self.standard_error:.2g})"
        )


class HoldoutReport(NamedTuple):
    """The holdout beside the units that the agent decides for.

    Attributes
    ----------
    share
        The share of units that are held out.
    held
        The holdout.
    rest
        All others.

    Examples
    --------
    >>> print(HoldoutReport(0.1, GroupReport(9, 9, 0.2, 0.1), GroupReport(91, 90, 0.4, 0.05)))
    holdout (10.0%): 9 decisions, 9 settled, mean reward 0.2 (+- 0.1)
    all others: 91 decisions, 90 settled, mean reward 0.4 (+- 0.05)
    """

    share: float
    held: GroupReport
    rest: GroupReport

    def __str__(self) -> str:
        return f"holdout ({self.share:.1%}): {self.held}\nall others: {self.rest}"


def holdout_report(fold: Fold) -> HoldoutReport:
    """The report of an experiment; an error if nobody is held out."""
    holdout = fold.holdout
    if holdout is None:
        raise InvalidInputError("there is no holdout: the experiment was made without holdout=...")
    return HoldoutReport(fold.config.holdout, _report(holdout.held), _report(holdout.rest))


def _report(group: Group) -> GroupReport:
    mean, error = group.mean()
    return GroupReport(group.asked, group.settled, mean, error)
