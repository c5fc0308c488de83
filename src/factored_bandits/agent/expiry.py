"""How old a decision is, in rounds or in time, and from which age on it expires."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from datetime import timedelta
from itertools import takewhile
from typing import Any

from factored_bandits.core.checks import integer
from factored_bandits.errors import InvalidInputError

from .ledger import Ledger

Age = int | timedelta  # rounds, or time
Clock = Callable[[], float]  # seconds, such as `time.time`


def checked_age(name: str, value: Any, least: int) -> Age:
    """An age in rounds, `least` or more, or in time.

    >>> checked_age("older_than", 100.0, 0)
    100
    >>> checked_age("expire_after", timedelta(0), 1)
    Traceback (most recent call last):
    factored_bandits.errors.InvalidInputError: expire_after must be longer than no time at all
    """
    if isinstance(value, timedelta):
        if value < timedelta(0) or (least > 0 and not value):
            raise InvalidInputError(f"{name} must be longer than no time at all")
        return value

    try:
        return integer(name, value, least)
    except InvalidInputError:
        raise InvalidInputError(
            f"{name} must be a number of rounds from {least} or a datetime.timedelta, not {value!r}"
        ) from None


class Times:
    """A clock that never goes back, and whether dumps hold the times of decisions.

    They do if the clock was given or decisions expire by time. Otherwise two agents that were told
    the same have the same dump, whenever that was.
    """

    def __init__(self, clock: Clock | None, expire_after: Age | None) -> None:
        self.kept = clock is not None or isinstance(expire_after, timedelta)
        self.given = clock
        self._clock = time.time if clock is None else clock
        self._last = -math.inf

    def now(self) -> float:
        """Seconds; not less than before."""
        self._last = max(self._last, self._clock())
        return self._last

    def not_before(self, moment: float) -> None:
        """Let the clock go on from a moment in another process."""
        self._last = max(self._last, moment)


def has_age(ledger: Ledger, age: Age, play: int) -> bool:
    """Whether the age of a play can be told: not by time, if its dump held none."""
    return not (isinstance(age, timedelta) and math.isnan(ledger.times[play]))


def older(ledger: Ledger, age: Age, now: float) -> list[int]:
    """The decisions that wait and are older than `age`, oldest first."""

    def is_old(play: int) -> bool:
        if isinstance(age, timedelta):
            return bool(now - ledger.times[play] > age.total_seconds())
        return ledger.asked - play > age

    # times ascend: if the first play that is not learned is young, all that wait are; this is
    # looked at in every call of an agent, and a time that is not known is never young
    first = ledger.learned + 1
    if first > ledger.asked:
        return []
    if isinstance(age, timedelta):
        if now - ledger.times[first] <= age.total_seconds():
            return []
    elif ledger.asked - first <= age:
        return []

    oldest = ledger.oldest()
    if oldest is None:
        return []

    if not has_age(ledger, age, oldest):
        raise InvalidInputError(
            f"it is not known when decision {oldest} was asked: the dump that this agent comes "
            "from holds no times. Give an age in rounds, or expire decisions one by one; agents "
            "that are made or loaded with clock=time.time keep the times"
        )

    # ids and times both ascend
    return list(takewhile(is_old, ledger.waiting())) if is_old(oldest) else []
