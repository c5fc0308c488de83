"""What a judge or a score gives back, and what it may be."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple

from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError, RewardOutOfRangeError

FIRST = 1.0
TIE = 0.5
SECOND = 0.0


class Verdict(NamedTuple):
    """A verdict with what it cost.

    Attributes
    ----------
    winner
        1 if the first of the two is better, 0 if the second is, 0.5 for a tie, None if there is no
        verdict: the judge is asked again later.
    cost
        What the call cost, in any currency; the same one as `Budget.cost`.

    Examples
    --------
    >>> Verdict(1, cost=0.002)
    Verdict(winner=1, cost=0.002)
    """

    winner: float | None
    cost: float = 0.0


class Score(NamedTuple):
    """A score with what it cost.

    Attributes
    ----------
    value
        The score, within the declared range; None if there is none: it is asked for again later.
    cost
        What the call cost, in any currency; the same one as `Budget.cost`.

    Examples
    --------
    >>> Score(0.7, cost=0.002)
    Score(value=0.7, cost=0.002)
    """

    value: float | None
    cost: float = 0.0


class Answer(NamedTuple):
    """A checked answer: None where there is no verdict yet, and what the call cost."""

    value: float | None
    cost: float


Reader = Callable[[Any], Answer]


def read_verdict(given: Any) -> Answer:
    """A verdict of a judge, checked.

    >>> read_verdict(True), read_verdict(Verdict(0.5, 0.01)), read_verdict(None)
    (Answer(value=1.0, cost=0.0), Answer(value=0.5, cost=0.01), Answer(value=None, cost=0.0))
    >>> read_verdict("A")
    Traceback (most recent call last):
    factored_bandits.errors.InvalidInputError: the judge must return 1 if the first is better, 0 \
if the second is, 0.5 for a tie, None to be asked again later, or Verdict(winner, cost); not 'A'
    """
    winner, cost = given if isinstance(given, Verdict) else (given, 0.0)
    paid = _cost(cost)
    if winner is None:
        return Answer(None, paid)

    # `in` alone would call an array's ==
    if not isinstance(winner, Real) or float(winner) not in (FIRST, TIE, SECOND):
        raise InvalidInputError(
            "the judge must return 1 if the first is better, 0 if the second is, 0.5 for a tie, "
            f"None to be asked again later, or Verdict(winner, cost); not {shown(winner)}"
        )
    return Answer(float(winner), paid)


def score_reader(low: float, high: float) -> Reader:
    """The check of scores within a declared range.

    >>> score_reader(0.0, 10.0)(Score(7, cost=0.01))
    Answer(value=7.0, cost=0.01)
    >>> score_reader(0.0, 1.0)(7)
    Traceback (most recent call last):
    factored_bandits.errors.RewardOutOfRangeError: the score must be a number from 0 to 1, None to \
be asked again later, or Score(value, cost); not 7: give reward_range=(low, high) if it can be that
    """

    def read_score(given: Any) -> Answer:
        value, cost = given if isinstance(given, Score) else (given, 0.0)
        paid = _cost(cost)
        if value is None:
            return Answer(None, paid)

        number = float(value) if isinstance(value, Real) else math.nan
        if not low <= number <= high:
            raise RewardOutOfRangeError(
                f"the score must be a number from {low:g} to {high:g}, None to be asked again "
                f"later, or Score(value, cost); not {shown(value)}: give reward_range=(low, high) "
                "if it can be that"
            )
        return Answer(number, paid)

    return read_score


def _cost(given: Any) -> float:
    cost = float(given) if isinstance(given, Real) else math.nan
    if not 0.0 <= cost < math.inf:
        raise InvalidInputError(f"the cost of a call must be a number from 0, not {shown(given)}")
    return cost
