"""When answers pile up behind a decision that was forgotten, somebody should know."""

from __future__ import annotations

import logging
import warnings
from typing import NamedTuple

from factored_bandits.errors import BacklogWarning

from .journal import LOGGER
from .ledger import Ledger

EVERY = 64  # rounds between two looks
HELD_BACK = 1000  # answers; fewer are not worth a warning
HELD_BACK_AT_ANY_RATE = 10_000
# below that, a warning is due if few decisions hold back many answers, and the oldest one is
# older than answers ever were: with a steady delay neither is so
PER_DECISION = 10
PATIENCE = 2
GROWTH = 4  # the log hears again whenever so many times as many answers wait


def held_back(ledger: Ledger) -> int:
    """How many answers wait for the oldest open decision."""
    oldest = ledger.oldest()
    return 0 if oldest is None else ledger.asked - oldest + 1 - ledger.counters.waiting


class Notice(NamedTuple):
    """What there is to say."""

    text: str
    level: int  # of the log
    warns: bool = False  # where `ask` was called, too


class Watch:
    """Warns once; and again only after the backlog was small in between. The log hears more."""

    def __init__(self) -> None:
        self._said = 0  # how many answers waited when it last spoke; 0: nothing is wrong

    def look(self, ledger: Ledger) -> Notice | None:
        """What there is to say, if it has not been said."""
        count = held_back(ledger)
        if count < HELD_BACK:
            recovered = self._said > 0
            self._said = 0
            if not recovered:
                return None
            text = f"fewer than {HELD_BACK:,} answers wait for a decision again"
            return Notice(text, logging.INFO)

        oldest = ledger.oldest()
        assert oldest is not None, "something holds the answers back"
        age = ledger.asked - oldest
        unusual = (
            count >= PER_DECISION * ledger.counters.waiting
            and age > PATIENCE * ledger.counters.longest_delay
        )
        first = self._said == 0
        if first and not (unusual or count >= HELD_BACK_AT_ANY_RATE):
            return None
        if count < GROWTH * self._said:
            return None

        self._said = count
        text = (
            f"decision {oldest} was asked {age:,} rounds ago and is not settled; {count:,} answers "
            "wait for it and are not learned. Tell its reward or expire it; "
            "Agent(..., expire_after=...) does that by itself"
        )
        return Notice(text, logging.WARNING, warns=first)


def say(notice: Notice) -> None:
    """To the log, and the first time as a warning where `ask` was called."""
    LOGGER.log(notice.level, "%s", notice.text)
    if notice.warns:
        warnings.warn(notice.text, BacklogWarning, stacklevel=4)  # of `Agent.ask`
